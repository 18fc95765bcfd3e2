/* Planners that break one rule each, chosen by a macro: cc -shared -DLIE_OVERLAP ... Without one it is a good planner that
 * stacks. */
#include <helia_placement/planner.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef NAME
#define NAME "stacked"
#endif

/* Every item above all others of its memory, so no two share a byte. */
static void stack(const struct helia_planner_problem *problem, struct helia_planner_result *result)
{
    uint64_t top[64] = {0};
    for (uint32_t i = 0; i < problem->item_count; i++) {
        const struct helia_planner_item *item = &problem->items[i];
        const uint32_t memory = item->memory == HELIA_PLANNER_ANY_MEMORY ? problem->order[0] : item->memory;
        uint64_t alignment = problem->memories[memory].alignment;
        if (item->alignment > alignment) {
            alignment = item->alignment;
        }
        result->slots[i].memory = memory;
        result->slots[i].offset = (top[memory] + alignment - 1) / alignment * alignment;
        top[memory] = result->slots[i].offset + item->size;
    }
}

static int32_t solve(const struct helia_planner_host *host, const struct helia_planner_problem *problem, const uint64_t *options,
                     struct helia_planner_result *result)
{
    (void)host;
    (void)options;
    stack(problem, result);
    printf("a planner that prints\n");
    fflush(stdout);
    printf("and leaves it in its buffer\n");
#if defined LIE_OVERLAP
    result->slots[1].offset = result->slots[0].offset;
#elif defined LIE_ALIGNMENT
    result->slots[1].offset += 1;
#elif defined LIE_WRAP
    result->slots[1].offset = UINT64_MAX - 15;
#elif defined LIE_MEMORY
    result->slots[1].memory = 1000;
#elif defined LIE_FORBIDDEN_MEMORY
    for (uint32_t m = 0; m < problem->memory_count; m++) {
        uint32_t i = 0;
        while (i < problem->order_count && problem->order[i] != m) {
            i++;
        }
        if (i == problem->order_count) {
            result->slots[1].memory = m;
        }
    }
#elif defined LIE_UNDONE
    result->slots[1].memory = HELIA_PLANNER_NO_SLOT;
#elif defined FAILS
    strcpy(result->message, "no \033[31midea");
    return HELIA_PLANNER_FAILED;
#elif defined FAILS_SILENTLY
    return 77;
#elif defined FAILS_MEMORY
    return host->allocate(host, UINT64_MAX / 2) == NULL ? HELIA_PLANNER_OUT_OF_MEMORY : HELIA_PLANNER_DONE;
#elif defined CRASHES
    *(volatile int *)(uintptr_t)(problem->item_count & 0) = 1;
#elif defined ABORTS
    abort();
#elif defined EXITS
    exit(0);
#elif defined WAITS
    /* Until the file is there: never, if nobody makes it. */
    while (access(getenv("HELIA_TEST_GO"), F_OK) != 0) {
        usleep(1000);
    }
#elif defined HUGE_COUNTS
    result->attempts = UINT64_MAX;
    result->improvements = UINT64_MAX;
#endif
    return HELIA_PLANNER_DONE;
}

static const struct helia_planner_option some_options[] = {
#if defined BAD_RANGE
    {.key = "depth", .help = "How deep.", .minimum = 5, .maximum = 4, .default_value = 4},
#elif defined BAD_DEFAULT
    {.key = "depth", .help = "How deep.", .minimum = 1, .maximum = 4, .default_value = 5},
#elif defined BAD_KEY
    {.key = "how deep", .help = "How deep.", .minimum = 1, .maximum = 4, .default_value = 4},
#elif defined BAD_KIND
    {.key = "depth", .help = "How deep.", .kind = 9, .minimum = 1, .maximum = 4, .default_value = 4},
#elif defined TWO_KEYS
    {.key = "depth", .help = "How deep.", .minimum = 1, .maximum = 4, .default_value = 4},
    {.key = "depth", .help = "How deep again.", .minimum = 1, .maximum = 4, .default_value = 4},
#else
    {.key = "depth", .help = "How deep.", .minimum = 1, .maximum = 4, .default_value = HELIA_PLANNER_NULL, .nullable = 1},
#endif
};

static const struct helia_planner planner = {
#ifdef OTHER_ABI
    .abi_version = HELIA_PLANNER_ABI_VERSION + 1,
#else
    .abi_version = HELIA_PLANNER_ABI_VERSION,
#endif
#ifdef SHORT_DESCRIPTOR
    .struct_size = 16,
#else
    .struct_size = sizeof(struct helia_planner),
#endif
    .name = NAME,
#ifdef NO_SUMMARY
    .summary = NULL,
#else
    .summary = "Everything above everything else.",
#endif
    .experimental = 1,
#ifdef MANY_OPTIONS
    .option_count = 9,
#else
    .option_count = sizeof some_options / sizeof some_options[0],
#endif
    .options = some_options,
#ifndef NO_SOLVE
    .solve = solve,
#endif
};

#if defined FORGES_TEXTS || defined FORGES_COUNT
/* Answers in the host's stead, through whatever is open: texts without an end, or more options than can be. */
static void forge(void)
{
    static unsigned char answer[1 << 14];
#ifdef FORGES_TEXTS
    memset(answer, 'A', sizeof answer);
#else
    const uint32_t option_count = 1000000;
    strcpy((char *)answer + 512, "stacked");                                 /* behind what went wrong: the name, */
    strcpy((char *)answer + 512 + 64, "A sentence.");                        /* the summary, */
    memcpy(answer + 512 + 64 + 256 + 4, &option_count, sizeof option_count); /* and, behind `experimental`, the count */
#endif
    for (int file = 3; file < 10; file++) {
        struct stat status;
        if (fstat(file, &status) == 0 && S_ISFIFO(status.st_mode)) {
            write(file, answer, sizeof answer);
        }
    }
    _exit(0);
}
#endif

#ifndef NO_SYMBOL
const struct helia_planner *helia_placement_planner(uint32_t abi_version)
{
    (void)abi_version;
#if defined FORGES_TEXTS || defined FORGES_COUNT
    forge();
#endif
#if defined NO_PLANNER
    return NULL;
#elif defined BAD_POINTER
    return (const struct helia_planner *)(uintptr_t)8;
#else
    return &planner;
#endif
}
#else
const void *const unused[] = {&planner};
#endif

#ifdef CRASHES_ON_LOAD
__attribute__((constructor)) static void crash(void)
{
    abort();
}
#endif
