/* Uses every section macro once, so that every output section has something to hold. */
#include "kws_arenas.h"

KWS_PUT_IN_SRAM static unsigned char zeroed[40];
KWS_PUT_IN_SRAM_INIT unsigned char started[6] = {1, 2, 3, 4, 5, 6};
KWS_PUT_IN_DTCM_NOINIT unsigned char kept[24];
KWS_PUT_IN_DTCM_CONST const unsigned short table[5] = {1, 2, 3, 4, 5};
KWS_PUT_IN_DTCM_INIT int initialised = 77;
KWS_PUT_IN_MRAM_INIT KWS_MRAM_INIT_QUALIFIER int in_flash[2] = {7, 8};
KWS_PUT_IN_PSRAM_INIT int outer = 9;
KWS_PUT_IN_DRAM_OR_DEFAULT unsigned char somewhere[4];

int in_itcm(int x);
int in_dtcm(int x);
KWS_PUT_IN_ITCM_CODE int in_itcm(int x)
{
    return x + table[x & 3];
}
KWS_PUT_IN_DTCM_CODE int in_dtcm(int x)
{
    return x + in_flash[x & 1];
}

int value = 5;
int zero;
static volatile int result;

int main(void)
{
    result = (int)kws_init_memory(0) + (int)kws_init_memory(1);
    result += in_itcm(zeroed[value]) + in_dtcm(started[value]) + kept[value] + initialised + outer + somewhere[0] + zero;
    result += kws_arena_buffers[KWS_ARENA_SCRATCH_DTCM][KWS_TENSOR_output_OFFSET];
    zeroed[value] = started[0];
    return result;
}

/* What a startup would hold. */
extern unsigned char __StackTop[];
void Reset_Handler(void);
void Reset_Handler(void)
{
    for (;;)
        main();
}
typedef void (*vector)(void);
struct vector_table {
    unsigned char *stack;
    vector handlers[15];
};
__attribute__((section(".isr_vector"), used)) static const struct vector_table vectors = {__StackTop, {Reset_Handler}};
__attribute__((constructor, used)) static void construct(void)
{
    zero = 3;
}
