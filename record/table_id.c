/* SPDX-License-Identifier: Apache-2.0 */
#include "record/table_id.h"

#include "record/topic.h"

const char *table_id(struct view db, struct view table)
{
    struct buf name;
    buf_init(&name);
    buf_put_view(&name, db);
    buf_put_u8(&name, 0); /* in no name */
    buf_put_view(&name, table);
    const char *id = topic_intern(buf_view(&name));
    buf_fini(&name);
    return id;
}
