/* allocate_arenas: false: the application brings the memory and binds it, each arena by its id (EMT-012). */
#include "outcome.h"
#include "storage.h"

KWS_PUT_IN_DTCM _Alignas(KWS_ARENA_SCRATCH_DTCM_ALIGNMENT) unsigned char arena_storage_0[KWS_ARENA_SCRATCH_DTCM_SIZE];
KWS_PUT_IN_SRAM _Alignas(KWS_ARENA_CONSTANT_SRAM_ALIGNMENT) unsigned char arena_storage_1[KWS_ARENA_CONSTANT_SRAM_SIZE];

int harness_main(void);

int main(void)
{
    HOLDS(KWS_ARENA_COUNT == 2 && KWS_ARENA_SCRATCH_DTCM == 0 && KWS_ARENA_CONSTANT_SRAM == 1);
    HOLDS(kws_arena_buffers[0] == 0 && kws_arena_buffers[1] == 0);
    HOLDS(kws_bind_arena(2, arena_storage_0, sizeof arena_storage_0) == -1);
    HOLDS(kws_bind_arena(0, 0, sizeof arena_storage_0) == -2);
    HOLDS(kws_bind_arena(0, arena_storage_0, sizeof arena_storage_0 - 1u) == -3);
    HOLDS(kws_bind_arena(0, arena_storage_0 + 1, sizeof arena_storage_0) == -4);
    HOLDS(kws_bind_arena(0, arena_storage_0, sizeof arena_storage_0) == 0);
    HOLDS(kws_bind_arena(1, arena_storage_1, sizeof arena_storage_1) == 0);
    HOLDS(kws_arena_buffers[0] == arena_storage_0 && kws_arena_buffers[1] == arena_storage_1);
    kws_hydrate_constants();
    return harness_main();
}
