/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main: arguments in, exit code out, nothing else.
 *
 * A thread that was left behind in a connect may still be in OpenSSL when the process ends: nothing is torn down then.
 */
#include "connector/cli.h"

#include <openssl/crypto.h>

int main(int argc, char **argv)
{
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    return cli_run(argc, argv);
}
