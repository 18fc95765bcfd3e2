/* A comparison for machines (schema helia-placement/compare/1). */
#include "base/json_write.h"
#include "report/compare.h"

static struct json *report_json(const struct compared *report)
{
    const struct {
        const char *key, *value;
    } facts[] = {
        {"plan_hash", report->plan_hash},
        {"soc", report->soc},
        {"profile", report->profile},
        {"engine", report->engine},
        {"planner", report->planner},
        {"planner_options", report->planner_options},
        {"elf", report->elf},
        {"view", report->view},
    };
    struct json *object = json_new_object();
    json_set(object, "file", json_text(report->path));
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        json_set(object, facts[i].key, facts[i].value[0] != '\0' ? json_text(facts[i].value) : json_nothing());
    }
    return object;
}

static struct json *unequal_json(const struct comparison *comparison)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < comparison->unequal.count; i++) {
        const struct unequal *unequal = &comparison->unequal.items[i];
        struct json *object = json_new_object();
        json_set(object, "what", json_text(unequal->what));
        json_set(object, "a", json_text(unequal->a));
        json_set(object, "b", json_text(unequal->b));
        json_set(object, "blocks", json_bool(unequal->blocks));
        json_add(array, object);
    }
    return array;
}

static int64_t change(uint64_t a, uint64_t b)
{
    return (int64_t)b - (int64_t)a; /* both at most INT64_MAX: the reader holds them to it */
}

static struct json *arena_side_json(const struct compared_arena *arena)
{
    if (arena == NULL) {
        return json_nothing();
    }
    struct json *object = json_new_object();
    json_set(object, "used", json_size(arena->used));
    json_set(object, "peak_live", json_size(arena->peak_live));
    json_set(object, "fragmentation", json_number(compared_fragmentation(arena)));
    return object;
}

static struct json *arenas_json(const struct comparison *comparison)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < comparison->arenas.count; i++) {
        const struct arena_pair *pair = &comparison->arenas.items[i];
        const struct compared_arena *any = pair->a != NULL ? pair->a : pair->b;
        struct json *object = json_new_object();
        json_set(object, "role", json_text(any->role));
        json_set(object, "memory", json_text(any->memory));
        json_set(object, "a", arena_side_json(pair->a));
        json_set(object, "b", arena_side_json(pair->b));
        json_set(object, "used_change",
                 json_signed(change(pair->a != NULL ? pair->a->used : 0, pair->b != NULL ? pair->b->used : 0)));
        json_add(array, object);
    }
    return array;
}

static struct json *regions_json(const struct comparison *comparison)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < comparison->regions.count; i++) {
        const struct region_pair *pair = &comparison->regions.items[i];
        struct json *object = json_new_object();
        json_set(object, "region", json_text(pair->a != NULL ? pair->a->name : pair->b->name));
        json_set(object, "used_a", pair->a != NULL ? json_size(pair->a->used) : json_nothing());
        json_set(object, "used_b", pair->b != NULL ? json_size(pair->b->used) : json_nothing());
        json_set(object, "used_change",
                 json_signed(change(pair->a != NULL ? pair->a->used : 0, pair->b != NULL ? pair->b->used : 0)));
        json_add(array, object);
    }
    return array;
}

static struct json *place_json(const struct compared_tensor *tensor)
{
    struct json *object = json_new_object();
    json_set(object, "memory", json_text(tensor->memory));
    json_set(object, "source_memory", json_text(tensor->source_memory));
    json_set(object, "offset", json_size(tensor->offset));
    return object;
}

static struct json *moved_json(const struct comparison *comparison)
{
    struct json *array = json_new_array();
    for (size_t i = 0; i < comparison->moved.count; i++) {
        struct json *object = json_new_object();
        json_set(object, "id", json_text(comparison->moved.items[i].a->id));
        json_set(object, "a", place_json(comparison->moved.items[i].a));
        json_set(object, "b", place_json(comparison->moved.items[i].b));
        json_add(array, object);
    }
    return array;
}

static struct json *totals_json(const struct compared *report)
{
    static const char *const roles[] = {"scratch", "persistent", "constant"};
    struct json *object = json_new_object();
    for (size_t r = 0; r < 3; r++) {
        json_set(object, roles[r], json_size(compared_total(report, roles[r])));
    }
    return object;
}

void report_comparison_json(const struct comparison *comparison, struct text *out)
{
    struct json *root = json_new_object();
    json_set(root, "schema", json_text("helia-placement/compare/1"));
    json_set(root, "kind", json_text(report_kind_names[comparison->a->kind]));
    json_set(root, "a", report_json(comparison->a));
    json_set(root, "b", report_json(comparison->b));
    json_set(root, "comparable", json_bool(comparison->comparable));
    bool told = comparison->a->problem_hash[0] != '\0' && comparison->b->problem_hash[0] != '\0';
    json_set(root, "same_problem",
             told ? json_bool(text_equal(comparison->a->problem_hash, comparison->b->problem_hash)) : json_nothing());
    json_set(root, "same_placement", json_bool(comparison->same_placement));
    json_set(root, "unequal", unequal_json(comparison));
    json_set(root, "unlisted", json_size(comparison->unlisted));
    json_set(root, "arenas", arenas_json(comparison));
    json_set(root, "regions", regions_json(comparison));
    json_set(root, "moved", moved_json(comparison));
    json_set(root, "total_a", totals_json(comparison->a));
    json_set(root, "total_b", totals_json(comparison->b));
    json_finish(root, false, out);
}
