/* auto_hydrate_constants: false leaves it to the application when constants are copied: here, right before the run. */
#include "kws_arenas.h"

int harness_main(void);

int main(void)
{
    kws_hydrate_constants();
    return harness_main();
}
