/* Start of a Cortex-M4 or Cortex-M55 firmware that is linked by a generated script (or by one with the same symbols).
 *
 * The order matters: the floating-point and vector unit is switched on before any code that the compiler may have vectorised;
 * .data and .bss are set up from the script's own tables; then the placement's arenas, by the generated function. */
#include <stdint.h>

/* The function that the placement generates; the prefix is the project's. */
#ifndef HP_INIT_MEMORY
#define HP_INIT_MEMORY kws_init_memory
#endif

int32_t HP_INIT_MEMORY(int32_t phase);
int main(void);
void Reset_Handler(void);
void Default_Handler(void);
_Noreturn void semihosting_exit(int code);

/* Layout of the CMSIS tables that the script fills: sizes in 32-bit words. */
struct copy_entry {
    const uint32_t *load;
    uint32_t *run;
    uint32_t words;
};
struct zero_entry {
    uint32_t *run;
    uint32_t words;
};

extern const struct copy_entry __copy_table_start__[], __copy_table_end__[];
extern const struct zero_entry __zero_table_start__[], __zero_table_end__[];
extern uint32_t __StackTop[];

typedef void (*vector)(void);

/* 16 entries: the initial stack pointer and 15 system exceptions. No interrupt is enabled here, so the table ends there. */
struct vector_table {
    uint32_t *stack;
    vector exceptions[15];
};

__attribute__((used, section(".isr_vector"))) static const struct vector_table vectors = {
    .stack = __StackTop,
    .exceptions =
        {
            Reset_Handler, Default_Handler, /* non-maskable interrupt */
            Default_Handler,                /* hard fault */
            Default_Handler,                /* memory management */
            Default_Handler,                /* bus fault */
            Default_Handler,                /* usage fault */
            Default_Handler,                /* secure fault */
            0, 0, 0, Default_Handler,       /* supervisor call */
            Default_Handler,                /* debug monitor */
            0, Default_Handler,             /* pending supervisor call */
            Default_Handler,                /* tick */
        },
};

void Default_Handler(void)
{
    semihosting_exit(99);
}

/* Coprocessors 10 and 11 are the floating-point unit, and the vector unit of a Cortex-M55. */
static void enable_coprocessors(void)
{
    volatile uint32_t *const access_control = (volatile uint32_t *)0xE000ED88u;
    *access_control |= 0xFu << 20;
    __asm volatile("dsb\n\tisb" ::: "memory");
}

/* volatile: the loops must not become calls of memcpy or memset, which may live in memory that is not set up yet. */
static void set_up_program_data(void)
{
    for (const struct copy_entry *entry = __copy_table_start__; entry < __copy_table_end__; entry++) {
        volatile uint32_t *run = entry->run;
        for (uint32_t word = 0; word < entry->words; word++) {
            run[word] = entry->load[word];
        }
    }
    for (const struct zero_entry *entry = __zero_table_start__; entry < __zero_table_end__; entry++) {
        volatile uint32_t *run = entry->run;
        for (uint32_t word = 0; word < entry->words; word++) {
            run[word] = 0;
        }
    }
}

/* noinline: nothing of it may move before the units are on. */
__attribute__((noinline)) static _Noreturn void start(void)
{
    set_up_program_data();
    if (HP_INIT_MEMORY(0) != 0) {
        semihosting_exit(98);
    }
    /* Here a product would power and set up its external memory. */
    if (HP_INIT_MEMORY(1) != 0) {
        semihosting_exit(97);
    }
    semihosting_exit(main());
}

void Reset_Handler(void)
{
    enable_coprocessors();
    start();
}
