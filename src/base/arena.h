/* Arena allocator: memory that is handed out piece by piece and given back all at once.
 *
 * A run owns two arenas and passes them by hand: the run arena (results, lives to the end) and the scratch arena
 * (work of one step, rewound with a mark). Memory is always zeroed. Running out, or passing the arena's limit, ends
 * the process with exit code 3 in arena_exhausted() and nowhere else, so that no caller tests for NULL. */
#ifndef HELIA_BASE_ARENA_H
#define HELIA_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct arena_block;

struct arena {
    struct arena_block *newest; /* the block that is filled now; older ones hang behind it */
    size_t reserved;            /* bytes taken from the system, all blocks */
    size_t most_reserved;       /* the most that it has been */
    size_t limit;               /* most bytes that may be taken; 0: no limit of our own */
};

/* A place to rewind to. */
struct arena_mark {
    struct arena_block *block;
    size_t used;
};

/* An arena starts as `struct arena a = {0};`, or with `limit` set. */

/* `count` zeroed items of `size` bytes each, aligned to `alignment` (a power of two, at most 4096). Never NULL;
 * `count` or `size` 0 gives a valid pointer to nothing. Overflow of count * size counts as running out. */
void *arena_alloc(struct arena *arena, size_t count, size_t size, size_t alignment);

#define ARENA_NEW(arena, type)          ((type *)arena_alloc((arena), 1, sizeof(type), _Alignof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc((arena), (count), sizeof(type), _Alignof(type)))

/* A copy of `size` bytes with a NUL behind it. */
char *arena_copy(struct arena *arena, const void *bytes, size_t size);
char *arena_copy_text(struct arena *arena, const char *text);

/* printf(3) into the arena. */
char *arena_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
char *arena_format_list(struct arena *arena, const char *format, va_list arguments);

/* Gives back everything that was taken after the mark. */
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Gives all memory back to the system; the arena is empty and usable again. */
void arena_free(struct arena *arena);

/* Room for one more item in a growing array: returns `items`, moved if `count` has reached `*capacity`. */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t item_size);

/* Appends a zeroed item to a list, that is, to any struct with the members items, count and capacity (size_t), and
 * yields its address. */
#define LIST_ADD(arena, list)                                                                                                    \
    ((list)->items = arena_grow((arena), (list)->items, (list)->count, &(list)->capacity, sizeof *(list)->items),                \
     &(list)->items[(list)->count++])

/* The one place where running out of memory ends the process (exit code 3). */
NORETURN void arena_exhausted(size_t wanted);

#endif
