/* Which subgraph runs during which operators of the main subgraph, and the lifetimes that follow.
 *
 * A called subgraph runs from the first to the last main operator that leads to it, and all its tensors live as long:
 * time counts main operators only, so nothing finer can be said. */
#include <inttypes.h>

#include "model/tflite.h"

/* Subgraph of the operator that makes a call. */
static uint32_t caller_of(const struct tflite *tflite, const struct tflite_call *call)
{
    return tflite->operators[call->operator_index].subgraph;
}

/* Marks what the main subgraph reaches. `waiting` has room for every subgraph and holds each at most once. */
static void mark_running(struct tflite *tflite, uint32_t *waiting)
{
    size_t count = 0;
    tflite->subgraphs[0].runs = true;
    waiting[count++] = 0;
    while (count > 0) {
        const struct tflite_subgraph *subgraph = &tflite->subgraphs[waiting[--count]];
        for (size_t i = 0; i < subgraph->call_count; i++) {
            uint32_t callee = tflite->calls.items[subgraph->first_call + i].subgraph;
            if (tflite->subgraphs[callee].runs) {
                continue;
            }
            tflite->subgraphs[callee].runs = true;
            waiting[count++] = callee;
        }
    }
}

/* Calls from subgraphs that run to each subgraph. */
static uint32_t *count_callers(const struct tflite *tflite)
{
    uint32_t *callers = ARENA_ARRAY(tflite->arena, uint32_t, tflite->subgraph_count);
    for (size_t i = 0; i < tflite->calls.count; i++) {
        const struct tflite_call *call = &tflite->calls.items[i];
        if (tflite->subgraphs[caller_of(tflite, call)].runs) {
            callers[call->subgraph]++;
        }
    }
    return callers;
}

static void widen(struct tflite_subgraph *subgraph, bool is_first, uint32_t first, uint32_t last)
{
    if (is_first || first < subgraph->first_step) {
        subgraph->first_step = first;
    }
    if (is_first || last > subgraph->last_step) {
        subgraph->last_step = last;
    }
}

/* Hands the time of a call on to the subgraph that is called. */
static void pass_time(struct tflite *tflite, const struct tflite_call *call, bool is_first)
{
    const struct model_operator *op = &tflite->operators[call->operator_index];
    const struct tflite_subgraph *caller = &tflite->subgraphs[op->subgraph];
    uint32_t first = op->subgraph == 0 ? op->index : caller->first_step;
    uint32_t last = op->subgraph == 0 ? op->index : caller->last_step;
    widen(&tflite->subgraphs[call->subgraph], is_first, first, last);
}

/* Walks callers before the called (Kahn's algorithm), so that a caller's time is complete when it is handed on. Leaves in
 * `callers` what could not be walked: above zero only in and behind a circle. */
static void walk_calls(struct tflite *tflite, uint32_t *callers, bool *has_time, uint32_t *waiting)
{
    size_t count = 0;
    if (callers[0] == 0) {
        waiting[count++] = 0;
    }
    while (count > 0) {
        const struct tflite_subgraph *subgraph = &tflite->subgraphs[waiting[--count]];
        for (size_t i = 0; i < subgraph->call_count; i++) {
            const struct tflite_call *call = &tflite->calls.items[subgraph->first_call + i];
            pass_time(tflite, call, !has_time[call->subgraph]);
            has_time[call->subgraph] = true;
            if (--callers[call->subgraph] == 0) {
                waiting[count++] = call->subgraph;
            }
        }
    }
}

/* Walking back from caller to caller through what is left must enter the circle after as many steps as there are subgraphs; the
 * call that was taken last is then one of its calls. */
static void report_circle(struct tflite *tflite, const uint32_t *callers)
{
    uint32_t *calls_to = ARENA_ARRAY(tflite->arena, uint32_t, tflite->subgraph_count);
    uint32_t subgraph = UINT32_MAX;
    for (size_t i = 0; i < tflite->calls.count; i++) {
        const struct tflite_call *call = &tflite->calls.items[i];
        uint32_t caller = caller_of(tflite, call);
        if (!tflite->subgraphs[caller].runs || callers[caller] == 0 || callers[call->subgraph] == 0) {
            continue;
        }
        calls_to[call->subgraph] = (uint32_t)i;
        subgraph = call->subgraph;
    }
    for (uint32_t i = 0; i < tflite->subgraph_count; i++) {
        subgraph = caller_of(tflite, &tflite->calls.items[calls_to[subgraph]]);
    }
    const struct tflite_call *call = &tflite->calls.items[calls_to[subgraph]];
    tflite_report(tflite, DIAG_MODEL_RECURSION, tflite_operator_place(&tflite->operators[call->operator_index]),
                  "it calls subgraph %" PRIu32 ", which leads back to this operator", call->subgraph);
}

static void report_unused(struct tflite *tflite)
{
    for (uint32_t i = 0; i < tflite->subgraph_count && tflite_goes_on(tflite); i++) {
        struct tflite_place place = {.kind = PLACE_SUBGRAPH, .subgraph = i};
        if (!tflite->subgraphs[i].runs) {
            tflite_report(tflite, DIAG_MODEL_UNUSED_SUBGRAPH, place, "no operator calls it, so its tensors get no memory");
        }
    }
}

bool tflite_order_calls(struct tflite *tflite)
{
    uint32_t *waiting = ARENA_ARRAY(tflite->arena, uint32_t, tflite->subgraph_count);
    bool *has_time = ARENA_ARRAY(tflite->arena, bool, tflite->subgraph_count);
    mark_running(tflite, waiting);
    uint32_t *callers = count_callers(tflite);
    walk_calls(tflite, callers, has_time, waiting);
    for (uint32_t i = 0; i < tflite->subgraph_count; i++) {
        if (callers[i] == 0) {
            continue;
        }
        report_circle(tflite, callers);
        return false;
    }
    report_unused(tflite);
    return true;
}

/* ---- lifetimes ---- */

static void use_tensors(struct tflite *tflite, const struct operator_io *list, uint32_t first, uint32_t last)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->tensors[i] == TENSOR_NONE) {
            continue;
        }
        tensor_add_op(&tflite->tensors[list->tensors[i]], first);
        tensor_add_op(&tflite->tensors[list->tensors[i]], last);
    }
}

/* Model inputs are written before the first operator; model outputs are read after the last one. */
static void use_model_ends(struct tflite *tflite)
{
    const struct tflite_subgraph *main_subgraph = &tflite->subgraphs[0];
    uint32_t last = main_subgraph->operators.count > 0 ? main_subgraph->operators.count - 1 : 0;
    use_tensors(tflite, &main_subgraph->inputs, 0, 0);
    use_tensors(tflite, &main_subgraph->outputs, last, last);
    for (size_t i = 0; i < main_subgraph->inputs.count; i++) {
        tflite->tensors[main_subgraph->inputs.tensors[i]].is_input = true;
    }
    for (size_t i = 0; i < main_subgraph->outputs.count; i++) {
        tflite->tensors[main_subgraph->outputs.tensors[i]].is_output = true;
    }
}

static void use_called_ends(struct tflite *tflite)
{
    for (uint32_t i = 1; i < tflite->subgraph_count; i++) {
        const struct tflite_subgraph *subgraph = &tflite->subgraphs[i];
        if (!subgraph->runs) {
            continue;
        }
        use_tensors(tflite, &subgraph->inputs, subgraph->first_step, subgraph->last_step);
        use_tensors(tflite, &subgraph->outputs, subgraph->first_step, subgraph->last_step);
    }
}

void tflite_find_lifetimes(struct tflite *tflite)
{
    for (size_t i = 0; i < tflite->operator_count; i++) {
        const struct model_operator *op = &tflite->operators[i];
        const struct tflite_subgraph *subgraph = &tflite->subgraphs[op->subgraph];
        if (!subgraph->runs) {
            continue;
        }
        uint32_t first = op->subgraph == 0 ? op->index : subgraph->first_step;
        uint32_t last = op->subgraph == 0 ? op->index : subgraph->last_step;
        use_tensors(tflite, &op->inputs, first, last);
        use_tensors(tflite, &op->outputs, first, last);
    }
    use_model_ends(tflite);
    use_called_ends(tflite);
}
