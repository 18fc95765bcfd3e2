/* Prints the arenas of a plan JSON, one a line: symbol size alignment memory role, where role is scratch, persistent, staged or
 * cold. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const char *const lists[] = {"arena_usages", "persistent_arenas", "constant_arenas"};
    json_t *plan = argc == 2 ? json_load_file(argv[1], 0, NULL) : NULL;
    if (plan == NULL) {
        fputs("usage: plan_arenas PLAN.json\n", stderr);
        return 1;
    }
    for (size_t i = 0; i < 3; i++) {
        const char *memory;
        json_t *arena;
        json_object_foreach(json_object_get(plan, lists[i]), memory, arena)
        {
            const char *role = json_string_value(json_object_get(arena, "role"));
            if (strcmp(role, "constant") == 0) {
                role = json_is_true(json_object_get(arena, "is_staged")) ? "staged" : "cold";
            }
            printf("%s %" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT " %s %s\n",
                   json_string_value(json_object_get(arena, "symbol")), json_integer_value(json_object_get(arena, "total_size")),
                   json_integer_value(json_object_get(arena, "alignment")), memory, role);
        }
    }
    json_decref(plan);
    return 0;
}
