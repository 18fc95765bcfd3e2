/* The application's own memory for a plan with allocate_arenas: false, and the names by which the harness knows it. */
#ifndef STORAGE_H
#define STORAGE_H

#include "kws_arenas.h"

extern unsigned char arena_storage_0[KWS_ARENA_SCRATCH_DTCM_SIZE];
extern unsigned char arena_storage_1[KWS_ARENA_CONSTANT_SRAM_SIZE];
#define kws_arena_scratch_dtcm  arena_storage_0
#define kws_arena_constant_sram arena_storage_1

#endif
