/* Shares in percent, as every table and JSON of this room states them. */
#ifndef HELIA_REPORT_PERCENT_H
#define HELIA_REPORT_PERCENT_H

#include <stdint.h>

/* `used` of `capacity` (bytes) in whole percent, halves up; above 100 where a region overflows, at most 999999. Bytes in a region
 * without any are 100. Integer arithmetic, so that every host rounds alike. */
unsigned percent_of(uint64_t used, uint64_t capacity);

#endif
