/* SPDX-License-Identifier: Apache-2.0 */
/*
 * requests: what is done about the signals that come.
 *
 * Each signal is executed once: its place in the topic goes into the state that is stored next, with what it changed.
 * One that can't be understood or done is answered (log, notification, the stored list of signals) and changes nothing
 * else. Loop thread only.
 */
#ifndef TIDEMARK_CONNECTOR_REQUESTS_H
#define TIDEMARK_CONNECTOR_REQUESTS_H

#include "connector/config.h"
#include "connector/frontier.h"
#include "connector/notices.h"
#include "connector/relocation.h"
#include "connector/snapshots.h"

struct requests;

/* All lent. */
struct requests *requests_new(const struct config *cfg, struct snapshots *sn, const struct shape_store *shapes,
                              struct frontier *frontier, struct notices *notices);
void requests_free(struct requests **req);

/* Starts reading where the frontier's state says; again after a restart from a stored state. */
MUST_USE bool requests_open(struct requests *req, struct fail *why);

/* To be called every second or so: whether the topic still is the same one. */
void requests_look(struct requests *req);

/* At an orderly stop: tells the group that the user named how far signals were executed and stored; NULL: nothing was. Waits
 * for a second at most, and a failure is only logged. */
void requests_commit(struct requests *req, const struct offset_state *stored);

/* -1 without signals. */
int requests_fd(const struct requests *req);

/* Takes and executes what has come. Only while the state may change: not during a commit. */
void requests_service(struct requests *req);

/* A set-binlog-position is under way, and no later signal is taken until requests_relocated; NULL: none is. */
const struct relocation *requests_relocation(const struct requests *req);

/* It was executed, or refused (why not NULL). */
void requests_relocated(struct requests *req, const struct fail *why);

/* Before requests_free: false when its thread does not end in time (then leave the process). */
bool requests_forget_relocation(struct requests *req, int timeout_ms);

/* A table of the re-reads is done: its signal may be, too. To be told before the table leaves the queue. */
void requests_table_done(struct requests *req, const struct table_read *t);

#endif
