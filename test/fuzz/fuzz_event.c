/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of every type: header, then the body by its own reader.
 *
 * The first byte of the input is the type, the second the flags, the rest is the body. A right header and checksum are
 * put around it, since no fuzzer finds a CRC32. Once more the input is taken as a whole event.
 */
#include "binlog/decoder.h"
#include "binlog/gtid_event.h"
#include "binlog/statement.h"

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t seen; /* what was read is used, so that bad memory is noticed */

static void look(struct view v)
{
    for (size_t i = 0; i < v.n; i++)
        seen += v.p[i];
}

static void read_statement(const struct event *ev, struct fail *why)
{
    struct statement st;
    if (!statement_read(ev, &st, why))
        return;
    look(st.sql);
    look(st.db);
    look(st.time_zone);
    struct view names = st.touched;
    for (struct view db = statement_next_db(&names); db.n > 0; db = statement_next_db(&names))
        look(db);
}

static void read_xa(const struct event *ev, struct fail *why)
{
    struct xa_prepare_event xa;
    struct buf name;
    if (!statement_read_xa_prepare(ev, &xa, why))
        return;
    buf_init(&name);
    statement_print_xa(&xa, &name);
    look(buf_view(&name));
    buf_fini(&name);
}

static void read_gtid(const struct event *ev, struct fail *why)
{
    struct gtid_event g;
    char text[GTID_TEXT_BYTES];
    if (gtid_event_read(ev, &g, why))
        seen += gtid_print(&g.gtid, text);
}

static void read_small(const struct event *ev, struct fail *why)
{
    struct rotate_event rotate;
    struct heartbeat_event beat;
    struct incident_event incident;
    struct view_change_event change;
    struct view sql;
    uint64_t xid;
    if (decoder_read_rotate(ev, &rotate, why))
        look(rotate.file);
    if (decoder_read_heartbeat(ev, &beat, why))
        look(beat.file);
    if (decoder_read_incident(ev, &incident, why))
        look(incident.message);
    if (decoder_read_view_change(ev, &change, why))
        look(change.view_id);
    if (statement_read_rows_query(ev, &sql, why))
        look(sql);
    if (statement_read_xid(ev, &xid, why))
        seen += xid;
}

static void read_event(struct view bytes)
{
    struct decoder d;
    struct event ev;
    struct fail why;
    decoder_init(&d);
    decoder_set_checksum(&d, CHECKSUM_CRC32);
    d.has_format = true;
    if (!decoder_read(&d, bytes, &ev, &why)) {
        ASSERT(why.kind == FAIL_STOP);
        return;
    }
    read_statement(&ev, &why);
    read_xa(&ev, &why);
    read_gtid(&ev, &why);
    read_small(&ev, &why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_event((struct view){data, size});
    if (size < 2)
        return 0;
    struct buf bytes;
    buf_init(&bytes);
    buf_put_le(&bytes, 1, 4);
    buf_put_u8(&bytes, data[0]);
    buf_put_le(&bytes, 2, 4);
    buf_put_le(&bytes, size - 2 + EVENT_HEADER_BYTES + EVENT_CHECKSUM_BYTES, 4);
    buf_put_le(&bytes, 3, 4);
    buf_put_le(&bytes, data[1], 2);
    buf_put(&bytes, data + 2, size - 2);
    buf_put_le(&bytes, crc32_z(0, bytes.start, buf_size(&bytes)), 4);
    read_event(buf_view(&bytes));
    buf_fini(&bytes);
    return 0;
}
