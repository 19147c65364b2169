/* SPDX-License-Identifier: Apache-2.0 */
/*
 * connect_offsets: the offset that Kafka Connect stored for a connector, found in its topic or in a file.
 *
 *   topic  key ["<connector name>",{"server":"<topic.prefix>"}], value as in offsets.h; null: removed
 *   file   of FileOffsetBackingStore (connect_file.h);
 *          or what Connect's REST door gives: {"offsets":[{"partition":{"server":"…"},"offset":{…}}]};
 *          or lines as in offset_file.h;
 *          or a single value: {"file":…}
 *
 * Blocks, for a bounded time. One thread.
 */
#ifndef TIDEMARK_CONNECTOR_CONNECT_OFFSETS_H
#define TIDEMARK_CONNECTOR_CONNECT_OFFSETS_H

#include "connector/config.h"

struct connect_entry {
    char *name;   /* of the connector; "": the file doesn't say */
    char *server; /* its topic.prefix; "" likewise */
    char *value;  /* JSON; NULL: removed */
};

struct connect_offsets {
    struct connect_entry *entries;
    size_t n;
};

void connect_offsets_init(struct connect_offsets *all);
void connect_offsets_fini(struct connect_offsets *all);

MUST_USE bool connect_offsets_read_topic(struct connect_offsets *all, const struct config *cfg, const char *topic,
                                         struct fail *why);
MUST_USE bool connect_offsets_read_text(struct connect_offsets *all, struct view text, struct fail *why);
MUST_USE bool connect_offsets_read_path(struct connect_offsets *all, const char *path, struct fail *why);

/* The one of that name (NULL: of cfg's name, or the only one with cfg's topic.prefix). NULL and why (STOP, REFUSED), which
 * names those there are. */
MUST_USE const struct connect_entry *connect_offsets_choose(const struct connect_offsets *all, const struct config *cfg,
                                                            const char *name, struct fail *why);

#endif
