/* Verdicts of the small firmwares of test_emulation.sh. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "semihosting.h"

/* Leaves main with 1 and a message that names the condition. */
#define HOLDS(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            semihosting_write("FAIL: " #condition "\n");                                                                         \
            return 1;                                                                                                            \
        }                                                                                                                        \
    } while (0)

static inline int passed(const char *what)
{
    semihosting_write("PASS ");
    semihosting_write(what);
    semihosting_write("\n");
    return 0;
}

#endif
