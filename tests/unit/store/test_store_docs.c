/* docs/store.md tells the truth: its queries run, and it names every table and column.
 */
#include "store/store_revision.h"
#include "store/store_watch.h"
#include "store_fixture.h"

static char *read_document(void)
{
    FILE *file = fopen(TEST_SOURCE_DIR "/../docs/store.md", "r");
    assert_non_null(file);
    static char text[65536];
    size_t length = fread(text, 1, sizeof text - 1, file);
    assert_true(length > 0 && length < sizeof text - 1);
    text[length] = '\0';
    (void)fclose(file);
    return text;
}

static void fill_store(void)
{
    struct store *store = fixture_open();
    int64_t suite = 0;
    int64_t experiment = fixture_begin(store);
    assert_ok(store_suite_begin(store, "s", "/s.yaml", 1, 1, "0.1.0", &suite,
                                &fixture_error));
    assert_ok(store_suite_add(store, suite, experiment, "d", &fixture_error));
    struct model_watch watch = {.name = "w",
                                .folder = "/",
                                .rule = "metior",
                                .statistic = "mean",
                                .metric = "time",
                                .unit = "ns"};
    assert_ok(store_watch_begin(store, experiment, &watch, 1, &suite, &fixture_error));
    char folder[] = "/repository";
    char subject[] = "faster";
    const struct model_revision revisions[MODEL_SIDES] = {
        {.repository = folder, .subject = subject, .commit = "1"},
        {.repository = folder, .subject = subject, .commit = "2"}};
    assert_ok(
        store_revisions_save(store, experiment, "compress", revisions, &fixture_error));
    struct model_sink sink = store_sink(store, experiment);
    for (uint64_t i = 0; i < 2; i++) {
        assert_ok(fixture_save_run(sink, i, 5));
    }
    const struct model_comparison comparison = {.name = "compress", .metric = "time"};
    assert_ok(
        store_comparison_save(store, experiment, &comparison, "0.1.0", &fixture_error));
    store_close(store);
}

static int count_row(void *context, int columns, char **values, char **names)
{
    (void)columns;
    (void)values;
    (void)names;
    ++*(int *)context;
    return 0;
}

static void test_queries(void **state)
{
    (void)state;
    static const char fence[] = "```sql\n";
    fill_store();
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(fixture_path, &db), SQLITE_OK);
    int queries = 0;
    for (char *at = strstr(read_document(), fence); at != NULL;
         at = strstr(at, fence)) {
        char *sql = at + sizeof fence - 1;
        char *end = strstr(sql, "```");
        assert_non_null(end);
        *end = '\0';
        int rows = 0;
        if (sqlite3_exec(db, sql, count_row, &rows, NULL) != SQLITE_OK) {
            fail_msg("%s: %s", sql, sqlite3_errmsg(db));
        }
        if (rows == 0 && strstr(sql, "DELETE") == NULL) {
            fail_msg("no row: %s", sql);
        }
        queries++;
        at = end + 1;
    }
    assert_true(queries >= 5);
    sqlite3_close(db);
    /* The last one deleted the experiment with all that hung on it. */
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM iteration"), 0);
}

/* The text of the document's section on `table`. */
static char *section(char *document, const char *table, char **ret_end)
{
    char heading[128];
    (void)snprintf(heading, sizeof heading, "\n### %s", table);
    char *start = strstr(document, heading);
    while (start != NULL && strchr("\n ", start[strlen(heading)]) == NULL) {
        start = strstr(start + 1, heading);
    }
    if (start == NULL) {
        fail_msg("docs/store.md has no section on %s", table);
        return document; /* not reached */
    }
    *ret_end = strstr(start + 4, "\n##");
    return start;
}

static void test_every_column_is_explained(void **state)
{
    (void)state;
    fill_store();
    char *document = read_document();
    sqlite3 *db = NULL;
    sqlite3_stmt *columns = NULL;
    assert_int_equal(sqlite3_open(fixture_path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(
            db,
            "SELECT t.name, c.name FROM pragma_table_list AS t, "
            "pragma_table_info(t.name) AS c WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'",
            -1, &columns, NULL),
        SQLITE_OK);
    int seen = 0;
    while (sqlite3_step(columns) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(columns, 0);
        const char *column = (const char *)sqlite3_column_text(columns, 1);
        char quoted[128];
        char *end = NULL;
        (void)snprintf(quoted, sizeof quoted, "`%s`", column);
        const char *start = section(document, table, &end);
        const char *found = strstr(start, quoted);
        if (found == NULL || (end != NULL && found > end)) {
            fail_msg("docs/store.md does not explain %s.%s", table, column);
        }
        seen++;
    }
    assert_true(seen > 100);
    sqlite3_finalize(columns);
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_queries, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_every_column_is_explained, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
