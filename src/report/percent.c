#include "report/percent.h"

#include "base/size.h"

unsigned percent_of(uint64_t used, uint64_t capacity)
{
    if (capacity == 0) {
        return used == 0 ? 0 : 100;
    }
    while (used > SIZE_LIMIT) { /* beyond any capacity; only the ratio counts */
        used /= 2;
        capacity = size_max(capacity / 2, 1);
    }
    const uint64_t percent = (used * 200 + capacity) / (capacity * 2);
    return percent > 999999 ? 999999 : (unsigned)percent;
}
