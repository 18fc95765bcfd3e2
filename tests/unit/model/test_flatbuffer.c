/* The FlatBuffers reader against bytes written by hand. */
#include "flat_builder.h"

#include "model/flatbuffer.h"

struct fixture {
    struct flat_builder builder;
    struct flatbuffer buffer;
    struct flat_table root;
};

static void open_buffer(struct fixture *f)
{
    f->buffer = flatbuffer_start((struct bytes){f->builder.bytes, f->builder.size});
    assert_true(flatbuffer_root(&f->buffer, "ABCD", &f->root));
}

static const char *problem(struct fixture *f)
{
    size_t offset;
    return flatbuffer_take_problem(&f->buffer, &offset);
}

static void test_scalars(void **state)
{
    (void)state;
    struct fixture f = {0};
    flat_begin(&f.builder, "ABCD");
    size_t root = flat_table(&f.builder, "1.48");
    flat_link(&f.builder, 0, root);
    flat_set(&f.builder, root, 0, 0xfe, 1);
    flat_set(&f.builder, root, 2, 0xfffffffe, 4);
    flat_set(&f.builder, root, 3, UINT64_C(0x0123456789abcdef), 8);
    open_buffer(&f);
    assert_int_equal(flat_u8(&f.buffer, &f.root, 0, 7), 0xfe);
    assert_int_equal(flat_u8(&f.buffer, &f.root, 1, 7), 7);
    assert_int_equal(flat_u32(&f.buffer, &f.root, 2, 7), 0xfffffffe);
    assert_int_equal(flat_i32(&f.buffer, &f.root, 2, 7), -2);
    assert_true(flat_u64(&f.buffer, &f.root, 3, 7) == UINT64_C(0x0123456789abcdef));
    assert_int_equal(flat_i32(&f.buffer, &f.root, 4, -9), -9); /* beyond the vtable */
    assert_null(problem(&f));
}

static void test_vectors_and_strings(void **state)
{
    (void)state;
    struct fixture f = {0};
    static const int32_t numbers[] = {5, -6, 7};
    flat_begin(&f.builder, "ABCD");
    size_t root = flat_table(&f.builder, "444");
    flat_link(&f.builder, 0, root);
    flat_numbers(&f.builder, root, 0, numbers, 3);
    flat_text(&f.builder, root, 1, "name");
    size_t tables = flat_vector_of(&f.builder, root, 2, 2, 4);
    size_t inner = flat_table(&f.builder, "4");
    flat_set(&f.builder, inner, 0, 42, 4);
    flat_link(&f.builder, tables, inner);
    flat_link(&f.builder, tables + 4, inner);
    open_buffer(&f);
    struct flat_vector vector = flat_vector_field(&f.buffer, &f.root, 0);
    assert_int_equal(vector.count, 3);
    assert_int_equal(flat_vector_i32(&f.buffer, &vector, 1), -6);
    struct bytes name = flat_string_field(&f.buffer, &f.root, 1);
    assert_int_equal(name.size, 4);
    assert_memory_equal(name.data, "name", 4);
    vector = flat_vector_field(&f.buffer, &f.root, 2);
    struct flat_table table;
    assert_true(flat_vector_table(&f.buffer, &vector, 1, &table));
    assert_int_equal(flat_u32(&f.buffer, &table, 0, 0), 42);
    assert_false(flat_vector_field(&f.buffer, &f.root, 9).present);
    assert_null(problem(&f));
}

static void test_wrong_identifier(void **state)
{
    (void)state;
    struct fixture f = {0};
    flat_begin(&f.builder, "ABCE");
    f.buffer = flatbuffer_start((struct bytes){f.builder.bytes, f.builder.size});
    assert_false(flatbuffer_root(&f.buffer, "ABCD", &f.root));
    f.buffer = flatbuffer_start((struct bytes){f.builder.bytes, 7});
    assert_false(flatbuffer_root(&f.buffer, "ABCE", &f.root));
}

/* One table with a vector of four numbers, in which one number of 32 bits is then replaced. */
static void break_at(struct fixture *f, size_t where, uint32_t value)
{
    static const int32_t numbers[] = {1, 2, 3, 4};
    flat_begin(&f->builder, "ABCD");
    size_t root = flat_table(&f->builder, "4");
    flat_link(&f->builder, 0, root);
    flat_numbers(&f->builder, root, 0, numbers, 4);
    size_t places[] = {0, root, flat_field(&f->builder, root, 0), root + 8};
    flat_poke(&f->builder, places[where], value, 4);
    open_buffer(f);
}

static void test_broken_offsets(void **state)
{
    (void)state;
    static const uint32_t values[] = {0x7fffffff, 0xffffffff, 0x80000000, 1000};
    for (size_t where = 0; where < 4; where++) {
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
            struct fixture f = {0};
            break_at(&f, where, values[v]);
            assert_int_equal(flat_vector_field(&f.buffer, &f.root, 0).count, 0);
            assert_non_null(problem(&f));
            assert_null(problem(&f));
        }
    }
}

static void test_vector_that_just_fits(void **state)
{
    (void)state;
    struct fixture f = {0};
    break_at(&f, 3, 4);
    assert_int_equal(flat_vector_field(&f.buffer, &f.root, 0).count, 4);
    assert_null(problem(&f));
    break_at(&f, 3, 5);
    assert_int_equal(flat_vector_field(&f.buffer, &f.root, 0).count, 0);
    assert_non_null(problem(&f));
}

static void test_field_outside_its_table(void **state)
{
    (void)state;
    struct fixture f = {0};
    flat_begin(&f.builder, "ABCD");
    size_t root = flat_table(&f.builder, "4");
    flat_link(&f.builder, 0, root);
    flat_poke(&f.builder, root - 2, 5, 2); /* the field would end one byte behind the table */
    open_buffer(&f);
    assert_int_equal(flat_u32(&f.buffer, &f.root, 0, 9), 9);
    assert_non_null(problem(&f));
}

static void test_budget(void **state)
{
    (void)state;
    struct fixture f = {0};
    static const int32_t numbers[1000] = {0};
    flat_begin(&f.builder, "ABCD");
    size_t root = flat_table(&f.builder, "4");
    flat_link(&f.builder, 0, root);
    flat_numbers(&f.builder, root, 0, numbers, 1000);
    open_buffer(&f);
    size_t honest = (f.builder.size * 4 + 65536) / 4000;
    for (size_t i = 0; i < honest; i++) {
        assert_int_equal(flat_vector_field(&f.buffer, &f.root, 0).count, 1000);
    }
    assert_null(problem(&f));
    assert_int_equal(flat_vector_field(&f.buffer, &f.root, 0).count, 0);
    assert_non_null(problem(&f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_vectors_and_strings),
        cmocka_unit_test(test_wrong_identifier),
        cmocka_unit_test(test_broken_offsets),
        cmocka_unit_test(test_vector_that_just_fits),
        cmocka_unit_test(test_field_outside_its_table),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
