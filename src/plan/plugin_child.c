#include "plan/plugin_child.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helia_placement/planner.h"
#include "placement/placement.h"

_Static_assert(HELIA_PLANNER_OPTIONS_MAXIMUM == PLANNER_OPTIONS_MAXIMUM, "both sides have room for the same options");
_Static_assert(HELIA_PLANNER_ANY_MEMORY == MEMORY_ANY, "pins are handed over as they are");
_Static_assert(sizeof(struct helia_planner_item) == 32 && sizeof(struct helia_planner_memory) == 16 &&
                   sizeof(struct helia_planner_slot) == 16,
               "the elements of the interface's arrays have the sizes that it documents");

PRINTF_LIKE(2, 3) static bool fault(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, PLUGIN_FAULT_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- loading ---- */

/* The loader's text opens with the path, which the message around it names already. */
static const char *loader_fault(const char *path)
{
    const char *text = dlerror();
    if (text == NULL) {
        return "the loader does not say why";
    }
    size_t length = strlen(path);
    return strncmp(text, path, length) == 0 && strncmp(text + length, ": ", 2) == 0 ? text + length + 2 : text;
}

typedef const struct helia_planner *entry_function(uint32_t abi_version);

/* The exported function. The library stays loaded until the process ends. */
static entry_function *find_entry(const char *path, char *fault_text)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fault(fault_text, "cannot be loaded: %s", loader_fault(path));
        return NULL;
    }
    void *address = dlsym(library, "helia_placement_planner");
    if (address == NULL) {
        fault(fault_text, "does not export helia_placement_planner()");
        return NULL;
    }
    /* ISO C has no conversion from a pointer to an object; POSIX promises that the bytes are those of a function's. */
    entry_function *entry;
    memcpy(&entry, &address, sizeof entry);
    return entry;
}

static const struct helia_planner *find_planner(const char *path, char *fault_text)
{
    entry_function *entry = find_entry(path, fault_text);
    if (entry == NULL) {
        return NULL;
    }
    const struct helia_planner *planner = entry(HELIA_PLANNER_ABI_VERSION);
    if (planner == NULL) {
        fault(fault_text, "has no planner for version %u of the interface", HELIA_PLANNER_ABI_VERSION);
        return NULL;
    }
    if (planner->abi_version != HELIA_PLANNER_ABI_VERSION) {
        fault(fault_text, "is built for version %" PRIu32 " of the interface; this tool has version %u", planner->abi_version,
              HELIA_PLANNER_ABI_VERSION);
        return NULL;
    }
    if (planner->struct_size < sizeof *planner) {
        fault(fault_text, "has a descriptor of %" PRIu32 " bytes; version %u of the interface has %zu", planner->struct_size,
              HELIA_PLANNER_ABI_VERSION, sizeof *planner);
        return NULL;
    }
    return planner;
}

/* ---- the descriptor ---- */

static bool copy_text(const char *text, const char *what, char *copy, size_t room, char *fault_text)
{
    if (text == NULL) {
        return fault(fault_text, "has no %s", what);
    }
    size_t length = 0;
    while (length < room && text[length] != '\0') {
        length++;
    }
    if (length == room) {
        return fault(fault_text, "its %s is longer than %zu bytes", what, room - 1);
    }
    memcpy(copy, text, length + 1);
    return true;
}

static bool copy_options(const struct helia_planner *planner, struct plugin_description *description)
{
    if (planner->option_count > HELIA_PLANNER_OPTIONS_MAXIMUM) {
        return fault(description->fault, "has %" PRIu32 " options; %d are allowed", planner->option_count,
                     HELIA_PLANNER_OPTIONS_MAXIMUM);
    }
    if (planner->option_count > 0 && planner->options == NULL) {
        return fault(description->fault, "has a count of options, but no options");
    }
    for (uint32_t i = 0; i < planner->option_count; i++) {
        const struct helia_planner_option *option = &planner->options[i];
        struct plugin_option_answer *copy = &description->options[i];
        if (!copy_text(option->key, "option key", copy->key, sizeof copy->key, description->fault) ||
            !copy_text(option->help, "option help", copy->help, sizeof copy->help, description->fault)) {
            return false;
        }
        copy->kind = option->kind;
        copy->nullable = option->nullable;
        copy->minimum = option->minimum;
        copy->maximum = option->maximum;
        copy->default_value = option->default_value;
    }
    return true;
}

void plugin_describe(const void *question, void *answer)
{
    struct plugin_description *description = answer;
    const struct helia_planner *planner = find_planner(question, description->fault);
    if (planner == NULL) {
        return;
    }
    if (!copy_text(planner->name, "name", description->name, sizeof description->name, description->fault) ||
        !copy_text(planner->summary, "summary", description->summary, sizeof description->summary, description->fault) ||
        !copy_options(planner, description)) {
        return;
    }
    if (planner->solve == NULL) {
        fault(description->fault, "has no function solve()");
        return;
    }
    description->experimental = planner->experimental;
    description->option_count = planner->option_count;
}

/* ---- solving ---- */

/* More than a planner can need: a wish above is a slip, and answered as one, whatever the system would promise. */
#define ALLOCATION_LIMIT (UINT64_C(1) << 36)

/* The process's end gives it back. */
static void *host_allocate(const struct helia_planner_host *host, uint64_t size)
{
    (void)host;
    return size <= ALLOCATION_LIMIT && size <= SIZE_MAX ? calloc(1, size > 0 ? (size_t)size : 1) : NULL;
}

struct handed_over {
    struct helia_planner_problem problem;
    struct helia_planner_item *items;
    struct helia_planner_memory *memories;
    struct helia_planner_slot *slots;
};

static void *make_array(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

static void copy_problem(const struct scratch_problem *problem, struct handed_over *over)
{
    for (size_t i = 0; i < problem->item_count; i++) {
        const struct scratch_item *item = &problem->items[i];
        over->items[i] = (struct helia_planner_item){
            .size = item->size,
            .alignment = item->alignment > 1 ? item->alignment : 1,
            .start = item->start,
            .end = item->end,
            .memory = item->memory,
        };
        over->slots[i].memory = HELIA_PLANNER_NO_SLOT;
    }
    for (size_t m = 0; m < problem->memory_count; m++) {
        uint64_t floor = problem->memories[m].alignment_floor;
        over->memories[m] = (struct helia_planner_memory){problem->memories[m].limit, floor > 1 ? floor : 1};
    }
}

static bool hand_over(const struct plugin_task *task, struct handed_over *over)
{
    const struct scratch_problem *problem = task->problem;
    *over = (struct handed_over){
        .items = make_array(problem->item_count, sizeof *over->items),
        .memories = make_array(problem->memory_count, sizeof *over->memories),
        .slots = make_array(problem->item_count, sizeof *over->slots),
    };
    if (over->items == NULL || over->memories == NULL || over->slots == NULL) {
        return false;
    }
    copy_problem(problem, over);
    over->problem = (struct helia_planner_problem){
        .struct_size = sizeof over->problem,
        .step_count = problem->step_count,
        .item_count = (uint32_t)problem->item_count,
        .memory_count = (uint32_t)problem->memory_count,
        .order_count = (uint32_t)problem->order_count,
        .items = over->items,
        .memories = over->memories,
        .order = problem->order,
        .lower_bound = task->lower_bound,
    };
    return true;
}

static void explain_failure(int32_t code, struct helia_planner_result *result, char *fault_text)
{
    result->message[HELIA_PLANNER_MESSAGE_SIZE - 1] = '\0';
    if (result->message[0] != '\0') {
        fault(fault_text, "gave up: %s", result->message);
    } else if (code == HELIA_PLANNER_OUT_OF_MEMORY) {
        fault(fault_text, "gave up: out of memory");
    } else {
        fault(fault_text, "gave up with code %" PRId32 " and does not say why", code);
    }
}

static void solve(const struct helia_planner *planner, const struct plugin_task *task, const struct handed_over *over,
                  struct plugin_layout *layout)
{
    const struct helia_planner_host host = {
        .struct_size = sizeof host, .abi_version = HELIA_PLANNER_ABI_VERSION, .allocate = host_allocate};
    struct helia_planner_result result = {.struct_size = sizeof result, .slots = over->slots};
    int32_t code = planner->solve(&host, &over->problem, task->options->values, &result);
    if (code != HELIA_PLANNER_DONE) {
        explain_failure(code, &result, layout->fault);
        return;
    }
    layout->attempts = result.attempts;
    layout->improvements = result.improvements;
    /* The array that was handed over counts, wherever the result points to by now. */
    for (size_t i = 0; i < task->problem->item_count; i++) {
        layout->slots[i] = (struct slot){.memory = over->slots[i].memory, .offset = over->slots[i].offset};
    }
}

void plugin_lay_out(const void *question, void *answer)
{
    const struct plugin_task *task = question;
    struct plugin_layout *layout = answer;
    struct handed_over over;
    const struct helia_planner *planner = find_planner(task->path, layout->fault);
    if (planner == NULL) {
        return;
    }
    if (planner->name == NULL || strcmp(planner->name, task->name) != 0 || planner->option_count != task->option_count ||
        planner->solve == NULL) {
        fault(layout->fault, "is no longer the planner that it was when it was loaded");
    } else if (!hand_over(task, &over)) {
        fault(layout->fault, "cannot be given its problem: out of memory");
    } else {
        solve(planner, task, &over, layout);
    }
}
