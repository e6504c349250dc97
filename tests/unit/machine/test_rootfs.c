/* Reading small files below a root folder. */
#include "machine/rootfs.h"

#include "unit/machine/file_tree.h"

static void text_is_trimmed_and_cut(void **state)
{
    (void)state;
    char root[256];
    char text[8];
    file_tree_open(root);
    file_tree_put(root, "/sys/a", "tsc \n\n");
    file_tree_put(root, "/sys/b", "0123456789\n");
    file_tree_put(root, "/sys/c", "");
    assert_true(rootfs_read(root, "/sys/a", text, sizeof text));
    assert_string_equal(text, "tsc");
    assert_true(rootfs_read(root, "/sys/b", text, sizeof text));
    assert_string_equal(text, "0123456");
    assert_true(rootfs_read(root, "/sys/c", text, sizeof text));
    assert_string_equal(text, "");
    memcpy(text, "before", sizeof "before");
    assert_false(rootfs_read(root, "/sys/none", text, sizeof text));
    assert_string_equal(text, "");
    assert_false(rootfs_read(root, "/sys", text, sizeof text)); /* a folder */
    assert_string_equal(text, "");
    file_tree_remove(root);
}

static void a_number_is_all_of_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
        int64_t number;
    } cases[] = {{"0\n", true, 0},    {"-1\n", true, -1},
                 {"42", true, 42},    {"", false, 0},
                 {"\n", false, 0},    {"4x\n", false, 0},
                 {"max\n", false, 0}, {"99999999999999999999\n", false, 0}};
    char root[256];
    file_tree_open(root);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t number = 77;
        file_tree_put(root, "/n", cases[i].text);
        assert_int_equal(rootfs_read_number(root, "/n", &number), cases[i].valid);
        assert_int_equal(number, cases[i].valid ? cases[i].number : 77);
    }
    file_tree_remove(root);
}

struct lines {
    int seen;
    int limit;
    size_t longest;
    char last[16];
};

static bool visit(void *context, char *line)
{
    struct lines *lines = context;
    size_t length = strlen(line);
    lines->seen++;
    lines->longest = length > lines->longest ? length : lines->longest;
    (void)snprintf(lines->last, sizeof lines->last, "%s", line);
    return lines->seen < lines->limit;
}

static void lines_are_visited_until_told_to_stop(void **state)
{
    (void)state;
    char root[256];
    char text[9000];
    file_tree_open(root);
    memset(text, 'x', sizeof text);
    memcpy(text + sizeof text - 7, "\nb\n\nc", 6); /* no newline at the end */
    text[sizeof text - 2] = '\0';
    file_tree_put(root, "/lines", text);
    struct lines all = {.limit = 100};
    assert_true(rootfs_each_line(root, "/lines", visit, &all));
    assert_int_equal(all.seen, 4);
    assert_int_equal(all.longest, 4095); /* cut, and its rest is not a line */
    assert_string_equal(all.last, "c");
    struct lines two = {.limit = 2};
    assert_true(rootfs_each_line(root, "/lines", visit, &two));
    assert_int_equal(two.seen, 2);
    assert_string_equal(two.last, "b");
    assert_false(rootfs_each_line(root, "/none", visit, &two));
    file_tree_remove(root);
}

static void keys_are_whole_words(void **state)
{
    (void)state;
    static const char text[] = "nr_throttled_x 1\nnr_throttled 23\nbad x\nlast 9";
    uint64_t number = 0;
    assert_true(rootfs_keyed_number(text, "nr_throttled", &number));
    assert_int_equal(number, 23);
    assert_true(rootfs_keyed_number(text, "last", &number));
    assert_int_equal(number, 9);
    assert_false(rootfs_keyed_number(text, "throttled", &number));
    assert_false(rootfs_keyed_number(text, "bad", &number));
    assert_false(rootfs_keyed_number("", "bad", &number));
    assert_int_equal(number, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_trimmed_and_cut),
        cmocka_unit_test(a_number_is_all_of_the_file),
        cmocka_unit_test(lines_are_visited_until_told_to_stop),
        cmocka_unit_test(keys_are_whole_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
