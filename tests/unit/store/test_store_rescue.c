/* Where what a store held is put when the store itself cannot have it, and what it is.
 */
// labels: soakvalgrind
#include "support/alloc_fail.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "store/postgresql/remote_private.h"
#include "store_fixture.h"

static int folder_before = -1; /* the current one */
static char *scratch_before;

static int setup(void **state)
{
    const char *scratch = getenv("TMPDIR");
    scratch_before = scratch == NULL ? NULL : strdup(scratch);
    folder_before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder_before < 0 ? -1 : fixture_setup(state);
}

static int teardown(void **state)
{
    int rc = fchdir(folder_before);
    (void)close(folder_before);
    rc += scratch_before == NULL ? unsetenv("TMPDIR")
                                 : setenv("TMPDIR", scratch_before, 1);
    free(scratch_before);
    return rc + fixture_teardown(state);
}

/* A store that says that it is `path`, with two experiments of a run each. */
static struct store *store_called(const char *path)
{
    struct store *store = fixture_open();
    for (int i = 0; i < 2; i++) {
        assert_ok(fixture_save_run(store_sink(store, fixture_begin(store)), 0, 3));
    }
    free(store->path);
    store->path = strdup(path);
    assert_non_null(store->path);
    return store;
}

/* The mirror of a server, which has all of the second experiment only. */
static struct store *mirror_of_server(struct remote *remote)
{
    struct store *store = store_called("postgresql://host/db");
    assert_int_equal(sqlite3_exec(store->db,
                                  "CREATE TEMP TABLE whole (id INTEGER);"
                                  "INSERT INTO temp.whole VALUES (2)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    *remote = (struct remote){.recording = true};
    store->remote = remote;
    return store;
}

static void close_mirror(struct store *store)
{
    store->remote = NULL;
    store_close(store);
}

/* The current folder is one that was removed: nobody makes a file there. */
static void stand_nowhere(void)
{
    char folder[600];
    (void)snprintf(folder, sizeof folder, "%s/gone", fixture_folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(rmdir(folder), 0);
}

static size_t rescued_count(const char *folder)
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    for (const struct dirent *entry = NULL; (entry = readdir(entries)) != NULL;) {
        count += strncmp(entry->d_name, "duet-rescued-", 13) == 0;
    }
    (void)closedir(entries);
    return count;
}

/* `path` is a new file in `folder`, for its owner alone, with the experiments from
 * `first` to 2. */
static void assert_rescued(const char *path, const char *folder, int first)
{
    char begin[600];
    struct stat status;
    (void)snprintf(begin, sizeof begin, "%s/duet-rescued-", folder);
    assert_int_equal(strncmp(path, begin, strlen(begin)), 0);
    assert_string_equal(path + strlen(path) - 3, ".db");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777U, 0600);
    assert_int_equal(fixture_number(path, "SELECT min(id) FROM experiment"), first);
    assert_int_equal(fixture_number(path, "SELECT max(id) FROM experiment"), 2);
    assert_int_equal(fixture_number(path, "SELECT count(*) FROM run"), 3 - first);
    assert_int_equal(fixture_number(path, "SELECT count(*) FROM iteration"),
                     6 * (3 - first));
    assert_int_equal(unlink(path), 0);
}

static void a_servers_results_are_put_here(void **state)
{
    (void)state;
    char *path = NULL;
    struct remote remote;
    struct store *store = mirror_of_server(&remote);
    assert_int_equal(chdir(fixture_folder), 0);
    assert_ok(store_rescue(store, &path, &fixture_error));
    assert_rescued(path, ".", 2);
    assert_false(remote.recording); /* what is left out is not deleted there */
    close_mirror(store);
    free(path);
}

static void or_where_nothing_lasts(void **state)
{
    (void)state;
    char *path = NULL;
    struct remote remote;
    struct store *store = mirror_of_server(&remote);
    assert_int_equal(setenv("TMPDIR", fixture_folder, 1), 0);
    stand_nowhere();
    assert_ok(store_rescue(store, &path, &fixture_error));
    assert_rescued(path, fixture_folder, 2);
    close_mirror(store);
    free(path);
}

static void or_nowhere(void **state)
{
    (void)state;
    char *path = NULL;
    char said[700];
    char nowhere[600];
    struct remote remote;
    struct store *store = mirror_of_server(&remote);
    (void)snprintf(nowhere, sizeof nowhere, "%s/results.db/below", fixture_folder);
    (void)snprintf(said, sizeof said, "cannot make a file in '%s': Not a directory",
                   nowhere);
    assert_int_equal(setenv("TMPDIR", nowhere, 1), 0);
    stand_nowhere();
    assert_int_equal(store_rescue(store, &path, &fixture_error), DUET_E_IO);
    assert_string_equal(fixture_error.message, said);
    assert_null(path);
    assert_true(remote.recording); /* as it was */
    close_mirror(store);
}

static void no_memory_is_told(void **state)
{
    (void)state;
    char *path = NULL;
    struct remote remote;
    struct store *store = mirror_of_server(&remote);
    assert_int_equal(setenv("TMPDIR", fixture_folder, 1), 0);
    stand_nowhere();
    enum duet_code code = DUET_E_NOMEM;
    unsigned long n = 0;
    while (code == DUET_E_NOMEM) {
        assert_null(path);
        assert_int_equal(rescued_count(fixture_folder), 0);
        alloc_fail_at(++n);
        code = store_rescue(store, &path, &fixture_error);
        alloc_fail_at(0);
    }
    assert_ok(code);
    assert_true(n > 4); /* two folders, a name in each */
    assert_rescued(path, fixture_folder, 2);
    close_mirror(store);
    free(path);
}

/* A file's folder is not looked for above the current one. */
static void a_file_without_its_folder(void **state)
{
    (void)state;
    char *path = NULL;
    struct store *store = store_called("results.db");
    stand_nowhere();
    assert_int_equal(store_rescue(store, &path, &fixture_error), DUET_E_IO);
    assert_string_equal(fixture_error.message,
                        "cannot make a file in '.': No such file or directory");
    assert_null(path);
    assert_int_equal(chdir(fixture_folder), 0);
    free(store->path);
    store->path = strdup("gone/away/results.db");
    assert_ok(store_rescue(store, &path, &fixture_error));
    assert_rescued(path, ".", 1);
    store_close(store);
    free(path);
}

/* A limit on the size of files, as a full disk. */
static void a_copy_that_fails_leaves_no_file(void **state)
{
    (void)state;
    char *path = NULL;
    struct rlimit before;
    struct store *store = store_called(fixture_path);
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    assert_int_equal(sigaction(SIGXFSZ, &ignore, NULL), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {.rlim_cur = 10000, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    enum duet_code code = store_rescue(store, &path, &fixture_error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(code, DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "rescuing it"));
    assert_null(path);
    assert_int_equal(rescued_count(fixture_folder), 0);
    assert_ok(store_rescue(store, &path, &fixture_error)); /* with room again */
    assert_rescued(path, fixture_folder, 1);
    store_close(store);
    free(path);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_servers_results_are_put_here),
        CASE(or_where_nothing_lasts),
        CASE(or_nowhere),
        CASE(no_memory_is_told),
        CASE(a_file_without_its_folder),
        CASE(a_copy_that_fails_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
