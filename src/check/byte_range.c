#include "check/byte_range.h"

#include "base/size.h"
#include "base/sort.h"

struct byte_range byte_range_of(uint64_t start, uint64_t size)
{
    return (struct byte_range){.start = start, .end = size > UINT64_MAX - start ? UINT64_MAX : start + size};
}

bool byte_range_overlaps(struct byte_range a, struct byte_range b)
{
    return a.start < b.end && b.start < a.end;
}

static int by_start(const void *a, const void *b, const void *context)
{
    (void)context;
    return SORT_BY(((const struct byte_range *)a)->start, ((const struct byte_range *)b)->start);
}

uint64_t byte_ranges_merge(struct byte_ranges *ranges, struct arena *scratch)
{
    sort_stable(ranges->items, ranges->count, sizeof *ranges->items, by_start, NULL, scratch);
    size_t kept = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct byte_range range = ranges->items[i];
        if (range.start == range.end) {
            continue;
        }
        if (kept != 0 && range.start <= ranges->items[kept - 1].end) {
            struct byte_range *last = &ranges->items[kept - 1];
            total += range.end > last->end ? range.end - last->end : 0;
            last->end = size_max(last->end, range.end);
        } else {
            ranges->items[kept++] = range;
            total += range.end - range.start;
        }
    }
    ranges->count = kept;
    return total;
}
