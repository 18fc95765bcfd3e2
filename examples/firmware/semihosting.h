/* Output and exit through a debugger or an emulator (Arm semihosting). */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

void semihosting_write(const char *text);
/* Ends the emulation; qemu exits with `code`. */
_Noreturn void semihosting_exit(int code);

#endif
