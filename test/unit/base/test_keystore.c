/* SPDX-License-Identifier: Apache-2.0 */
/* Stores of certificates: every form users have gives the same PEM text, or says how to convert it. */
#include "base/keystore.h"

#include <cmocka.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STORE(name) "test/data/keystore/" name

static unsigned count(const struct buf *text, const char *word)
{
    unsigned n = 0;
    for (const uint8_t *p = text->start; (p = memmem(p, (size_t)(text->p - p), word, strlen(word))) != NULL; p++)
        n++;
    return n;
}

static void trusted_certificates_are_the_same_from_pem_and_from_javas_pkcs12(void **state)
{
    (void)state;
    struct buf a, b;
    struct fail why;
    buf_init(&a);
    buf_init(&b);
    assert_true(keystore_read_trusted(STORE("authority.pem"), NULL, &a, &why));
    assert_true(keystore_read_trusted(STORE("authority.p12"), "changeit", &b, &why));
    assert_int_equal(count(&a, "-----BEGIN CERTIFICATE-----"), 1);
    assert_true(view_equal(buf_view(&a), buf_view(&b)));
    buf_fini(&a);
    buf_fini(&b);
}

static void check_identity(const char *path)
{
    struct buf chain, key;
    struct fail why;
    buf_init(&chain);
    buf_init(&key);
    assert_true(keystore_read_identity(path, "changeit", &chain, &key, &why));
    assert_int_equal(count(&chain, "-----BEGIN CERTIFICATE-----"), 2);
    assert_int_equal(count(&key, "-----BEGIN PRIVATE KEY-----"), 1);
    assert_int_equal(count(&key, "ENCRYPTED"), 0);
    buf_fini(&chain);
    buf_fini(&key);
}

static void identity_comes_out_with_its_chain_and_an_open_key(void **state)
{
    (void)state;
    check_identity(STORE("client.p12"));
    check_identity(STORE("client.pem"));
}

static void check_refused(const char *path, const char *password, bool as_identity, const char *reason)
{
    struct buf a, b;
    struct fail why = {0};
    buf_init(&a);
    buf_init(&b);
    bool ok = as_identity ? keystore_read_identity(path, password, &a, &b, &why)
                          : keystore_read_trusted(path, password, &a, &why);
    assert_false(ok);
    assert_int_equal(why.kind, FAIL_STOP);
    assert_int_equal(why.area, FAIL_AREA_CONFIG);
    assert_non_null(strstr(why.text, path));
    if (strstr(why.text, reason) == NULL)
        fail_msg("'%s' should say '%s'", why.text, reason);
    assert_null(password == NULL ? NULL : strstr(why.text, password));
    buf_fini(&a);
    buf_fini(&b);
}

static void store_that_cannot_be_read_says_why(void **state)
{
    (void)state;
    check_refused(STORE("authority.jks"), "changeit", false, "keytool -importkeystore");
    check_refused(STORE("client.p12"), "wrongone", true, "the password is wrong");
    check_refused(STORE("client.pem"), "wrongone", true, STORE("client.pem"));
    check_refused(STORE("client.pem"), NULL, true, STORE("client.pem"));
    check_refused(STORE("legacy.p12"), "changeit", true, "encrypted in an old way");
    check_refused(STORE("authority.pem"), NULL, true, "no private key");
    check_refused(STORE("absent.pem"), NULL, false, "No such file");
    check_refused(STORE("make"), NULL, false, "neither PEM nor PKCS12");
}

static void published_text_can_be_opened_again_and_again(void **state)
{
    (void)state;
    char path[KEYSTORE_PATH_BYTES], text[16];
    struct fail why;
    assert_true(keystore_publish(view_of("-----BEGIN"), path, &why));
    for (int i = 0; i < 2; i++) {
        int fd = open(path, O_RDONLY);
        assert_true(fd >= 0);
        assert_int_equal(read(fd, text, sizeof text), 10);
        assert_memory_equal(text, "-----BEGIN", 10);
        close(fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trusted_certificates_are_the_same_from_pem_and_from_javas_pkcs12),
        cmocka_unit_test(identity_comes_out_with_its_chain_and_an_open_key),
        cmocka_unit_test(store_that_cannot_be_read_says_why),
        cmocka_unit_test(published_text_can_be_opened_again_and_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
