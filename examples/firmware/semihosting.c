/* Arm semihosting for the M profile: operation in r0, argument in r1, breakpoint 0xAB. */
#include "semihosting.h"

#include <stdint.h>

#define SYS_WRITE0                  0x04
#define SYS_EXIT_EXTENDED           0x20
#define ADP_STOPPED_APPLICATIONEXIT 0x20026u

static void semihosting_call(int operation, const void *argument)
{
    register int r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

void semihosting_write(const char *text)
{
    semihosting_call(SYS_WRITE0, text);
}

_Noreturn void semihosting_exit(int code)
{
    const uint32_t block[2] = {ADP_STOPPED_APPLICATIONEXIT, (uint32_t)code};
    semihosting_call(SYS_EXIT_EXTENDED, block);
    for (;;) {
    }
}
