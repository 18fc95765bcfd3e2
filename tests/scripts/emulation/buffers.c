/* ExecuTorch's runtime buffers, found by the header's offsets alone: every byte of each is written, and each still holds its own
 * when all are. Planned, method and temporary arena are in DTCM, input and output in SRAM; the program is read in place. */
#include "kws_arenas.h"
#include "outcome.h"

struct buffer {
    uint32_t arena, offset, size, memory_base, memory_size;
};
#define BUFFER(name, memory)                                                                                                     \
    {                                                                                                                            \
        KWS_TENSOR_##name##_ARENA, KWS_TENSOR_##name##_OFFSET, KWS_TENSOR_##name##_SIZE, KWS_REGION_##memory##_BASE,             \
            KWS_REGION_##memory##_SIZE                                                                                           \
    }
static const struct buffer buffers[] = {
    BUFFER(planned_arena, DTCM), BUFFER(method_arena, DTCM),  BUFFER(temporary_arena, DTCM),
    BUFFER(input_buffer, SRAM),  BUFFER(output_buffer, SRAM),
};
#define BUFFER_COUNT (sizeof buffers / sizeof buffers[0])

static unsigned char *start_of(const struct buffer *buffer)
{
    return kws_arena_buffers[buffer->arena] + buffer->offset;
}

static unsigned char value(uint32_t buffer, uint32_t position)
{
    return (unsigned char)(buffer * 89u + position * 31u + position / 251u);
}

static int is_whole(uint32_t index)
{
    for (uint32_t i = 0; i < buffers[index].size; i++) {
        if (start_of(&buffers[index])[i] != value(index, i)) {
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    static const uint32_t sizes[BUFFER_COUNT] = {163840, 65536, 32768, 12288, 40};
    HOLDS(KWS_TENSOR_pte_program_SIZE == 1000u);
    for (uint32_t i = 0; i < BUFFER_COUNT; i++) {
        const struct buffer *buffer = &buffers[i];
        const uint32_t address = (uint32_t)(uintptr_t)start_of(buffer);
        HOLDS(buffer->size == sizes[i]);
        HOLDS(address % 16u == 0u);
        HOLDS(address - buffer->memory_base < buffer->memory_size &&
              buffer->size <= buffer->memory_size - (address - buffer->memory_base));
        for (uint32_t byte = 0; byte < buffer->size; byte++) {
            start_of(buffer)[byte] = value(i, byte);
        }
    }
    for (uint32_t i = 0; i < BUFFER_COUNT; i++) {
        HOLDS(is_whole(i));
    }
    const unsigned char *program = kws_arena_buffers[KWS_TENSOR_pte_program_ARENA] + KWS_TENSOR_pte_program_OFFSET;
    for (uint32_t i = 0; i < 1000u; i++) {
        HOLDS(program[i] == (unsigned char)(i % 251u));
    }
    return passed("five buffers in two memories, and the program");
}
