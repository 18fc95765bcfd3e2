/* In a file of its own: a script may collect code and data by one name, and a compiler does not put both into one section. */
#include "kws_arenas.h"

extern const int mram_started[2];
int in_itcm(int x);
KWS_PUT_IN_ITCM_CODE_OR_DEFAULT int in_itcm(int x)
{
    return x + mram_started[x & 1];
}
