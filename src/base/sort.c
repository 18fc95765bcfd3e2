#include "base/sort.h"

#include <stddef.h>
#include <string.h>

struct sort {
    size_t item_size;
    sort_compare *compare;
    const void *context;
    unsigned char *work;
};

/* Merges two sorted halves. Only the left one is set aside: the output never overtakes the right one. */
static void merge(const struct sort *sort, unsigned char *items, size_t left_size, size_t size)
{
    memcpy(sort->work, items, left_size);
    const unsigned char *left = sort->work;
    const unsigned char *left_end = sort->work + left_size;
    const unsigned char *right = items + left_size;
    const unsigned char *right_end = items + size;
    unsigned char *output = items;
    while (left != left_end && right != right_end) {
        const unsigned char **from = sort->compare(left, right, sort->context) <= 0 ? &left : &right;
        memcpy(output, *from, sort->item_size);
        *from += sort->item_size;
        output += sort->item_size;
    }
    memcpy(output, left, (size_t)(left_end - left));
}

static void sort_part(const struct sort *sort, unsigned char *items, size_t count)
{
    if (count < 2) {
        return;
    }
    size_t left_size = count / 2 * sort->item_size;
    sort_part(sort, items, count / 2);
    sort_part(sort, items + left_size, count - count / 2);
    if (sort->compare(items + left_size - sort->item_size, items + left_size, sort->context) > 0) {
        merge(sort, items, left_size, count * sort->item_size);
    }
}

void sort_stable(void *items, size_t count, size_t item_size, sort_compare *compare, const void *context, struct arena *scratch)
{
    if (count < 2) {
        return;
    }
    struct arena_mark mark = arena_mark(scratch);
    struct sort sort = {
        .item_size = item_size,
        .compare = compare,
        .context = context,
        .work = arena_alloc(scratch, count, item_size, _Alignof(max_align_t)),
    };
    sort_part(&sort, items, count);
    arena_rewind(scratch, mark);
}
