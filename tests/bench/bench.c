/* Times of the planners and how near their layouts come to the lower bound, beside figures published or measured elsewhere.
 * Measures the models and lifetime tables of HELIA_PLACEMENT_CORPUS, and instances that are made here. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_file(struct bench *bench, const char *path)
{
    struct text json = text_start(&bench->arena);
    bench_write_json(bench, &json);
    FILE *file = fopen(path, "w");
    bool ok = file != NULL && fwrite(json.data, 1, json.size, file) == json.size;
    ok = file != NULL && fclose(file) == 0 && ok;
    if (!ok) {
        fprintf(stderr, "cannot write '%s'\n", path);
    }
    return ok;
}

int main(int count, char **arguments)
{
    bool has_file = count == 3 && strcmp(arguments[1], "--json") == 0;
    if (count != 1 && !has_file) {
        fprintf(stderr, "usage: planner_bench [--json FILE]\n");
        return 2;
    }
    const char *corpus = getenv("HELIA_PLACEMENT_CORPUS");
    struct bench bench = {.corpus = corpus != NULL ? corpus : "../shared/data"};
    bench_models(&bench);
    bench_tables(&bench);
    bench_made(&bench);
    bench_print(&bench);
    bool ok = !has_file || write_file(&bench, arguments[2]);
    arena_free(&bench.arena);
    return ok ? 0 : 1;
}
