/* SPDX-License-Identifier: Apache-2.0 */
#include "connector/offset_found.h"

void offset_found_init(struct offset_found *found, const char *name, const char *topic_prefix)
{
    found->has_value = false;
    buf_init(&found->key);
    buf_init(&found->value);
    offsets_print_key(name, topic_prefix, &found->key);
}

void offset_found_fini(struct offset_found *found)
{
    buf_fini(&found->key);
    buf_fini(&found->value);
}

bool offset_found_take(void *ctx, struct view key, bool has_value, struct view value, struct fail *why)
{
    struct offset_found *found = ctx;
    (void)why;
    if (!view_equal(key, buf_view(&found->key)))
        return true;
    found->has_value = has_value;
    buf_clear(&found->value);
    if (has_value)
        buf_put_view(&found->value, value);
    return true;
}

bool offset_found_read(const struct offset_found *found, struct offset_state *offset, struct fail *why)
{
    struct fail text;
    if (!found->has_value || offsets_read(offset, buf_view(&found->value), &text))
        return true;
    return fail_set(why, FAIL_STOP, FAIL_AREA_DATA, 0,
                    "read what is stored under the key %.*s: %s; hint: tidemark offsets reset forgets it",
                    VIEW_ARGS(buf_view(&found->key)), text.text);
}
