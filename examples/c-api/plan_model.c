/* Plans a model from a C program and prints where one tensor lives: plan_model SOC MODEL TENSOR. */
#include <inttypes.h>
#include <stdio.h>

#include <helia_placement.h>

int main(int argc, char **argv)
{
    static const char *const roles[] = {"scratch", "persistent", "constant"};
    if (argc != 4) {
        fputs("usage: plan_model SOC MODEL TENSOR\n", stderr);
        return HELIA_BAD_INPUT;
    }
    const struct helia_plan_options options = {.soc = argv[1], .model = argv[2]};
    struct helia_plan *plan;
    enum helia_status status = helia_plan_make(&options, &plan);
    const struct helia_tensor_allocation *tensor = NULL;
    if (status == HELIA_DONE) {
        tensor = helia_plan_get_allocation(plan, argv[3]);
        status = tensor != NULL ? HELIA_DONE : HELIA_BAD_INPUT;
    }
    if (tensor != NULL) {
        const struct helia_tensor_binding *binding = tensor->binding;
        printf("%s: %" PRIu64 " bytes at offset %" PRIu64 " of the %s arena in %s\n", tensor->tensor_id, tensor->size,
               binding->offset, roles[binding->role], binding->memory);
    }
    fputs(helia_plan_messages(plan), stderr);
    helia_plan_free(plan);
    return (int)status;
}
