/* SHA-256 (FIPS 180-4), by libmd. */
#ifndef HELIA_BASE_SHA256_H
#define HELIA_BASE_SHA256_H

#include <stddef.h>

/* 64 lower-case hexadecimal digits and a NUL. */
void sha256_hex(const void *bytes, size_t size, char digest[65]);

#endif
