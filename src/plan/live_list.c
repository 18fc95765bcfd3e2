#include "plan/live_list.h"

#include <string.h>

#include "base/size.h"

struct live_list live_list_new(struct arena *arena)
{
    return (struct live_list){
        .offsets = ARENA_ARRAY(arena, uint64_t, LIVE_LIST_CAPACITY),
        .tops = ARENA_ARRAY(arena, uint64_t, LIVE_LIST_CAPACITY),
    };
}

uint64_t live_list_gap(const struct live_list *list, uint64_t size, uint64_t alignment)
{
    uint64_t top = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->offsets[i] - top >= size && list->offsets[i] >= size_align(top, alignment) + size) {
            break;
        }
        top = list->tops[i];
    }
    return size_align(top, alignment);
}

/* How many slots lie below an offset. */
static size_t rank_of(const struct live_list *list, uint64_t offset)
{
    size_t first = 0;
    for (size_t count = list->count; count > 0;) {
        size_t half = count / 2;
        bool is_below = list->offsets[first + half] < offset;
        first = is_below ? first + half + 1 : first;
        count = is_below ? count - half - 1 : half;
    }
    return first;
}

void live_list_add(struct live_list *list, uint64_t offset, uint64_t top)
{
    size_t rank = rank_of(list, offset);
    size_t above = list->count++ - rank;
    memmove(list->offsets + rank + 1, list->offsets + rank, above * sizeof *list->offsets);
    memmove(list->tops + rank + 1, list->tops + rank, above * sizeof *list->tops);
    list->offsets[rank] = offset;
    list->tops[rank] = top;
}

void live_list_remove(struct live_list *list, uint64_t offset)
{
    size_t rank = rank_of(list, offset);
    size_t above = --list->count - rank;
    memmove(list->offsets + rank, list->offsets + rank + 1, above * sizeof *list->offsets);
    memmove(list->tops + rank, list->tops + rank + 1, above * sizeof *list->tops);
}
