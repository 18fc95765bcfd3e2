/* Runs in QEMU: spoils all memory that start-up must set up, then looks at what each call of the generated code did. The exit
 * code is the number of the line that did not hold, cut to 8 bits but never 0. */
#include "kws_arenas.h"
#include "semihosting.h"

#define SPOILT 0xA5u
#define HOLDS(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition))                                                                                                        \
            fail_at(__LINE__);                                                                                                   \
    } while (0)

KWS_PUT_IN_SRAM static volatile unsigned char zeroed[37];
KWS_PUT_IN_SRAM_INIT volatile unsigned char started[6] = {1, 2, 3, 4, 5, 6};
KWS_PUT_IN_DTCM_NOINIT volatile unsigned char kept[24];
KWS_PUT_IN_DTCM_CONST const unsigned short table[5] = {11, 12, 13, 14, 15};
KWS_PUT_IN_DDR_INIT volatile int outer = 99;
KWS_PUT_IN_DDR volatile int outer_zeroed;
int in_sram(int x);
KWS_PUT_IN_SRAM_CODE int in_sram(int x)
{
    return x + table[x & 3];
}

extern unsigned char __StackTop[];
extern unsigned char __hp_kws_bss_sram_start[], __hp_kws_arena_sram_end[], __hp_kws_bss_dtcm_start[], __hp_kws_arena_dtcm_end[];
extern unsigned char __hp_kws_bss_ddr_start[], __hp_kws_arena_ddr_end[];

static _Noreturn void fail_at(int line)
{
    semihosting_exit(line % 255 + 1);
}

static void spoil(volatile unsigned char *from, const unsigned char *to)
{
    for (; (uintptr_t)from < (uintptr_t)to; from++)
        *from = SPOILT;
}

static int holds_pattern(const volatile unsigned char *bytes, unsigned size, unsigned first)
{
    for (unsigned i = 0; i < size; i++) {
        if (bytes[i] != (7u * i + first) % 251u)
            return 0;
    }
    return 1;
}

static int holds_only(const volatile unsigned char *bytes, unsigned size, unsigned value)
{
    for (unsigned i = 0; i < size; i++) {
        if (bytes[i] != value)
            return 0;
    }
    return 1;
}

#ifdef LENT
static unsigned char lent_scratch[KWS_ARENA_SCRATCH_DTCM_SIZE + 1] __attribute__((aligned(64)));
static unsigned char lent_constant[KWS_ARENA_CONSTANT_DTCM_SIZE] __attribute__((aligned(64)));

static void check_binding(void)
{
    HOLDS(kws_bind_arena(KWS_ARENA_COUNT, lent_scratch, sizeof lent_scratch) == -1);
    HOLDS(kws_bind_arena(KWS_ARENA_CONSTANT_SRAM, lent_scratch, sizeof lent_scratch) == -1);
    HOLDS(kws_bind_arena(KWS_ARENA_SCRATCH_DTCM, 0, sizeof lent_scratch) == -2);
    HOLDS(kws_bind_arena(KWS_ARENA_SCRATCH_DTCM, lent_scratch, KWS_ARENA_SCRATCH_DTCM_SIZE - 1u) == -3);
    HOLDS(kws_bind_arena(KWS_ARENA_SCRATCH_DTCM, lent_scratch + 1, KWS_ARENA_SCRATCH_DTCM_SIZE) == -4);
    HOLDS(kws_arena_buffers[KWS_ARENA_SCRATCH_DTCM] == 0);
    HOLDS(kws_bind_arena(KWS_ARENA_SCRATCH_DTCM, lent_scratch, KWS_ARENA_SCRATCH_DTCM_SIZE) == 0);
    HOLDS(kws_arena_buffers[KWS_ARENA_SCRATCH_DTCM] == lent_scratch);
    HOLDS(kws_bind_arena(KWS_ARENA_CONSTANT_DTCM, lent_constant, sizeof lent_constant) == 0);
    kws_hydrate_constants();
}
#endif

#ifdef OWN_HYDRATION
static volatile int own_calls;
void kws_hydrate_constants(void)
{
    own_calls = own_calls + 1;
}
#endif

static void check_on_chip(void)
{
    const unsigned char *staged = kws_arena_buffers[KWS_ARENA_CONSTANT_DTCM];
    HOLDS(holds_only(zeroed, sizeof zeroed, 0));
    HOLDS(started[0] == 1 && started[5] == 6);
    HOLDS(holds_only(kept, sizeof kept, SPOILT));
    HOLDS(in_sram(1) == 13);
    HOLDS(holds_pattern(kws_arena_buffers[KWS_ARENA_CONSTANT_SRAM], 20, 20));
#ifdef OWN_HYDRATION
    HOLDS(own_calls == 1);
    HOLDS(holds_only(staged, 13, SPOILT));
#else
    HOLDS(holds_pattern(staged + KWS_TENSOR_kernel_a_OFFSET, 13, 13));
    HOLDS(holds_pattern(staged + KWS_TENSOR_kernel_b_OFFSET, 21, 21));
#endif
}

static void run(void)
{
    spoil(__hp_kws_bss_sram_start, __hp_kws_arena_sram_end);
    spoil(__hp_kws_bss_dtcm_start, __hp_kws_arena_dtcm_end);
    spoil(__hp_kws_bss_ddr_start, __hp_kws_arena_ddr_end);
    HOLDS(kws_init_memory(2) == -1);
    HOLDS(kws_init_memory(-1) == -1);
    HOLDS(holds_only(zeroed, sizeof zeroed, SPOILT));
    HOLDS(kws_init_memory(0) == 0);
#ifdef LENT
    check_binding();
#else
    HOLDS(holds_only(kws_arena_scratch_dtcm, KWS_ARENA_SCRATCH_DTCM_SIZE, SPOILT));
    HOLDS(holds_only(kws_arena_persistent_dtcm, KWS_ARENA_PERSISTENT_DTCM_SIZE, 0));
    HOLDS(holds_only(kws_arena_constant_ddr, 48, SPOILT)); /* its memory has no power yet */
#endif
    check_on_chip();
    HOLDS(outer != 99);
    HOLDS(kws_init_memory(1) == 0);
    HOLDS(outer == 99 && outer_zeroed == 0);
#if !defined(LENT) && !defined(OWN_HYDRATION)
    HOLDS(holds_pattern(kws_arena_constant_ddr, 48, 48));
#endif
    semihosting_exit(0);
}

void Reset_Handler(void);
void Reset_Handler(void)
{
#ifdef LENT
    /* Lent buffers and their table are the program's own data, which a startup sets up before. */
    extern uint32_t _sidata[], _sdata[], _edata[], _sbss[], _ebss[];
    for (uint32_t i = 0; (uintptr_t)(_sdata + i) < (uintptr_t)_edata; i++)
        ((volatile uint32_t *)_sdata)[i] = _sidata[i];
    for (volatile uint32_t *word = _sbss; (uintptr_t)word < (uintptr_t)_ebss; word++)
        *word = 0;
#endif
    run();
}
typedef void (*vector)(void);
struct vector_table {
    unsigned char *stack;
    vector handlers[15];
};
static void fault(void)
{
    semihosting_exit(255);
}
__attribute__((section(".isr_vector"), used)) static const struct vector_table vectors = {
    __StackTop, {Reset_Handler, fault, fault, fault, fault, fault}};
