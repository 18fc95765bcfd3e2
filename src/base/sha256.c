#include "base/sha256.h"

#include <stdint.h>
#include <sys/types.h>

#include <sha2.h>

void sha256_hex(const void *bytes, size_t size, char digest[65])
{
    static const char DIGITS[] = "0123456789abcdef";
    SHA2_CTX context;
    uint8_t raw[SHA256_DIGEST_LENGTH];
    SHA256Init(&context);
    if (size != 0) {
        SHA256Update(&context, bytes, size);
    }
    SHA256Final(raw, &context);
    for (size_t i = 0; i < sizeof raw; i++) {
        digest[2 * i] = DIGITS[raw[i] >> 4];
        digest[2 * i + 1] = DIGITS[raw[i] & 15];
    }
    digest[2 * sizeof raw] = '\0';
}
