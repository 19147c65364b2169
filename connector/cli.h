/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli: the sub-commands: one table from which dispatch and usage text follow.
 *
 * What was asked for goes to standard output, what went wrong to standard error. The exit code is 0 or the area of the
 * failure (base/fail.h); wrong usage is 2, as a wrong configuration is.
 */
#ifndef TIDEMARK_CONNECTOR_CLI_H
#define TIDEMARK_CONNECTOR_CLI_H

/* The whole program; returns its exit code. */
int cli_run(int argc, char **argv);

#endif
