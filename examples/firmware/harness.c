/* Runs a plan on the chip as an engine would, without computing anything: operator by operator, every output is filled with a
 * pattern of its own (a reshape hands on that of its input), and every input must still hold what its producer wrote. Two tensors
 * that overlap while both are alive, a constant that was not copied, state that was lost: each shows as the first wrong byte. */
#include "harness.h"

#include <stddef.h>
#include <stdint.h>

#include "semihosting.h"

static void write_number(uint32_t number)
{
    char digits[11];
    size_t position = sizeof digits - 1;
    digits[position] = '\0';
    do {
        digits[--position] = (char)('0' + number % 10u);
        number /= 10u;
    } while (number != 0);
    semihosting_write(&digits[position]);
}

static void write_tensor(const struct harness_tensor *tensor)
{
    semihosting_write("tensor ");
    semihosting_write(tensor->id);
    semihosting_write(" '");
    semihosting_write(tensor->name);
    semihosting_write("'");
}

/* What a tensor holds: every byte depends on tensor, run and position, so that two patterns do not agree by a shift. */
static unsigned char pattern(uint32_t tensor, uint32_t run, uint32_t position)
{
    uint32_t mixed = (tensor + 1u) * 2654435761u ^ run * 40503u ^ position * 2246822519u;
    mixed ^= mixed >> 15;
    mixed *= 3266489917u;
    return (unsigned char)(mixed >> 24);
}

static uint32_t crc32(const unsigned char *bytes, uint32_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}

struct run {
    uint32_t number;      /* 0 or 1 */
    uint32_t checked;     /* bytes */
    uint32_t operator_at; /* index into harness_operators */
};

static int fail(const struct run *run, uint32_t tensor, const char *what, uint32_t position)
{
    semihosting_write("FAIL: operator ");
    write_number(run->operator_at);
    semihosting_write(" (");
    semihosting_write(run->operator_at < harness_operator_count ? harness_operators[run->operator_at].name : "end of the run");
    semihosting_write("): ");
    write_tensor(&harness_tensors[tensor]);
    semihosting_write(what);
    semihosting_write(" (byte ");
    write_number(position);
    semihosting_write(" of ");
    write_number(harness_tensors[tensor].size);
    semihosting_write(")\n");
    return 0;
}

static int check_constant(struct run *run, uint32_t index)
{
    const struct harness_tensor *tensor = &harness_tensors[index];
    const unsigned char *bytes = tensor->base + tensor->offset;
    if (tensor->source != NULL) {
        for (uint32_t i = 0; i < tensor->size; i++) {
            if (bytes[i] != tensor->source[tensor->offset + i]) {
                return fail(run, index, " differs from the blob that it is copied from", i);
            }
        }
    }
    if (tensor->has_crc && crc32(bytes, tensor->size) != tensor->crc) {
        return fail(run, index, " does not hold the bytes of the model file", 0);
    }
    run->checked += tensor->size;
    return 1;
}

/* The entry of harness_contents that tells what a tensor holds. */
static uint32_t *contents_of(uint32_t index)
{
    const struct harness_tensor *tensor = &harness_tensors[index];
    return &harness_contents[tensor->role == HARNESS_PERSISTENT ? tensor->slot : index];
}

static void fill(const struct run *run, uint32_t index)
{
    const struct harness_tensor *tensor = &harness_tensors[index];
    for (uint32_t i = 0; i < tensor->size; i++) {
        tensor->writable[tensor->offset + i] = pattern(index, run->number, i);
    }
    *contents_of(index) = index + 1u;
}

/* The output of a reshape is its input; in one slot there is nothing to do. */
static void copy(uint32_t from, uint32_t to)
{
    const unsigned char *source = harness_tensors[from].base + harness_tensors[from].offset;
    unsigned char *target = harness_tensors[to].writable + harness_tensors[to].offset;
    for (uint32_t i = 0; i < harness_tensors[to].size && source != target; i++) {
        target[i] = source[i];
    }
    *contents_of(to) = *contents_of(from);
}

/* Scratch and persistent tensors: the pattern that was written there, which is another tensor's after a reshape. State that
 * nobody wrote yet is zero, and in the second run it is what the first run left. */
static int check_written(struct run *run, uint32_t index, uint32_t written_in_run)
{
    const struct harness_tensor *tensor = &harness_tensors[index];
    uint32_t writer = *contents_of(index);
    uint32_t size = tensor->size;
    if (writer != 0 && harness_tensors[writer - 1u].size < size) {
        size = harness_tensors[writer - 1u].size;
    }
    for (uint32_t i = 0; i < size; i++) {
        unsigned char expected = writer == 0 ? 0 : pattern(writer - 1u, written_in_run, i);
        if (tensor->base[tensor->offset + i] != expected) {
            return fail(run, index, writer == 0 ? " is not zero at the start" : " was overwritten while it was alive", i);
        }
    }
    run->checked += size;
    return 1;
}

static int writes_slot(const struct harness_operator *operator_now, uint32_t slot)
{
    for (uint32_t i = 0; i < operator_now->output_count; i++) {
        const struct harness_tensor *output = &harness_tensors[harness_links[operator_now->first_output + i]];
        if (output->role != HARNESS_CONSTANT && output->slot == slot) {
            return 1;
        }
    }
    return 0;
}

/* `after_outputs`: once more when the outputs are written, since both are alive during the operator. Inputs that the operator is
 * known to overwrite in place are done by then; where they are wanted later, they are missed there. */
static int check_inputs(struct run *run, const struct harness_operator *operator_now, int after_outputs)
{
    for (uint32_t i = 0; i < operator_now->input_count; i++) {
        uint32_t index = harness_links[operator_now->first_input + i];
        const struct harness_tensor *tensor = &harness_tensors[index];
        if (tensor->role == HARNESS_CONSTANT) {
            if (!check_constant(run, index)) {
                return 0;
            }
            continue;
        }
        if (after_outputs && operator_now->kind == HARNESS_ELEMENTWISE && writes_slot(operator_now, tensor->slot)) {
            continue;
        }
        uint32_t written_in_run = tensor->role == HARNESS_PERSISTENT && run->number > 0 ? run->number - 1u : run->number;
        if (!check_written(run, index, written_in_run)) {
            return 0;
        }
    }
    return 1;
}

/* Tensors that no operator writes (the model's inputs) appear when the first operator needs them. */
static void fill_unproduced(const struct run *run)
{
    for (uint32_t i = 0; i < harness_tensor_count; i++) {
        const struct harness_tensor *tensor = &harness_tensors[i];
        if (tensor->role == HARNESS_SCRATCH && !tensor->has_producer && tensor->start_operator == run->operator_at) {
            fill(run, i);
        }
    }
}

/* A reshape whose input is no scratch tensor is taken as any other operator: what it copies has no pattern. */
static void write_output(const struct run *run, const struct harness_operator *operator_now, uint32_t output)
{
    uint32_t input = operator_now->input_count > 0 ? harness_links[operator_now->first_input] : output;
    const struct harness_tensor *tensor = &harness_tensors[input];
    if (operator_now->kind == HARNESS_COPIES && tensor->role == HARNESS_SCRATCH && tensor->size == harness_tensors[output].size) {
        copy(input, output);
    } else {
        fill(run, output);
    }
}

static int run_operator(struct run *run)
{
    const struct harness_operator *operator_now = &harness_operators[run->operator_at];
    fill_unproduced(run);
    if (!check_inputs(run, operator_now, 0)) {
        return 0;
    }
    for (uint32_t i = 0; i < operator_now->output_count; i++) {
        uint32_t index = harness_links[operator_now->first_output + i];
        if (harness_tensors[index].role == HARNESS_SCRATCH) {
            write_output(run, operator_now, index);
        }
    }
    return check_inputs(run, operator_now, 1);
}

/* Outputs and constants must have survived the whole run. State is updated after everything that reads it, for the next run to
 * find. */
static int end_run(struct run *run)
{
    for (uint32_t i = 0; i < harness_tensor_count; i++) {
        const struct harness_tensor *tensor = &harness_tensors[i];
        if (tensor->role == HARNESS_CONSTANT && !check_constant(run, i)) {
            return 0;
        }
        if (tensor->role == HARNESS_SCRATCH && tensor->is_output && !check_written(run, i, run->number)) {
            return 0;
        }
        if (tensor->role != HARNESS_PERSISTENT || tensor->slot != i) {
            continue;
        }
        if (!check_written(run, i, run->number - 1u)) {
            return 0;
        }
        fill(run, i);
    }
    return 1;
}

static int start_run(struct run *run)
{
    for (uint32_t i = 0; i < harness_tensor_count; i++) {
        const struct harness_tensor *tensor = &harness_tensors[i];
        if (tensor->role == HARNESS_PERSISTENT && tensor->slot == i && !check_written(run, i, run->number - 1u)) {
            return 0;
        }
        if (tensor->role == HARNESS_CONSTANT && !check_constant(run, i)) {
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    uint32_t checked = 0;
    for (uint32_t number = 0; number < 2; number++) {
        struct run run = {.number = number, .checked = checked, .operator_at = 0};
        if (!start_run(&run)) {
            return 1;
        }
        for (run.operator_at = 0; run.operator_at < harness_operator_count; run.operator_at++) {
            if (!run_operator(&run)) {
                return 1;
            }
        }
        if (!end_run(&run)) {
            return 1;
        }
        checked = run.checked;
    }
    semihosting_write("PASS ");
    write_number(harness_operator_count);
    semihosting_write(" operators, ");
    write_number(checked);
    semihosting_write(" bytes checked\n");
    return 0;
}
