/* SPDX-License-Identifier: Apache-2.0 */
/* Files with offsets, and the records of a schema history: read or refused, in order. */
#include "binlog/catalog.h"
#include "connector/connect_offsets.h"
#include "connector/schema_history.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_offsets(struct view text)
{
    struct connect_offsets all;
    struct fail why;
    connect_offsets_init(&all);
    if (!connect_offsets_read_text(&all, text, &why))
        ASSERT(why.kind == FAIL_REFUSE);
    connect_offsets_fini(&all);
}

static void read_history(struct view record)
{
    static const struct config cfg;
    static const struct server server = {.version = 90704, .charset = "utf8mb4", .collation = "utf8mb4_0900_ai_ci"};
    struct schema_history_told told = {0};
    struct offset_state place;
    struct catalog catalog;
    struct fail why;
    offset_state_init(&place);
    catalog_init(&catalog, 0);
    ASSERT(offsets_read(&place, view_of("{\"file\":\"b.9\",\"pos\":4}"), &why));
    struct schema_history_reading r = {&cfg, &server, "ex", &place, &catalog, &told};
    if (!schema_history_take(&r, VIEW_NONE, true, record, &why))
        ASSERT(why.kind == FAIL_STOP);
    catalog_fini(&catalog);
    offset_state_fini(&place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    log_setup(LOG_ERROR, false);
    read_offsets((struct view){data, size});
    read_history((struct view){data, size});
    return 0;
}
