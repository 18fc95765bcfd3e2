/* Which objects the generated code declares: one buffer an arena, one blob a staged arena, none a tensor (decision 5). */
#include "emitting.h"

/* A declaration of data: "extern " to ";" with no "(" of a function. Counts them and looks for a name in each. */
static size_t data_declarations(const char *text, const char *forbidden)
{
    size_t count = 0;
    for (const char *at = strstr(text, "extern "); at != NULL; at = strstr(at + 1, "extern ")) {
        size_t length = strcspn(at, ";{\n");
        if (at[length] != ';' || memchr(at, '(', length) != NULL)
            continue;
        count++;
        for (size_t i = 0; i + strlen(forbidden) <= length; i++) {
            if (memcmp(at + i, forbidden, strlen(forbidden)) == 0)
                fail_msg("an object is declared for '%s': %.*s", forbidden, (int)length, at);
        }
    }
    return count;
}

static void no_tensor_has_an_object_of_its_own(void **state)
{
    (void)state;
    struct sample *sample = sample_new();
    const char *header = sample_text(sample, emit_header);
    /* seven arenas, two blobs that staged arenas come from, the table of buffers */
    assert_int_equal(data_declarations(header, "tensor"), 7 + 2 + 1);
    static const char *const tensors[] = {"hidden", "weights", "bias", "kernel"};
    for (size_t i = 0; i < sizeof tensors / sizeof tensors[0]; i++) {
        data_declarations(header, tensors[i]);
        assert_has_not(sample_text(sample, emit_source), tensors[i]);
        assert_has_not(sample_text(sample, emit_constants_assembly), tensors[i]);
    }
    sample_free(sample);
}

static void all_buffers_are_made_before_the_program_runs(void **state)
{
    (void)state;
    static const char *const calls[] = {"malloc", "calloc", "alloca", "sbrk", "plan("};
    struct sample *sample = sample_new();
    for (int lent = 0; lent < 2; lent++) {
        sample->problem.allocate_arenas = lent == 0;
        const char *source = sample_text(sample, emit_source);
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
            assert_has_not(source, calls[i]);
    }
    sample_free(sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_tensor_has_an_object_of_its_own),
        cmocka_unit_test(all_buffers_are_made_before_the_program_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
