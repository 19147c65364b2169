/* SPDX-License-Identifier: Apache-2.0 */
/* main: arguments in, exit code out, nothing else. */
#include "connector/cli.h"

int main(int argc, char **argv)
{
    return cli_run(argc, argv);
}
