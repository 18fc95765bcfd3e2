/* Compiler attributes under one name each. */
#ifndef HELIA_BASE_ATTRIBUTES_H
#define HELIA_BASE_ATTRIBUTES_H

/* The caller must look at the result: false means "already reported" and nothing else was written. */
#define MUST_CHECK __attribute__((warn_unused_result))

/* `format_index` and `first_index` count from 1, as printf(3) does. */
#define PRINTF_LIKE(format_index, first_index) __attribute__((format(printf, format_index, first_index)))

#define NORETURN __attribute__((noreturn))

#endif
