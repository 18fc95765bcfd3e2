/* Prints docs/config.md, docs/diagnostics.md or docs/checks.md from the tables that the tool itself uses: make_reference
 * config|diagnostics|checks. */
#include <stdio.h>

#include "check/check.h"
#include "diag/diag.h"
#include "placement/placement.h"
#include "schema/schema.h"

static void print_config(struct text *out)
{
    text_add(
        out,
        "# Config file\n\n"
        "<!-- Printed from the schema tables in src/placement/config.c; a test keeps it so. -->\n\n"
        "A YAML file for `-c`. The command line overrides it (`--soc` is `target.soc`, and so on); `--set a.b.c=VALUE` sets any\n"
        "key. Unknown keys, duplicate keys, wrong kinds and unknown values are errors with a position. Sizes read `65536`,\n"
        "`0x10000`, `64K`, `1M`, `1MiB`. `helia-placement` reads every file with the limits that docs/formats.md states.\n\n");
    schema_print_reference(&config_schema, 2, out);
}

static void print_diagnostics(struct text *out)
{
    text_add(out, "# Diagnostics\n\n"
                  "<!-- Printed from src/diag/diag_ids.def; a test keeps it so. -->\n\n"
                  "Every finding carries one of these names in brackets. Warnings can be silenced (`-W no-NAME`) or made errors\n"
                  "(`-W error=NAME`); `--diagnostics json` prints findings as JSON.\n\n"
                  "| name | level | meaning | what to do |\n|---|---|---|---|\n");
    for (int id = 0; id < DIAG_ID_COUNT; id++) {
        const struct diag_row *row = diag_row((enum diag_id)id);
        text_print(out, "| `%s` | %s | %s | %s |\n", row->name, diag_level_name(row->level), row->meaning, row->remedy);
    }
}

static void print_checks(struct text *out)
{
    static const char *const levels[] = {"note", "warning", "error"};
    text_add(out, "# Checks\n\n"
                  "<!-- Printed from src/check/check_rows.c; a test keeps it so. -->\n\n"
                  "What `helia-placement check` looks for in a linked image. A finding names its check in brackets; one of level "
                  "error fails\n"
                  "the gate (exit code 1). Findings are results: they are printed with the table, or in the JSON under "
                  "`findings`, and are not\n"
                  "the diagnostics that diagnostics.md lists.\n\n"
                  "| check | level | what must hold | needs a plan |\n|---|---|---|---|\n");
    for (size_t i = 0; i < check_row_count; i++) {
        const struct check_row *row = &check_rows[i];
        text_print(out, "| `%s` | %s | %s | %s |\n", row->id, levels[row->level], row->title, row->needs_plan ? "yes" : "");
    }
}

int main(int argc, char **argv)
{
    struct arena arena = {0};
    struct text out = text_start(&arena);
    if (argc == 2 && text_equal(argv[1], "config")) {
        print_config(&out);
    } else if (argc == 2 && text_equal(argv[1], "diagnostics")) {
        print_diagnostics(&out);
    } else if (argc == 2 && text_equal(argv[1], "checks")) {
        print_checks(&out);
    } else {
        fputs("usage: make_reference config|diagnostics|checks\n", stderr);
        return 2;
    }
    bool written = fwrite(out.data, 1, out.size, stdout) == out.size && fflush(stdout) == 0;
    arena_free(&arena);
    return written ? 0 : 3;
}
