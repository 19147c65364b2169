/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault: places where a test can have the process killed, or hung.
 *
 * In builds with TIDEMARK_FAULTS (debug and the sanitizers; never release) FAULT_POINT("name") looks whether
 *   TIDEMARK_KILL_AT=name:N   it is to be killed (SIGKILL) the Nth time it passes here, or
 *   TIDEMARK_HANG_AT=name:N   the thread is to hang here for ever.
 * Else the macro is nothing. All names: connector/sink.c, connector/commit.c, connector/connector.c. Any thread.
 */
#ifndef TIDEMARK_BASE_FAULT_H
#define TIDEMARK_BASE_FAULT_H

#ifdef TIDEMARK_FAULTS
#define FAULT_POINT(name) fault_pass(name)
#else
#define FAULT_POINT(name) ((void)0)
#endif

void fault_pass(const char *name);

#endif
