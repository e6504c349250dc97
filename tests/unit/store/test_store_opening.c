/* Opening: what is a store, what is not, and how an older one becomes a new one. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>

#include "store_fixture.h"

static void assert_refused(const char *path, bool create, enum duet_code code,
                           const char *says)
{
    struct store *store = NULL;
    fixture_error = (struct duet_error){0};
    assert_int_equal(store_open_within(path, create, 100, &store, &fixture_error),
                     code);
    assert_null(store);
    if (strstr(fixture_error.message, says) == NULL) {
        fail_msg("'%s' does not say '%s'", fixture_error.message, says);
    }
    /* Of a URL only its kind: it may hold a password. */
    if (path[0] != '\0' && strstr(path, "://") == NULL) {
        assert_non_null(strstr(fixture_error.message, path));
    }
}

static void test_new_store(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    assert_string_equal(store_path(store), fixture_path);
    store_close(store);
    size_t version = 0;
    (void)store_schema_steps(&version);
    assert_int_equal(fixture_number(fixture_path, "PRAGMA application_id"),
                     STORE_APPLICATION_ID);
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"),
                     (int64_t)version);
    char *mode = fixture_text(fixture_path, "PRAGMA journal_mode");
    assert_string_equal(mode, "wal");
    free(mode);
    assert_ok(store_open(fixture_path, false, &store, &fixture_error));
    store_close(store);
    store_close(NULL);
}

static void test_every_table_is_strict(void **state)
{
    (void)state;
    store_close(fixture_open());
    assert_int_equal(
        fixture_number(
            fixture_path,
            "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND "
            "name NOT LIKE 'sqlite_%'"),
        0);
}

static void test_refused(void **state)
{
    (void)state;
    const char *path = fixture_path;
    assert_refused("", true, DUET_E_USAGE, "empty");
    assert_refused("mysql://db/x", true, DUET_E_UNSUITABLE, "SQLite files and");
    assert_refused(path, false, DUET_E_NOT_FOUND, "no store");
    assert_int_equal(access(path, F_OK), -1);
    assert_refused(fixture_folder, true, DUET_E_FORMAT, "a folder");
    assert_refused("/dev/null", true, DUET_E_FORMAT, "not a file");
    assert_refused(fixture_in("no/such/results.db"), true, DUET_E_NOT_FOUND,
                   "there is no folder");
    fixture_write(
        fixture_in("garbage"),
        "This is a text file of some length. It is not a database, and stays as it is.");
    assert_refused(fixture_path, true, DUET_E_FORMAT, "not a database");
    assert_refused(fixture_path, false, DUET_E_FORMAT, "not a database");
}

static void test_empty_file(void **state)
{
    (void)state;
    fixture_write(fixture_path, "");
    assert_refused(fixture_path, false, DUET_E_FORMAT, "empty file");
    store_close(fixture_open());
    struct store *store = NULL;
    assert_ok(store_open(fixture_path, false, &store, &fixture_error));
    store_close(store);
}

static void test_another_programs_database(void **state)
{
    (void)state;
    fixture_sql(fixture_path, "CREATE TABLE t(x)");
    assert_refused(fixture_path, true, DUET_E_FORMAT, "another program's");
    fixture_sql(fixture_in("id.db"), "PRAGMA application_id = 99");
    assert_refused(fixture_path, true, DUET_E_FORMAT, "another program's");
    char *mode = fixture_text(fixture_path, "PRAGMA journal_mode");
    assert_string_equal(mode, "delete"); /* looked at, not touched */
    free(mode);
}

static void test_newer_version(void **state)
{
    (void)state;
    store_close(fixture_open());
    fixture_sql(fixture_path, "PRAGMA user_version = 4711");
    assert_refused(fixture_path, true, DUET_E_VERSION, "4711");
    assert_refused(fixture_path, false, DUET_E_VERSION, "newer duet");
}

static void test_damaged(void **state)
{
    (void)state;
    store_close(fixture_open());
    fixture_sql(fixture_path, "DROP TABLE run_side");
    struct store *store = fixture_open();
    int64_t experiment = fixture_begin(store);
    struct model_sink sink = store_sink(store, experiment);
    assert_int_equal(fixture_save_run(sink, 0, 1), DUET_E_FORMAT);
    assert_non_null(strstr(fixture_error.message, "damaged"));
    store_close(store);
}

/* A store in which something of somebody else's stands for a table: what reads it must
 * not execute that. */
static void assert_not_executed(const char *foreign)
{
    struct store_experiment *list = NULL;
    size_t count = 0;
    struct store *store = fixture_open();
    (void)fixture_begin(store);
    store_close(store);
    fixture_sql(fixture_path,
                "PRAGMA legacy_alter_table = ON; PRAGMA foreign_keys = OFF;"
                "ALTER TABLE run RENAME TO away");
    fixture_sql(fixture_path, foreign);
    store = NULL;
    enum duet_code code = store_open(fixture_path, false, &store, &fixture_error);
    if (code == DUET_OK) {
        code = store_experiment_list(store, &list, &count, &fixture_error);
        store_close(store);
    }
    assert_int_equal(code, DUET_E_FORMAT);
    assert_non_null(strstr(fixture_error.message, "damaged"));
    assert_int_equal(unlink(fixture_path), 0);
}

static void test_views_and_modules_are_not_read(void **state)
{
    (void)state;
    assert_not_executed(
        "CREATE VIEW run AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + "
        "1 FROM c) SELECT away.* FROM away, c WHERE n < 0");
    assert_not_executed(
        "CREATE VIRTUAL TABLE run USING fts4(id, experiment_id, idx, started_utc_ms"
        ")");
}

static void test_triggers_are_not_executed(void **state)
{
    (void)state;
    store_close(fixture_open());
    fixture_sql(fixture_path, "CREATE TRIGGER goes AFTER INSERT ON experiment BEGIN "
                              "DELETE FROM experiment; END");
    struct store *store = fixture_open();
    (void)fixture_begin(store);
    store_close(store);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM experiment"),
                     1);
}

/* Writes a journal of a transaction over several files beside the store; all that
 * counts of it is its end, which names a file. */
static void write_journal_that_names(const char *victim)
{
    static const unsigned char mark[] = {0xd9, 0xd5, 0x05, 0xf9,
                                         0x20, 0xa1, 0x63, 0xd7};
    static const char filler[512];
    char path[600];
    unsigned sum = 0;
    (void)snprintf(path, sizeof path, "%s-journal", fixture_path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; victim[i] != '\0'; i++) {
        sum += (unsigned)(signed char)victim[i];
    }
    const uint32_t numbers[] = {0, htobe32((uint32_t)strlen(victim)), htobe32(sum)};
    (void)fwrite(filler, sizeof filler, 1, file);
    (void)fwrite(&numbers[0], sizeof numbers[0], 1, file);
    (void)fputs(victim, file);
    (void)fwrite(&numbers[1], sizeof numbers[1], 2, file);
    (void)fwrite(mark, sizeof mark, 1, file);
    assert_int_equal(fclose(file), 0);
}

/* It is removed where SQLite rolls the journal back. */
static void test_journal_that_names_a_file(void **state)
{
    (void)state;
    char victim[512];
    fixture_write(fixture_in("victim"), "stays");
    (void)snprintf(victim, sizeof victim, "%s", fixture_path);
    (void)fixture_in("results.db");
    store_close(fixture_open());
    write_journal_that_names(victim);
    assert_refused(fixture_path, true, DUET_E_IO, "-journal' names a file");
    assert_refused(fixture_path, false, DUET_E_IO, "delete it");
    /* Through a link, too: the journal lies beside what it leads to. */
    char real[512];
    (void)snprintf(real, sizeof real, "%s", fixture_path);
    assert_int_equal(symlink(real, fixture_in("link.db")), 0);
    struct store *store = NULL;
    assert_int_equal(store_open(fixture_path, false, &store, &fixture_error),
                     DUET_E_IO);
    assert_int_equal(access(victim, F_OK), 0);
    /* Any other journal is what a transaction that was killed has left. */
    fixture_write(fixture_in("results.db-journal"), "cut");
    (void)fixture_in("results.db");
    store_close(fixture_open());
}

/* ---- Migrations ---- */

static const char *const step_1[] = {"CREATE TABLE a(x INTEGER) STRICT",
                                     "INSERT INTO a VALUES(1)", NULL};
static const char *const step_2[] = {"ALTER TABLE a ADD COLUMN y REAL",
                                     "UPDATE a SET y = x * 2.5", NULL};
static const char *const step_3_bad[] = {"UPDATE a SET y = 0", "CREATE NONSENSE", NULL};
static const struct store_migration good[] = {{"a", step_1}, {"y", step_2}};
static const struct store_migration bad[] = {
    {"a", step_1}, {"y", step_2}, {"broken", step_3_bad}};

static struct store *bare_store(void)
{
    struct store *store = calloc(1, sizeof *store);
    assert_non_null(store);
    store->path = strdup(fixture_path);
    assert_int_equal(sqlite3_open(fixture_path, &store->db), SQLITE_OK);
    return store;
}

static void test_migrations_step_by_step(void **state)
{
    (void)state;
    struct store *store = bare_store();
    assert_ok(store_migrate(store, good, 1, NULL, &fixture_error));
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"), 1);
    assert_ok(store_migrate(store, good, 2, NULL, &fixture_error));
    assert_ok(store_migrate(store, good, 2, NULL, &fixture_error));
    assert_int_equal(fixture_number(fixture_path, "SELECT y * 10 FROM a"), 25);
    assert_int_equal(store_migrate(store, good, 1, NULL, &fixture_error),
                     DUET_E_VERSION);
    store_close(store);
}

static void test_first_version_becomes_todays(void **state)
{
    (void)state;
    size_t count = 0;
    const struct store_migration *steps = store_schema_steps(&count);
    struct store *store = bare_store();
    assert_ok(store_migrate(store, steps, 1, NULL, &fixture_error));
    store_close(store);
    fixture_sql(
        fixture_path,
        "INSERT INTO run_side(run_id, side, position, cpu, pid, exit_status, peak_memory_bytes, iterations, "
        "fillers) VALUES(1, 0, 1, 2, 3, 4, 5, 6, 7)");
    store_close(fixture_open());
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"), count);
    assert_int_equal(
        fixture_number(
            fixture_path,
            "SELECT fillers FROM run_side WHERE cycles IS NULL AND branch_misses IS NULL"),
        7);
}

/* All objects and the rows that are there from the beginning, without blanks: a step
 * adds a column's text as SQLite does. */
static char *everything(void)
{
    return fixture_text(
        fixture_path,
        "SELECT (SELECT group_concat(replace(text, ' ', ''), char(10)) FROM "
        "(SELECT type || ':' || name || ':' || ifnull(sql, '') AS text FROM sqlite_schema "
        "ORDER BY type, name)) || (SELECT group_concat(id || name || unit || direction) FROM metric) "
        "|| (SELECT user_version FROM pragma_user_version) "
        "|| (SELECT application_id FROM pragma_application_id)");
}

static void test_a_new_store_is_what_the_steps_lead_to(void **state)
{
    (void)state;
    size_t count = 0;
    const struct store_migration *steps = store_schema_steps(&count);
    struct store *store = bare_store();
    assert_ok(store_migrate(store, steps, count, NULL, &fixture_error));
    store_close(store);
    char *by_steps = everything();
    assert_int_equal(unlink(fixture_path), 0);
    store = bare_store();
    assert_ok(store_migrate(store, steps, count, store_schema_whole(), &fixture_error));
    store_close(store);
    char *at_once = everything();
    assert_string_equal(at_once, by_steps);
    assert_true(strlen(at_once) > 9000);
    free(at_once);
    free(by_steps);
}

static void test_failed_migration_leaves_version_before(void **state)
{
    (void)state;
    struct store *store = bare_store();
    assert_int_equal(store_migrate(store, bad, 3, NULL, &fixture_error), DUET_E_FORMAT);
    assert_int_equal(sqlite3_get_autocommit(store->db), 1);
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"), 2);
    assert_int_equal(fixture_number(fixture_path, "SELECT y * 10 FROM a"), 25);
    /* The same of all steps at once; and what has tables goes on by steps. */
    store_close(store);
    assert_int_equal(unlink(fixture_path), 0);
    store = bare_store();
    assert_int_equal(store_migrate(store, good, 2, &bad[2], &fixture_error),
                     DUET_E_FORMAT);
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"), 0);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM sqlite_schema"),
                     0);
    assert_ok(store_migrate(store, good, 1, NULL, &fixture_error));
    assert_ok(store_migrate(store, good, 2, &bad[2], &fixture_error));
    store_close(store);
}

static void test_read_only_store_is_not_migrated(void **state)
{
    (void)state;
    struct store *store = bare_store();
    assert_ok(store_migrate(store, good, 1, NULL, &fixture_error));
    store->read_only = true;
    assert_int_equal(store_migrate(store, good, 2, NULL, &fixture_error), DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "older duet"));
    store_close(store);
}

/* Not an older duet's, as far as one can tell: a full disk may have done it. */
static void test_store_cut_short_is_read_only(void **state)
{
    (void)state;
    size_t count = 0;
    const struct store_migration *steps = store_schema_steps(&count);
    struct store *store = bare_store();
    assert_ok(store_migrate(store, steps, count / 2, NULL, &fixture_error));
    store->read_only = true;
    assert_int_equal(store_migrate(store, steps, count, NULL, &fixture_error),
                     DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "holds nothing"));
    assert_non_null(strstr(fixture_error.message, "disk was full"));
    fixture_sql(
        fixture_path,
        "INSERT INTO suite_run(uuid, name, path, state, started_utc_ms, seed, benchmarks) "
        "VALUES('a', 'b', 'c', 'done', 1, 'd', 1)");
    assert_int_equal(store_migrate(store, steps, count, NULL, &fixture_error),
                     DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "was written by an older duet"));
    store_close(store);
}

/* A file whose making was cut short before the first step: version 0, in WAL mode. */
static void test_version_0(void **state)
{
    (void)state;
    fixture_sql(fixture_path, "PRAGMA journal_mode = WAL");
    store_close(fixture_open());
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM metric"), 2);
}

/* ---- Permissions ---- */

/* The superuser may write everything; as nobody the modes count. A checkout may lie in
 * a folder that nobody cannot enter: then the test uses a folder for temporary files.
 */
static uid_t drop_superuser(void)
{
    enum { NOBODY = 65534 };
    uid_t user = geteuid();
    if (user != 0) {
        return user;
    }
    assert_int_equal(seteuid(NOBODY), 0);
    bool enters = faccessat(AT_FDCWD, fixture_folder, F_OK, AT_EACCESS) == 0;
    assert_int_equal(seteuid(user), 0);
    if (!enters) {
        assert_int_equal(fixture_teardown(NULL), 0);
        assert_int_equal(fixture_setup_in(P_tmpdir), 0);
    }
    assert_int_equal(chown(fixture_folder, NOBODY, (gid_t)-1), 0);
    assert_int_equal(seteuid(NOBODY), 0);
    return user;
}

static void test_read_only(void **state)
{
    (void)state;
    uid_t user = drop_superuser();
    struct store *store = fixture_open();
    (void)fixture_begin(store);
    store_close(store);
    assert_int_equal(chmod(fixture_path, 0444), 0);
    assert_refused(fixture_path, true, DUET_E_IO, "read-only");
    assert_int_equal(chmod(fixture_folder, 0555), 0);
    assert_refused(fixture_path, true, DUET_E_IO, "read-only");
    assert_int_equal(chmod(fixture_path, 0000), 0);
    assert_refused(fixture_path, false, DUET_E_IO, "may not be read");
    assert_refused(fixture_path, false, DUET_E_IO, "--store");
    assert_int_equal(chmod(fixture_path, 0444), 0);

    /* What it holds can still be read, and not written. */
    struct store_experiment found = {0};
    assert_ok(store_open(fixture_path, false, &store, &fixture_error));
    assert_ok(store_experiment_find(store, "last", &found, &fixture_error));
    store_experiment_release(&found);
    assert_int_equal(
        store_experiment_end(store, 1, STORE_DONE, NULL, NULL, &fixture_error),
        DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "read-only"));
    store_close(store);

    assert_refused(fixture_in("new.db"), true, DUET_E_IO, "folder is read-only");
    assert_int_equal(
        store_open_found(fixture_in(".duet/results.db"), true, &store, &fixture_error),
        DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "cannot make folder"));
    assert_int_equal(chmod(fixture_folder, 0755), 0);
    assert_int_equal(seteuid(user), 0);
}

/* ---- Paths ---- */

static void open_default(void)
{
    struct store *store = NULL;
    assert_ok(
        store_open_found(fixture_in(".duet/results.db"), true, &store, &fixture_error));
    store_close(store);
}

static void test_default_path(void **state)
{
    (void)state;
    assert_int_equal(mkdir(fixture_in("sub"), 0755), 0);
    char *sub = strdup(fixture_path);
    char *real = realpath(fixture_folder, NULL);
    char expected[600];

    /* Whoever has used duet in the sources has a store above the fixture. */
    char *above = store_default_path(fixture_folder);
    char *path = store_default_path(sub);
    bool none = strncmp(above, real, strlen(real)) == 0;
    (void)snprintf(expected, sizeof expected, "%s/sub/.duet/results.db", real);
    assert_string_equal(path, none ? expected : above);
    free(path);
    free(above);

    open_default();
    path = store_default_path(sub);
    (void)snprintf(expected, sizeof expected, "%s/.duet/results.db", real);
    assert_string_equal(path, expected);
    free(path);

    path = store_default_path("/no/such/folder");
    assert_string_equal(path, "/no/such/folder/.duet/results.db");
    free(path);
    free(real);
    free(sub);
}

static void test_folder_is_made_and_ignored(void **state)
{
    (void)state;
    open_default();
    FILE *file = fopen(fixture_in(".duet/.gitignore"), "r");
    assert_non_null(file);
    char line[16];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "*\n");
    (void)fclose(file);
}

/* That the user has named: a mistyped path makes nothing. */
static void test_other_folders_are_not_made(void **state)
{
    (void)state;
    static const char *const names[] = {"other/results.db", "a/b/x.db",
                                        "new/.duet/results.db"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_refused(fixture_in(names[i]), true, DUET_E_NOT_FOUND, "mkdir -p");
    }
    assert_int_equal(rmdir(fixture_folder), 0); /* it is empty */
    assert_int_equal(mkdir(fixture_folder, 0755), 0);
}

static void test_odd_names(void **state)
{
    (void)state;
    static const char *const names[] = {"50%?mode=ro#x.db", "file:a.db",
                                        ":memory:", "r\xc3\xa9sultats.db"};
    char folder[512];
    assert_non_null(getcwd(folder, sizeof folder));
    assert_int_equal(chdir(fixture_folder), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct store *store = NULL;
        assert_ok(store_open(names[i], true, &store, &fixture_error));
        store_close(store);
        assert_int_equal(access(names[i], R_OK), 0);
        assert_ok(store_open(names[i], false, &store, &fixture_error));
        store_close(store);
    }
    assert_int_equal(chdir(folder), 0);
}

int main(void)
{
#define CASE(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_new_store),
        CASE(test_every_table_is_strict),
        CASE(test_refused),
        CASE(test_empty_file),
        CASE(test_another_programs_database),
        CASE(test_newer_version),
        CASE(test_damaged),
        CASE(test_views_and_modules_are_not_read),
        CASE(test_triggers_are_not_executed),
        CASE(test_journal_that_names_a_file),
        CASE(test_migrations_step_by_step),
        CASE(test_first_version_becomes_todays),
        CASE(test_a_new_store_is_what_the_steps_lead_to),
        CASE(test_failed_migration_leaves_version_before),
        CASE(test_read_only_store_is_not_migrated),
        CASE(test_store_cut_short_is_read_only),
        CASE(test_version_0),
        CASE(test_read_only),
        CASE(test_default_path),
        CASE(test_folder_is_made_and_ignored),
        CASE(test_other_folders_are_not_made),
        CASE(test_odd_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
