/* Names every memory that the part's own script serves. */
#include "kws_arenas.h"

KWS_PUT_IN_SRAM unsigned char sram_zeroed[40];
KWS_PUT_IN_SRAM_INIT unsigned char sram_started[6] = {1, 2, 3, 4, 5, 6};
KWS_PUT_IN_DTCM unsigned char dtcm_zeroed[24];
KWS_PUT_IN_DTCM_INIT int dtcm_started = 77;
extern const int mram_started[2];
KWS_PUT_IN_MRAM_INIT KWS_MRAM_INIT_QUALIFIER int mram_started[2] = {7, 8};
KWS_PUT_IN_PSRAM_OR_DEFAULT unsigned char anywhere[4];

int in_itcm(int x);

static volatile int result;
int main(void)
{
    result = (int)kws_init_memory(0);
    result += in_itcm(sram_zeroed[result]) + sram_started[result] + dtcm_zeroed[result] + dtcm_started + anywhere[0];
    sram_zeroed[result & 7] = dtcm_zeroed[result & 7] = 1;
    return result;
}

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
