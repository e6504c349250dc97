// link: PkgConfig::SQLITE
/* SQLite takes names of files for URIs where it was built so, as Debian's was, or where
 * a connection asks for it: stores rely on neither, and a file may be called like one.
 * The whole program has it switched off. */
#include "store/store_merge.h"

#include "store_fixture.h"

static int64_t count_experiments(struct store *store)
{
    bool row = false;
    int64_t count = -1;
    struct store_query query =
        store_ask(store, "counting", "SELECT count(*) FROM experiment");
    assert_ok(store_fetch_int(&query, &row, &count, &fixture_error));
    return count;
}

static struct store *open_with_one(const char *path)
{
    struct store *store = NULL;
    struct model_plan plan = fixture_plan();
    struct model_host host = fixture_host();
    int64_t experiment = 0;
    assert_ok(store_open(path, true, &store, &fixture_error));
    assert_ok(store_experiment_begin(store, &plan, &host, &fixture_load, "0.1.0",
                                     &experiment, &fixture_error));
    assert_ok(store_experiment_end(store, experiment, STORE_DONE, &fixture_load, NULL,
                                   &fixture_error));
    return store;
}

/* A scratch store is unnamed, as is the mirror of a server's. */
static void test_merge_into_an_unnamed_one(void **state)
{
    (void)state;
    struct store *scratch = NULL;
    struct store_merged merged = {.added = 0};
    store_close(open_with_one(fixture_path));
    assert_ok(store_open_scratch(&scratch, &fixture_error));
    assert_ok(store_merge(scratch, fixture_path, NULL, 0, &merged, &fixture_error));
    assert_int_equal(merged.added, 1);
    assert_int_equal(count_experiments(scratch), 1);
    store_close(scratch);
}

static void test_a_copy_that_is_called_like_a_uri(void **state)
{
    static const char name[] = "file:copy.db?mode=memory";
    (void)state;
    struct store *copy = NULL;
    char *before = getcwd(NULL, 0);
    assert_non_null(before);
    struct store *store = open_with_one(fixture_path);
    assert_int_equal(chdir(fixture_folder), 0);
    assert_ok(store_copy(store, name, &fixture_error));
    assert_ok(store_open(name, false, &copy, &fixture_error));
    assert_int_equal(count_experiments(copy), 1);
    assert_int_equal(access("copy.db", F_OK), -1);
    store_close(copy);
    store_close(store);
    assert_int_equal(chdir(before), 0);
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_merge_into_an_unnamed_one, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_a_copy_that_is_called_like_a_uri,
                                        fixture_setup, fixture_teardown),
    };
    if (sqlite3_config(SQLITE_CONFIG_URI, 0) != SQLITE_OK) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
