#include "base/text.h"
#include "model/model.h"

/* By the numbers of TensorType in TensorFlow Lite's schema (version 3d). What is narrower than a byte is packed, low bits
 * first, and rounded up to whole bytes. */
static const struct element_type types[] = {
    {"float32", 32, 4}, {"float16", 16, 2},      {"int32", 32, 4},      {"uint8", 8, 1},      {"int64", 64, 8},
    {"string", 0, 1},   {"bool", 8, 1},          {"int16", 16, 2},      {"complex64", 64, 4}, {"int8", 8, 1},
    {"float64", 64, 8}, {"complex128", 128, 8},  {"uint64", 64, 8},     {"resource", 0, 1},   {"variant", 0, 1},
    {"uint32", 32, 4},  {"uint16", 16, 2},       {"int4", 4, 1},        {"bfloat16", 16, 2},  {"int2", 2, 1},
    {"uint4", 4, 1},    {"float8_e4m3fn", 8, 1}, {"float8_e5m2", 8, 1},
};
#define TYPE_COUNT (sizeof types / sizeof types[0])

const struct element_type *element_type_by_number(uint32_t number)
{
    return number < TYPE_COUNT ? &types[number] : NULL;
}

const struct element_type *element_type_by_name(const char *name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (text_equal_nocase(types[i].name, name)) {
            return &types[i];
        }
    }
    return NULL;
}
