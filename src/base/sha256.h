/* SHA-256 (FIPS 180-4), by libmd. */
#ifndef HELIA_BASE_SHA256_H
#define HELIA_BASE_SHA256_H

#include <stddef.h>

#include "base/arena.h"

/* 64 lower-case hexadecimal digits and a NUL. */
void sha256_hex(const void *bytes, size_t size, char digest[65]);

/* The same, of what comes in pieces. */
struct sha256;
struct sha256 *sha256_start(struct arena *arena);
void sha256_add(struct sha256 *sum, const void *bytes, size_t size);
/* The sum is of no use afterwards. */
void sha256_finish(struct sha256 *sum, char digest[65]);

#endif
