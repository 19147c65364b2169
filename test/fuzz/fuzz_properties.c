/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration file: read or refused, and with what was read a whole configuration is tried. */
#include "connector/config.h"
#include "connector/properties.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entries(const struct properties *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].key == NULL || p->items[i].value == NULL)
            abort();
}

/* The input must not choose files of this machine to be read. */
static bool names_a_file(const struct properties *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (strstr(p->items[i].value, "${") != NULL || strstr(p->items[i].key, "store") != NULL)
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view text = {data, size};
    struct properties p;
    struct fail why;
    bool ok = properties_read(text, &p, &why);
    check_entries(&p);
    bool is_harmless = ok && !names_a_file(&p);
    properties_fini(&p);
    if (!is_harmless)
        return 0;
    struct config_notes notes;
    struct config *cfg = config_read(text, "fuzz", &notes);
    if ((cfg == NULL) != (config_notes_count(&notes, LOG_ERROR) > 0))
        abort();
    config_free(&cfg);
    config_notes_fini(&notes);
    return 0;
}
