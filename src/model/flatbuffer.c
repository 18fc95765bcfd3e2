#include "model/flatbuffer.h"

#include <string.h>

#define OFFSET_SIZE         4u
#define VTABLE_HEADER_SIZE  4u /* its own size and the table's, 16 bits each */
#define FIELD_OFFSET_SIZE   2u
#define IDENTIFIER_POSITION 4u
#define IDENTIFIER_SIZE     4u

#define BUDGET_FACTOR 4u
#define BUDGET_FLOOR  ((size_t)64 * 1024)

struct flatbuffer flatbuffer_start(struct bytes content)
{
    return (struct flatbuffer){.content = content, .budget = content.size * BUDGET_FACTOR + BUDGET_FLOOR};
}

static void set_problem(struct flatbuffer *buffer, const char *problem, size_t offset)
{
    if (buffer->problem != NULL) {
        return;
    }
    buffer->problem = problem;
    buffer->problem_offset = offset;
}

const char *flatbuffer_take_problem(struct flatbuffer *buffer, size_t *offset)
{
    const char *problem = buffer->problem;
    *offset = buffer->problem_offset;
    buffer->problem = NULL;
    return problem;
}

bool flatbuffer_charge(struct flatbuffer *buffer, uint64_t bytes, size_t offset)
{
    if (bytes > buffer->budget) {
        set_problem(buffer, "the file refers to the same bytes far too often", offset);
        return false;
    }
    buffer->budget -= (size_t)bytes;
    return true;
}

static bool has_bytes(const struct flatbuffer *buffer, size_t position, uint64_t size)
{
    return position <= buffer->content.size && size <= buffer->content.size - position;
}

/* Little-endian, whatever the host is. The caller has checked the range. */
static uint64_t number_at(const struct flatbuffer *buffer, size_t position, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)buffer->content.data[position + i] << (8 * i);
    }
    return value;
}

static int32_t to_signed(uint32_t value)
{
    int32_t result;
    memcpy(&result, &value, sizeof result);
    return result;
}

/* Where the offset at `position` leads; an offset counts from where it stands, and 0 would be itself. */
static bool follow(struct flatbuffer *buffer, size_t position, size_t *target)
{
    if (!has_bytes(buffer, position, OFFSET_SIZE)) {
        set_problem(buffer, "an offset lies beyond the end of the file", position);
        return false;
    }
    uint64_t offset = number_at(buffer, position, OFFSET_SIZE);
    if (offset == 0 || offset > buffer->content.size - position) {
        set_problem(buffer, "an offset leads outside the file", position);
        return false;
    }
    *target = position + (size_t)offset;
    return true;
}

/* A table starts with the signed distance back to its vtable; the vtable holds its own size, the table's size, and then
 * for each field its place in the table (0: absent). */
static bool table_at(struct flatbuffer *buffer, size_t position, struct flat_table *table)
{
    if (!has_bytes(buffer, position, OFFSET_SIZE)) {
        set_problem(buffer, "a table lies beyond the end of the file", position);
        return false;
    }
    int64_t vtable = (int64_t)position - to_signed((uint32_t)number_at(buffer, position, OFFSET_SIZE));
    if (vtable < 0 || !has_bytes(buffer, (size_t)vtable, VTABLE_HEADER_SIZE)) {
        set_problem(buffer, "a table's list of fields lies outside the file", position);
        return false;
    }
    uint64_t vtable_size = number_at(buffer, (size_t)vtable, 2);
    uint64_t table_size = number_at(buffer, (size_t)vtable + 2, 2);
    if (vtable_size < VTABLE_HEADER_SIZE || !has_bytes(buffer, (size_t)vtable, vtable_size)) {
        set_problem(buffer, "a table's list of fields does not end within the file", position);
        return false;
    }
    if (table_size < OFFSET_SIZE || !has_bytes(buffer, position, table_size)) {
        set_problem(buffer, "a table does not end within the file", position);
        return false;
    }
    *table = (struct flat_table){
        .position = position,
        .size = (size_t)table_size,
        .fields = (size_t)vtable + VTABLE_HEADER_SIZE,
        .field_count = (size_t)(vtable_size - VTABLE_HEADER_SIZE) / FIELD_OFFSET_SIZE,
    };
    return true;
}

bool flatbuffer_root(struct flatbuffer *buffer, const char *identifier, struct flat_table *root)
{
    if (!has_bytes(buffer, IDENTIFIER_POSITION, IDENTIFIER_SIZE) ||
        memcmp(buffer->content.data + IDENTIFIER_POSITION, identifier, IDENTIFIER_SIZE) != 0) {
        return false;
    }
    *root = (struct flat_table){0};
    size_t position;
    if (follow(buffer, 0, &position) && !table_at(buffer, position, root)) {
        *root = (struct flat_table){0};
    }
    return true;
}

/* Where a field of `size` bytes stands. False if it is absent, or broken, which is then known as a problem. */
static bool find_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, size_t size, size_t *position)
{
    if (field >= table->field_count) {
        return false;
    }
    uint64_t offset = number_at(buffer, table->fields + (size_t)field * FIELD_OFFSET_SIZE, FIELD_OFFSET_SIZE);
    if (offset == 0) {
        return false;
    }
    if (offset < OFFSET_SIZE || offset > table->size || size > table->size - offset) {
        set_problem(buffer, "a field lies outside its table", table->position);
        return false;
    }
    *position = table->position + (size_t)offset;
    return true;
}

static uint64_t scalar_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, size_t size,
                             uint64_t absent)
{
    size_t position;
    return find_field(buffer, table, field, size, &position) ? number_at(buffer, position, size) : absent;
}

uint8_t flat_u8(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, uint8_t absent)
{
    return (uint8_t)scalar_field(buffer, table, field, sizeof(uint8_t), absent);
}

uint32_t flat_u32(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, uint32_t absent)
{
    return (uint32_t)scalar_field(buffer, table, field, sizeof(uint32_t), absent);
}

int32_t flat_i32(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, int32_t absent)
{
    return to_signed(flat_u32(buffer, table, field, (uint32_t)absent));
}

uint64_t flat_u64(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, uint64_t absent)
{
    return scalar_field(buffer, table, field, sizeof(uint64_t), absent);
}

bool flat_table_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field, struct flat_table *value)
{
    size_t position, target;
    return find_field(buffer, table, field, OFFSET_SIZE, &position) && follow(buffer, position, &target) &&
           table_at(buffer, target, value);
}

bool flat_has_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field)
{
    size_t position;
    return find_field(buffer, table, field, 1, &position);
}

/* A vector is its count and then its elements. */
static struct flat_vector find_vector(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field,
                                      size_t element_size)
{
    struct flat_vector none = {0};
    size_t position, target;
    if (!find_field(buffer, table, field, OFFSET_SIZE, &position) || !follow(buffer, position, &target)) {
        return none;
    }
    if (!has_bytes(buffer, target, OFFSET_SIZE)) {
        set_problem(buffer, "a list lies beyond the end of the file", target);
        return none;
    }
    uint64_t count = number_at(buffer, target, OFFSET_SIZE);
    if (!has_bytes(buffer, target + OFFSET_SIZE, count * element_size)) {
        set_problem(buffer, "a list does not end within the file", target);
        return none;
    }
    return (struct flat_vector){.position = target + OFFSET_SIZE, .count = (uint32_t)count, .present = true};
}

struct flat_vector flat_vector_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field)
{
    struct flat_vector vector = find_vector(buffer, table, field, OFFSET_SIZE);
    if (!flatbuffer_charge(buffer, (uint64_t)vector.count * OFFSET_SIZE, vector.position)) {
        return (struct flat_vector){0};
    }
    return vector;
}

int32_t flat_vector_i32(const struct flatbuffer *buffer, const struct flat_vector *vector, uint32_t index)
{
    return to_signed((uint32_t)number_at(buffer, vector->position + (size_t)index * OFFSET_SIZE, OFFSET_SIZE));
}

bool flat_vector_table(struct flatbuffer *buffer, const struct flat_vector *vector, uint32_t index, struct flat_table *value)
{
    size_t target;
    return follow(buffer, vector->position + (size_t)index * OFFSET_SIZE, &target) && table_at(buffer, target, value);
}

struct flat_vector flat_bytes_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field)
{
    return find_vector(buffer, table, field, 1);
}

struct bytes flat_string_field(struct flatbuffer *buffer, const struct flat_table *table, uint32_t field)
{
    struct flat_vector vector = find_vector(buffer, table, field, 1);
    if (!vector.present || !flatbuffer_charge(buffer, vector.count, vector.position)) {
        return (struct bytes){(const uint8_t *)"", 0};
    }
    return (struct bytes){buffer->content.data + vector.position, vector.count};
}
