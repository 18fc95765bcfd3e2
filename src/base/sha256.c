#include "base/sha256.h"

#include <stdint.h>
#include <sys/types.h>

#include <sha2.h>

struct sha256 {
    SHA2_CTX context;
};

static struct sha256 sum_of_nothing(void)
{
    struct sha256 sum;
    SHA256Init(&sum.context);
    return sum;
}

struct sha256 *sha256_start(struct arena *arena)
{
    struct sha256 *sum = ARENA_NEW(arena, struct sha256);
    *sum = sum_of_nothing();
    return sum;
}

void sha256_add(struct sha256 *sum, const void *bytes, size_t size)
{
    if (size != 0) {
        SHA256Update(&sum->context, bytes, size);
    }
}

void sha256_finish(struct sha256 *sum, char digest[65])
{
    static const char DIGITS[] = "0123456789abcdef";
    uint8_t raw[SHA256_DIGEST_LENGTH];
    SHA256Final(raw, &sum->context);
    for (size_t i = 0; i < sizeof raw; i++) {
        digest[2 * i] = DIGITS[raw[i] >> 4];
        digest[2 * i + 1] = DIGITS[raw[i] & 15];
    }
    digest[2 * sizeof raw] = '\0';
}

void sha256_hex(const void *bytes, size_t size, char digest[65])
{
    struct sha256 sum = sum_of_nothing();
    sha256_add(&sum, bytes, size);
    sha256_finish(&sum, digest);
}
