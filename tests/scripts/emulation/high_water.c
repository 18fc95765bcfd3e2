/* Writes known extents of a painted arena and expects to be told them. TWO_ENDED: an interpreter's arena, of 8192 bytes. */
#include "kws_arenas.h"
#include "outcome.h"

#ifdef TWO_ENDED
#define KEPT KWS_ARENA_CONSTANT_QSPI
#else
#define KEPT KWS_ARENA_CONSTANT_SRAM
#endif
#define ID KWS_ARENA_SCRATCH_DTCM

static volatile unsigned char *bytes;

static void touch(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        bytes[i] = (unsigned char)~bytes[i];
    }
}

int main(void)
{
    const size_t size = KWS_ARENA_SCRATCH_DTCM_SIZE;
    bytes = kws_arena_buffers[ID];
    unsigned char first = kws_arena_buffers[KEPT][0];
    HOLDS(kws_paint_arena(KWS_ARENA_COUNT) == -1 && kws_arena_high_water(KWS_ARENA_COUNT) == 0u);
    HOLDS(kws_paint_arena(KEPT) == -1 && kws_arena_high_water(KEPT) == 0u);
    HOLDS(kws_arena_buffers[KEPT][0] == first);
    HOLDS(kws_paint_arena(ID) == 0);
    HOLDS(kws_arena_high_water(ID) == 0u);
    touch(0, 1000);
    HOLDS(kws_arena_high_water(ID) == 1000u);
    touch(1001, 1002); /* its word: 1000 to 1003 */
    HOLDS(kws_arena_high_water(ID) == 1004u);
#ifdef TWO_ENDED
    touch(size - 500u, size);
    HOLDS(kws_arena_high_water(ID) == 1504u);
    /* In the middle of what is left, 6688 bytes: the larger part of it can still be saved. */
    touch(3000, 3004);
    HOLDS(kws_arena_high_water(ID) == size - (size - 500u - 3004u));
#else
    touch(2000, 2004);
    HOLDS(kws_arena_high_water(ID) == 2004u);
    touch(size - 1u, size);
    HOLDS(kws_arena_high_water(ID) == size);
#endif
    HOLDS(kws_paint_arena(ID) == 0);
    HOLDS(kws_arena_high_water(ID) == 0u);
    touch(0, size);
    HOLDS(kws_arena_high_water(ID) == size);
    return passed("the extents that were written are the ones that are told");
}
