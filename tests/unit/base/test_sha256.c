#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"

/* The examples that NIST publishes with FIPS 180-4, and the empty message of the validation system's short messages. */
static void published_examples(void **state)
{
    (void)state;
    static const struct {
        const char *message, *digest;
    } ROWS[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        char digest[65];
        sha256_hex(ROWS[i].message, strlen(ROWS[i].message), digest);
        assert_string_equal(digest, ROWS[i].digest);
    }
    char digest[65];
    sha256_hex(NULL, 0, digest);
    assert_string_equal(digest, ROWS[0].digest);
}

static void a_million_times_a(void **state)
{
    (void)state;
    enum { SIZE = 1000000 };
    char *message = malloc(SIZE);
    assert_non_null(message);
    memset(message, 'a', SIZE);
    char digest[65];
    sha256_hex(message, SIZE, digest);
    free(message);
    assert_string_equal(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(a_million_times_a),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
