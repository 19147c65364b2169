/* SPDX-License-Identifier: Apache-2.0 */
#include "base/keystore.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGEST_STORE = 4 << 20 };

/* What a store holds; any of it may be missing. */
struct contents {
    EVP_PKEY *key;
    X509 *certificate; /* the one that belongs to the key */
    STACK_OF(X509) * others;
};

static void contents_fini(struct contents *c)
{
    EVP_PKEY_free(c->key);
    X509_free(c->certificate);
    sk_X509_pop_free(c->others, X509_free);
    *c = (struct contents){0};
}

static bool refuse(struct fail *why, const char *path, const char *what)
{
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "read certificates from %s: %s", path, what);
}

/* OpenSSL's last error, in words that help. */
static bool refuse_openssl(struct fail *why, const char *path)
{
    unsigned long code = ERR_peek_last_error();
    int reason = ERR_GET_REASON(code);
    char text[200];
    ERR_error_string_n(code, text, sizeof text);
    if (ERR_GET_LIB(code) == ERR_LIB_PKCS12 && reason == PKCS12_R_MAC_VERIFY_FAILURE)
        return refuse(why, path, "the password is wrong");
    if (reason == ERR_R_UNSUPPORTED || reason == PKCS12_R_PKCS12_CIPHERFINAL_ERROR)
        return refuse(why, path,
                      "it is encrypted in an old way; hint: write it anew with a current keytool, "
                      "keytool -importkeystore -srckeystore OLD -destkeystore NEW -deststoretype pkcs12");
    return fail_set(why, FAIL_STOP, FAIL_AREA_CONFIG, 0, "read certificates from %s: %s", path,
                    code == 0 ? "not a store that can be read" : text);
}

/* ---- reading ---- */

static bool read_whole(const char *path, struct buf *out, struct fail *why)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return refuse(why, path, strerror(errno));
    buf_need(out, LARGEST_STORE + 1);
    out->p += fread(out->p, 1, LARGEST_STORE + 1, file);
    bool is_broken = ferror(file) != 0;
    fclose(file);
    if (is_broken)
        return refuse(why, path, "it can't be read");
    return buf_size(out) <= LARGEST_STORE || refuse(why, path, "it is larger than 4 MiB");
}

static bool open_pkcs12(BIO *bio, const char *path, const char *password, struct contents *out, struct fail *why)
{
    PKCS12 *store = d2i_PKCS12_bio(bio, NULL);
    bool ok = store != NULL;
    /* an absent and an empty password are two different things in this format */
    if (ok && password == NULL && PKCS12_verify_mac(store, NULL, 0) != 1)
        password = "";
    ok = ok && PKCS12_parse(store, password, &out->key, &out->certificate, &out->others) == 1;
    if (!ok)
        refuse_openssl(why, path);
    PKCS12_free(store);
    return ok;
}

/* Never asks on a terminal: no password given is an empty one. */
static int give_password(char *room, int size, int writing, void *password)
{
    (void)writing;
    size_t n = password == NULL ? 0 : strlen(password);
    if (n > (size_t)size)
        return -1;
    memcpy(room, password == NULL ? "" : password, n);
    return (int)n;
}

/* Certificates in their order: the first stands for the key. */
static bool open_pem(struct view text, const char *path, const char *password, struct contents *out, struct fail *why)
{
    BIO *bio = BIO_new_mem_buf(text.p, (int)text.n);
    out->others = sk_X509_new_null();
    ASSERT(bio != NULL && out->others != NULL);
    for (X509 *one; (one = PEM_read_bio_X509(bio, NULL, give_password, NULL)) != NULL;)
        if (out->certificate == NULL)
            out->certificate = one;
        else
            sk_X509_push(out->others, one);
    bool ok = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    if (ok && memmem(text.p, text.n, "PRIVATE KEY-----", 16) != NULL) {
        ERR_clear_error();
        BIO_free(bio);
        bio = BIO_new_mem_buf(text.p, (int)text.n);
        ASSERT(bio != NULL);
        out->key = PEM_read_bio_PrivateKey(bio, NULL, give_password, (void *)password);
        ok = out->key != NULL;
    }
    if (!ok)
        refuse_openssl(why, path);
    BIO_free(bio);
    return ok;
}

/* The files that a MySQL server makes for itself end with one, and then stand amid what is joined from them. */
static void drop_zero_bytes(struct buf *text)
{
    uint8_t *to = text->start;
    for (const uint8_t *from = text->start; from < text->p; from++)
        if (*from != '\0')
            *to++ = *from;
    text->p = to;
}

static bool open_store(const char *path, const char *password, struct contents *out, struct fail *why)
{
    struct buf text;
    bool ok = false;
    buf_init(&text);
    *out = (struct contents){0};
    ERR_clear_error();
    if (!read_whole(path, &text, why))
        goto out;
    struct view v = buf_view(&text);
    if (v.n >= 4 && (memcmp(v.p, "\xfe\xed\xfe\xed", 4) == 0 || memcmp(v.p, "\xce\xce\xce\xce", 4) == 0)) {
        refuse(
            why, path,
            "a Java keystore (JKS) can't be read; hint: keytool -importkeystore -srckeystore OLD -destkeystore NEW.p12 "
            "-deststoretype pkcs12");
    } else if (v.n > 0 && v.p[0] == 0x30) {
        BIO *bio = BIO_new_mem_buf(v.p, (int)v.n);
        ASSERT(bio != NULL);
        ok = open_pkcs12(bio, path, password, out, why);
        BIO_free(bio);
    } else if (memmem(v.p, v.n, "-----BEGIN ", 11) != NULL) {
        drop_zero_bytes(&text);
        ok = open_pem(buf_view(&text), path, password, out, why);
    } else {
        refuse(why, path, "neither PEM nor PKCS12");
    }
out:
    if (buf_size(&text) > 0)
        explicit_bzero(text.start, buf_size(&text)); /* it may be a private key */
    buf_fini(&text);
    if (!ok)
        contents_fini(out);
    ERR_clear_error();
    return ok;
}

/* ---- writing ---- */

static void put_bio(struct buf *out, BIO *bio)
{
    char *text;
    long n = BIO_get_mem_data(bio, &text);
    ASSERT(n > 0);
    buf_put(out, text, (size_t)n);
}

static void put_certificate(struct buf *out, X509 *certificate)
{
    BIO *bio = BIO_new(BIO_s_mem());
    ASSERT(bio != NULL && PEM_write_bio_X509(bio, certificate) == 1);
    put_bio(out, bio);
    BIO_free(bio);
}

static void put_others(struct buf *out, const struct contents *c)
{
    for (int i = 0; c->others != NULL && i < sk_X509_num(c->others); i++)
        put_certificate(out, sk_X509_value(c->others, i));
}

bool keystore_read_trusted(const char *path, const char *password, struct buf *certificates, struct fail *why)
{
    struct contents c;
    if (!open_store(path, password, &c, why))
        return false;
    bool has_any = c.certificate != NULL || (c.others != NULL && sk_X509_num(c.others) > 0);
    if (c.certificate != NULL)
        put_certificate(certificates, c.certificate);
    put_others(certificates, &c);
    contents_fini(&c);
    return has_any || refuse(why, path, "it holds no certificate");
}

bool keystore_read_identity(const char *path, const char *password, struct buf *chain, struct buf *key,
                            struct fail *why)
{
    struct contents c;
    if (!open_store(path, password, &c, why))
        return false;
    bool ok = false;
    if (c.certificate == NULL || c.key == NULL) {
        refuse(why, path, c.key == NULL ? "it holds no private key" : "it holds no certificate for its private key");
    } else if (X509_check_private_key(c.certificate, c.key) != 1) {
        refuse(why, path, "its first certificate doesn't belong to its private key");
    } else {
        put_certificate(chain, c.certificate);
        put_others(chain, &c);
        BIO *bio = BIO_new(BIO_s_mem());
        ASSERT(bio != NULL && PEM_write_bio_PKCS8PrivateKey(bio, c.key, NULL, NULL, 0, NULL, NULL) == 1);
        put_bio(key, bio);
        BIO_free(bio);
        ok = true;
    }
    contents_fini(&c);
    ERR_clear_error();
    return ok;
}

bool keystore_publish(struct view text, char path[KEYSTORE_PATH_BYTES], struct fail *why)
{
    int fd = memfd_create("tidemark-certificates", MFD_CLOEXEC);
    bool ok = fd >= 0;
    for (size_t done = 0; ok && done < text.n;) {
        ssize_t n = write(fd, text.p + done, text.n - done);
        ok = n > 0;
        done += ok ? (size_t)n : 0;
    }
    if (ok) {
        snprintf(path, KEYSTORE_PATH_BYTES, "/proc/self/fd/%d", fd);
        return true;
    }
    int error = errno;
    if (fd >= 0)
        close(fd);
    return fail_set(why, FAIL_STOP, FAIL_AREA_SYSTEM, error, "keep certificates in memory: %s", strerror(error));
}
