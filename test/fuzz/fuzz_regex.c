/* SPDX-License-Identifier: Apache-2.0 */
/* A list of patterns and, behind the first line end, a name: split, translated, compiled and matched, or refused. */
#include "connector/filter.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
    struct view text = {data, end == NULL ? size : (size_t)(end - data)};
    struct view name = end == NULL ? VIEW_NONE : (struct view){end + 1, size - text.n - 1};
    struct fail why;
    if (text.n > 200 || name.n > 200) /* hostile patterns are slow in proportion, not by accident */
        return 0;
    struct regex_list *list = regex_list_new(text, &why);
    if (list != NULL)
        regex_list_matches(list, name);
    regex_list_free(&list);
    struct key_rules *rules = key_rules_new(text, &why);
    key_rules_free(&rules);
    return 0;
}
