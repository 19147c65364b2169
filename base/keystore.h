/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keystore: certificates and keys of a PEM or PKCS12 file, as PEM text.
 *
 * The client libraries want PEM by path, Java's users have PKCS12 and JKS. PKCS12 is opened here and its contents written
 * as PEM; a private key comes out without its password. keystore_publish gives such a text a path without putting it on a
 * disk. JKS can't be read by OpenSSL and is refused with the command that converts it.
 *
 * Form is told by the contents, not by the name. Errors are STOP, CONFIG and name the file, never a password. Any thread.
 */
#ifndef TIDEMARK_BASE_KEYSTORE_H
#define TIDEMARK_BASE_KEYSTORE_H

#include "base/bytes.h"
#include "base/fail.h"

/* Appends the certificates of all authorities in the store. password may be NULL. */
MUST_USE bool keystore_read_trusted(const char *path, const char *password, struct buf *certificates, struct fail *why);

/* Appends our certificate followed by its chain, and the private key, unencrypted. password opens the store or the
 * encrypted PEM key; may be NULL. */
MUST_USE bool keystore_read_identity(const char *path, const char *password, struct buf *chain, struct buf *key,
                                     struct fail *why);

enum { KEYSTORE_PATH_BYTES = 40 };

/* A path that this process can open as often as it likes and no other user can; lives as long as the process. */
MUST_USE bool keystore_publish(struct view text, char path[KEYSTORE_PATH_BYTES], struct fail *why);

#endif
