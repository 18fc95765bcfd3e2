#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most runs fit into a few blocks of this size; larger wishes get a block of their own size. */
#define BLOCK_SIZE ((size_t)64 * 1024)

#define FIRST_CAPACITY 8

#define OUT_OF_MEMORY_EXIT_CODE 3

struct arena_block {
    struct arena_block *older;
    size_t capacity; /* bytes in data */
    size_t used;     /* bytes handed out; the rest of data is zero */
    unsigned char data[];
};

void arena_exhausted(size_t wanted)
{
    if (wanted == 0) {
        fprintf(stderr, "helia-placement: out of memory\n");
    } else {
        fprintf(stderr, "helia-placement: out of memory (%zu bytes wanted)\n", wanted);
    }
    exit(OUT_OF_MEMORY_EXIT_CODE);
}

/* Bytes to skip so that the next item of the block is aligned. */
static size_t padding(const struct arena_block *block, size_t alignment)
{
    uintptr_t address = (uintptr_t)(block->data + block->used);
    return (size_t)(-address & (alignment - 1));
}

static size_t block_capacity(const struct arena *arena, size_t needed)
{
    size_t capacity = needed > BLOCK_SIZE ? needed : BLOCK_SIZE;
    if (arena->limit == 0) {
        return capacity;
    }
    size_t left = arena->limit > arena->reserved ? arena->limit - arena->reserved : 0;
    if (left < sizeof(struct arena_block) || left - sizeof(struct arena_block) < needed) {
        arena_exhausted(needed);
    }
    left -= sizeof(struct arena_block);
    return capacity < left ? capacity : left;
}

static void add_block(struct arena *arena, size_t size, size_t alignment)
{
    if (size > SIZE_MAX - alignment - sizeof(struct arena_block)) {
        arena_exhausted(size);
    }
    size_t capacity = block_capacity(arena, size + alignment);
    struct arena_block *block = calloc(1, sizeof *block + capacity);
    if (!block) {
        arena_exhausted(size);
    }
    block->older = arena->newest;
    block->capacity = capacity;
    arena->newest = block;
    arena->reserved += sizeof *block + capacity;
    if (arena->reserved > arena->most_reserved) {
        arena->most_reserved = arena->reserved;
    }
}

static bool fits(const struct arena_block *block, size_t size, size_t alignment)
{
    if (!block) {
        return false;
    }
    size_t left = block->capacity - block->used;
    size_t skipped = padding(block, alignment);
    return skipped <= left && size <= left - skipped;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size, size_t alignment)
{
    if (size != 0 && count > SIZE_MAX / size) {
        arena_exhausted(SIZE_MAX);
    }
    size_t wanted = count * size;
    if (!fits(arena->newest, wanted, alignment)) {
        add_block(arena, wanted, alignment);
    }
    struct arena_block *block = arena->newest;
    void *memory = block->data + block->used + padding(block, alignment);
    block->used += padding(block, alignment) + wanted;
    return memory;
}

char *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
    if (size == SIZE_MAX) {
        arena_exhausted(size);
    }
    char *copy = ARENA_ARRAY(arena, char, size + 1);
    if (size != 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

char *arena_copy_text(struct arena *arena, const char *text)
{
    return arena_copy(arena, text, strlen(text));
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_format_list(arena, format, arguments);
    va_end(arguments);
    return text;
}

char *arena_format_list(struct arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) { /* longer than INT_MAX */
        arena_exhausted(0);
    }
    size_t size = (size_t)length + 1;
    char *text = ARENA_ARRAY(arena, char, size);
    vsnprintf(text, size, format, arguments);
    return text;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    struct arena_block *block = arena->newest;
    return (struct arena_mark){.block = block, .used = block ? block->used : 0};
}

static void free_newest(struct arena *arena)
{
    struct arena_block *block = arena->newest;
    arena->newest = block->older;
    arena->reserved -= sizeof *block + block->capacity;
    free(block);
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    while (arena->newest != mark.block) {
        free_newest(arena);
    }
    struct arena_block *block = arena->newest;
    if (!block) {
        return;
    }
    memset(block->data + mark.used, 0, block->used - mark.used);
    block->used = mark.used;
}

void arena_free(struct arena *arena)
{
    while (arena->newest) {
        free_newest(arena);
    }
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size)
{
    if (count >= *capacity) {
        if (count > SIZE_MAX / 2) {
            arena_exhausted(SIZE_MAX);
        }
        size_t larger = count < FIRST_CAPACITY ? FIRST_CAPACITY : count * 2;
        void *moved = arena_alloc(arena, larger, item_size, _Alignof(max_align_t));
        if (count != 0) {
            memcpy(moved, items, count * item_size);
        }
        items = moved;
        *capacity = larger;
    }
    /* A list that was shortened before may hold old bytes here. */
    memset((unsigned char *)items + count * item_size, 0, item_size);
    return items;
}
