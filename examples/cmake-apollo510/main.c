/* What an application does with a placement: buffers and functions in memories of its choice, and the arenas for its engine. */
#include <stdint.h>

#include "kws_arenas.h"

/* Samples come in by DMA, so they live in shared memory; the gain is used for every sample, so it lives close to the core. */
KWS_PUT_IN_SRAM static int16_t samples[1024];
KWS_PUT_IN_DTCM_INIT static int16_t gain[4] = {256, 128, 64, 32};

KWS_PUT_IN_ITCM_CODE int32_t amplify(unsigned channel)
{
    int32_t sum = 0;
    for (unsigned i = channel % 4u; i < 1024u; i += 4u) {
        sum += samples[i] * gain[channel % 4u];
    }
    return sum;
}

int main(void)
{
    unsigned char *scratch = kws_arena_scratch_dtcm;
    int32_t sum = 0;
    for (unsigned channel = 0; channel < 4u; channel++) {
        sum += amplify(channel);
    }
    scratch[0] = (unsigned char)sum;
    return 0;
}
