/* The model stands in external memory, and nothing in the image holds it: the host wrote it there before. The arena stands behind
 * it and is nobody's to zero. */
#include "kws_arenas.h"
#include "outcome.h"

static uint32_t crc32(const unsigned char *bytes, uint32_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}

int main(void)
{
    const unsigned char *model = (const unsigned char *)KWS_HOST_UPLOAD_DDR_ADDRESS;
    HOLDS(model == kws_arena_buffers[KWS_ARENA_CONSTANT_DDR]);
    HOLDS(KWS_HOST_UPLOAD_DDR_SIZE == MODEL_SIZE);
    HOLDS(crc32(model, MODEL_SIZE) == MODEL_CRC);
    unsigned char *arena = kws_arena_buffers[KWS_ARENA_SCRATCH_DDR];
    HOLDS((uintptr_t)arena == KWS_HOST_UPLOAD_DDR_ADDRESS + (MODEL_SIZE + 63u) / 64u * 64u);
    for (uint32_t i = 0; i < KWS_ARENA_SCRATCH_DDR_SIZE; i++) {
        arena[i] = (unsigned char)i;
    }
    HOLDS(crc32(model, MODEL_SIZE) == MODEL_CRC);
    return passed("the uploaded model is whole");
}
