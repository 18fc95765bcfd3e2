/* Real models: what another reader found in each (NAME.facts.json beside it) is what we find. Skips without the corpus. */
#include "model_run.h"

#include "base/file.h"
#include "base/size.h"
#include "doc/doc.h"
#include "model/alias.h"

#define SKIPPED 77

static uint64_t number_at(const struct node *node, const char *key)
{
    const struct node *value = node_get(node, key);
    assert_non_null(value);
    return strtoull(value->text, NULL, 10);
}

static bool is_unknown_size(const struct run *run)
{
    size_t unknown = count_findings(run, "model-unknown-size");
    return unknown > 0 && unknown == run->diagnostics.list.count;
}

/* The facts list what is neither constant nor variable and has a size; names are cut at 60 bytes there. */
static void compare_tensor(const struct model *model, const struct node *fact)
{
    uint64_t id = number_at(fact, "id");
    const struct tensor *tensor = &model->tensors[id];
    assert_int_equal(strtoull(tensor->id, NULL, 10), id);
    assert_int_equal(tensor->subgraph, 0);
    assert_int_equal(tensor->size, number_at(fact, "bytes"));
    assert_int_equal(tensor->role, ROLE_SCRATCH);
    assert_int_equal(tensor->is_dynamic, text_equal(node_get(fact, "dynamic")->text, "true"));
    assert_int_equal(tensor->rank, node_get(fact, "shape")->count);
    for (size_t i = 0; i < tensor->rank; i++) {
        assert_int_equal(tensor->shape[i], strtoll(node_get(fact, "shape")->items[i]->text, NULL, 10));
    }
    const char *name = node_get(fact, "name")->text;
    if (strlen(name) < 60) {
        assert_string_equal(tensor->name, name);
    }
    assert_life(tensor, number_at(fact, "first"), number_at(fact, "last"));
}

/* The live scratch tensors of the main subgraph and nothing else, as the facts leave called subgraphs out. */
static uint64_t main_peak_live(const struct model *model, struct arena *arena, size_t *count)
{
    struct model main_only = *model;
    main_only.tensors = ARENA_ARRAY(arena, struct tensor, model->tensor_count);
    main_only.tensor_count = 0;
    *count = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        if (model->tensors[i].subgraph != 0) {
            continue;
        }
        main_only.tensors[main_only.tensor_count++] = model->tensors[i];
        *count += model->tensors[i].is_live && model->tensors[i].role == ROLE_SCRATCH;
    }
    return model_peak_live(&main_only, 16, arena);
}

static uint64_t variable_bytes(const struct model *model)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < model->tensor_count; i++) {
        const struct tensor *tensor = &model->tensors[i];
        if (tensor->role == ROLE_PERSISTENT && tensor->variable == TENSOR_NONE) {
            sum += tensor->size;
        }
    }
    return sum;
}

/* ---- aliases ---- */

/* The facts count less than we find: views of the model's inputs are left out, and of the operators that can work in place their
 * reader knew these. */
static bool is_counted(const struct model *model, const struct alias *alias)
{
    static const char *const known[] = {"ADD", "SUB", "MUL", "DIV", "LOGISTIC"};
    if (alias->parent == TENSOR_NONE || model->tensors[alias->parent].subgraph != 0) {
        return false;
    }
    if (alias->kind == ALIAS_RESHAPE) {
        return !model->tensors[alias->parent].is_input;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (text_equal(known[i], model->operators[alias->operator_index].name)) {
            return true;
        }
    }
    return false;
}

/* The lower bound of the main subgraph when each slot counts once. */
static uint64_t merged_peak_live(const struct model *model, const struct alias_list *aliases, struct arena *arena)
{
    struct alias_slot *slots;
    aliases_merge_lifetimes(model, aliases, arena, &slots);
    struct model merged = *model;
    merged.tensors = ARENA_ARRAY(arena, struct tensor, model->tensor_count);
    for (uint32_t i = 0; i < model->tensor_count; i++) {
        merged.tensors[i] = model->tensors[i];
        merged.tensors[i].start_op = slots[i].start_op;
        merged.tensors[i].end_op = slots[i].end_op;
        merged.tensors[i].is_live = model->tensors[i].is_live && slots[i].root == i && model->tensors[i].subgraph == 0;
    }
    return model_peak_live(&merged, 16, arena);
}

/* Nothing is worse for what we find beyond the facts. */
static void compare_aliases(struct run *run, const struct model *model, const struct node *facts, bool in_place)
{
    struct alias_list aliases;
    model_find_aliases(model, in_place, &run->scratch, &aliases);
    const char *bound = in_place ? "lb_inplace" : "lb_alias_reshape";
    assert_true(merged_peak_live(model, &aliases, &run->scratch) <= number_at(facts, bound));
    uint64_t count = 0;
    for (size_t i = 0; i < aliases.count; i++) {
        if (is_counted(model, &aliases.items[i])) {
            count++;
        } else {
            aliases.items[i].parent = TENSOR_NONE;
        }
    }
    assert_int_equal(count, number_at(facts, in_place ? "n_inplace" : "n_alias"));
    assert_int_equal(merged_peak_live(model, &aliases, &run->scratch), number_at(facts, bound));
}

static void compare_model(struct run *run, const struct model *model, const struct node *facts)
{
    const struct node *list = node_get(facts, "tensor_list");
    for (size_t i = 0; i < list->count; i++) {
        compare_tensor(model, list->items[i]);
    }
    size_t scratch_count;
    assert_int_equal(main_peak_live(model, &run->scratch, &scratch_count), number_at(facts, "lb_align16"));
    assert_int_equal(scratch_count, list->count);
    assert_int_equal(model->step_count, number_at(facts, "ops"));
    assert_int_equal(model->subgraph_count, number_at(facts, "subgraphs"));
    assert_int_equal(variable_bytes(model), number_at(facts, "variable_bytes"));
    compare_aliases(run, model, facts, false);
    compare_aliases(run, model, facts, true);
}

/* Models with text tensors cannot be planned and say so; all others agree with their facts. */
static bool check_model(const char *folder, const char *facts_name, size_t *refused)
{
    struct run run;
    run_start(&run);
    const char *facts_path = path_join(&run.arena, folder, facts_name);
    char *model_path = arena_copy_text(&run.arena, facts_path);
    model_path[strlen(model_path) - strlen(".facts.json")] = '\0';
    const struct node *facts;
    assert_true(doc_read(&run.arena, &run.diagnostics, facts_path, SPAN_NONE, &facts));
    const struct model *model = NULL;
    bool ok = model_read(&run.arena, &run.diagnostics, model_path, SPAN_NONE, &model);
    print_message("%s\n", model_path);
    if (!ok) {
        assert_true(is_unknown_size(&run));
    } else if (run.diagnostics.list.count > 0) {
        print_findings(&run);
    }
    *refused += !ok;
    if (ok) {
        compare_model(&run, model, facts);
    }
    run_end(&run);
    return ok;
}

int main(void)
{
    const char *corpus = getenv("HELIA_PLACEMENT_CORPUS");
    struct arena arena = {0};
    const char *folder = arena_format(&arena, "%s/models", corpus != NULL ? corpus : "");
    struct file_names names;
    struct file_error error;
    if (corpus == NULL || !file_list(&arena, folder, ".facts.json", &names, &error)) {
        puts("skipped: HELIA_PLACEMENT_CORPUS names no corpus of models");
        arena_free(&arena);
        return SKIPPED;
    }
    size_t read = 0;
    size_t refused = 0;
    for (size_t i = 0; i < names.count; i++) {
        read += check_model(folder, names.items[i], &refused);
    }
    printf("%zu models agree, %zu are refused for their text tensors\n", read, refused);
    bool ok = read > 0 && refused == 4;
    arena_free(&arena);
    return ok ? 0 : 1;
}
