// labels: soakvalgrind
/* What can go wrong with the world: a full disk, a lock, a kill, a second writer. What
 * had been finished stays. */
#include "base/random.h"
#include "support/alloc_fail.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "store_fixture.h"

static void assert_says(const char *text)
{
    if (strstr(fixture_error.message, text) == NULL) {
        fail_msg("'%s' does not say '%s'", fixture_error.message, text);
    }
}

static void assert_whole(int64_t runs, int64_t iterations)
{
    char *check = fixture_text(fixture_path, "PRAGMA integrity_check");
    assert_string_equal(check, "ok");
    free(check);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM run"), runs);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM iteration"),
                     2 * runs * iterations);
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM run_side"),
                     2 * runs);
}

/* Saves runs until one fails; returns how many were saved. */
static uint64_t save_until_failure(struct model_sink sink, uint64_t iterations,
                                   uint64_t most)
{
    for (uint64_t i = 0; i < most; i++) {
        if (fixture_save_run(sink, i, iterations) != DUET_OK) {
            return i;
        }
    }
    fail_msg("%s", "nothing failed");
    return most;
}

static void test_database_full(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct model_sink sink = store_sink(store, fixture_begin(store));
    assert_int_equal(
        sqlite3_exec(store->db, "PRAGMA max_page_count = 60", NULL, NULL, NULL),
        SQLITE_OK);
    uint64_t saved = save_until_failure(sink, 500, 100);
    assert_int_equal(fixture_error.code, DUET_E_IO);
    assert_says("disk full");
    assert_true(saved > 0);
    assert_whole((int64_t)saved, 500);
    /* With room again, it goes on. */
    assert_int_equal(
        sqlite3_exec(store->db, "PRAGMA max_page_count = 6000", NULL, NULL, NULL),
        SQLITE_OK);
    assert_ok(fixture_save_run(sink, saved, 500));
    store_close(store);
    assert_whole((int64_t)saved + 1, 500);
}

/* SQLite calls that a full disk. */
static void test_ids_used_up(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    struct model_plan plan = fixture_plan();
    int64_t experiment = fixture_begin(store);
    fixture_sql(fixture_path, "UPDATE experiment SET id = 9223372036854775807");
    assert_int_equal(store_experiment_begin(store, &plan, NULL, NULL, "0.1.0",
                                            &experiment, &fixture_error),
                     DUET_E_FORMAT);
    assert_says("9223372036854775807");
    assert_says("duet store merge");
    store_close(store);
}

/* Runs `body` in a child, since what it does to the process cannot be undone. Exit
 * status 77: skipped. */
static int in_child(void (*body)(void))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool child_saves_until_disk_full(uint64_t iterations)
{
    struct store *store = NULL;
    struct model_plan plan = fixture_plan();
    int64_t experiment = 0;
    enum duet_code code = store_open(fixture_path, true, &store, &fixture_error);
    if (code == DUET_OK) {
        code = store_experiment_begin(store, &plan, NULL, NULL, "0.1.0", &experiment,
                                      &fixture_error);
    }
    int64_t saved = 0;
    while (code == DUET_OK) {
        code = fixture_save_run(store_sink(store, experiment), (uint64_t)saved,
                                iterations);
        saved += code == DUET_OK;
    }
    store_close(store);
    return saved > 0 && code == DUET_E_IO &&
           strstr(fixture_error.message, "disk full") != NULL &&
           fixture_number(fixture_path, "SELECT count(*) FROM run") == saved &&
           fixture_number(fixture_path, "SELECT count(*) FROM iteration") ==
               2 * saved * (int64_t)iterations;
}

static void fill_file_limit(void)
{
    struct rlimit limit = {.rlim_cur = 1000000, .rlim_max = 1000000};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGXFSZ, &ignore, NULL);
    bool good =
        setrlimit(RLIMIT_FSIZE, &limit) == 0 && child_saves_until_disk_full(1000);
    _exit(good ? 0 : 1);
}

static void fill_small_disk(void)
{
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", "none", MS_REC | MS_PRIVATE, "") != 0 ||
        mount("none", fixture_folder, "tmpfs", 0, "size=2m") != 0) {
        _exit(77);
    }
    bool good = child_saves_until_disk_full(1000);
    /* A run that does not even fit beside the store. */
    good = good && !child_saves_until_disk_full(100000) &&
           strstr(fixture_error.message, "disk full") != NULL;
    _exit(good ? 0 : 1);
}

static void test_file_size_limit(void **state)
{
    (void)state;
    assert_int_equal(in_child(fill_file_limit), 0);
}

static void test_disk_full(void **state)
{
    (void)state;
    int status = in_child(fill_small_disk);
    if (status == 77) {
        print_message("skipped: a file system of our own needs the superuser\n");
        skip();
    }
    assert_int_equal(status, 0);
}

static void test_locked(void **state)
{
    (void)state;
    struct store *store = NULL;
    assert_ok(store_open_within(fixture_path, true, 100, &store, &fixture_error));
    struct model_sink sink = store_sink(store, fixture_begin(store));
    assert_ok(fixture_save_run(sink, 0, 2));
    sqlite3 *other = NULL;
    assert_int_equal(sqlite3_open(fixture_path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(fixture_save_run(sink, 1, 2), DUET_E_IO);
    assert_says("locked by another process");
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_ok(fixture_save_run(sink, 1, 2));
    store_close(store);

    assert_int_equal(
        sqlite3_exec(
            other,
            "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE run SET block = block; COMMIT",
            NULL, NULL, NULL),
        SQLITE_OK);
    store = NULL;
    assert_int_equal(store_open_within(fixture_path, true, 100, &store, &fixture_error),
                     DUET_E_IO);
    assert_says("locked by another process");
    assert_null(store);
    sqlite3_close(other);
    assert_whole(2, 2);
}

/* The process that holds the lock, and what it is told meanwhile. */
struct patient {
    sqlite3 *other;
    int told;
};

/* Ends the lock. */
static void let_go(void *context, int waited_s)
{
    struct patient *patient = context;
    assert_in_range(waited_s, 0, 1);
    patient->told++;
    assert_int_equal(sqlite3_exec(patient->other, "COMMIT", NULL, NULL, NULL),
                     SQLITE_OK);
}

static void test_patience(void **state)
{
    (void)state;
    struct store *store = NULL;
    struct patient patient = {0};
    int cancel[2];
    assert_int_equal(pipe(cancel), 0);
    struct store_patience patience = {
        .cancel_fd = cancel[0], .locked = let_go, .context = &patient};
    assert_ok(store_open_within(fixture_path, true, 100, &store, &fixture_error));
    struct model_sink sink = store_sink(store, fixture_begin(store));
    store_wait_long(store, &patience);
    assert_int_equal(sqlite3_open(fixture_path, &patient.other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(patient.other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_ok(fixture_save_run(sink, 0, 2));
    assert_int_equal(patient.told, 1);
    /* Who is to end waits no longer than others. */
    assert_int_equal(sqlite3_exec(patient.other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(write(cancel[1], "x", 1), 1);
    assert_int_equal(fixture_save_run(sink, 1, 2), DUET_E_IO);
    assert_says("locked by another process");
    assert_int_equal(patient.told, 1);
    sqlite3_close(patient.other);
    store_close(store);
    close(cancel[0]);
    close(cancel[1]);
}

/* What has lost its file can still be read, and is all there. */
static void test_rescue(void **state)
{
    (void)state;
    char folder[600];
    char *path = NULL;
    struct stat status;
    (void)snprintf(folder, sizeof folder, "%s/sub", fixture_folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    struct store *store = NULL;
    assert_ok(store_open(fixture_in("sub/results.db"), true, &store, &fixture_error));
    struct model_sink sink = store_sink(store, fixture_begin(store));
    assert_ok(fixture_save_run(sink, 0, 2));
    assert_int_equal(unlink(fixture_path), 0);
    (void)unlink(fixture_in("sub/results.db-wal"));
    (void)unlink(fixture_in("sub/results.db-shm"));
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(fixture_save_run(sink, 1, 2), DUET_E_IO);
    assert_says("deleted, moved");
    assert_ok(store_rescue(store, &path, &fixture_error));
    store_close(store);
    assert_int_equal(strncmp(path, fixture_folder, strlen(fixture_folder)), 0);
    assert_null(strstr(path, "/sub/"));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777U, 0600);
    (void)snprintf(fixture_path, sizeof fixture_path, "%s", path);
    free(path);
    assert_whole(2, 2);
}

static enum duet_code rescue(struct store *store)
{
    char *path = NULL;
    enum duet_code code = store_rescue(store, &path, &fixture_error);
    assert_true((code == DUET_OK) == (path != NULL));
    if (path != NULL) {
        assert_int_equal(unlink(path), 0);
    }
    free(path);
    return code;
}

static void test_what_prevents_a_rescue(void **state)
{
    (void)state;
    struct store *store = NULL;
    char folder[600];
    (void)snprintf(folder, sizeof folder, "%s/sub", fixture_folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_ok(store_open(fixture_in("sub/results.db"), true, &store, &fixture_error));
    enum duet_code code = DUET_E_NOMEM;
    for (unsigned long n = 1; code == DUET_E_NOMEM; n++) {
        alloc_fail_at(n);
        code = rescue(store);
        alloc_fail_at(0);
    }
    assert_ok(code);
    /* The folder is a file now: no name in it can be made. */
    (void)unlink(fixture_in("sub/results.db-wal"));
    (void)unlink(fixture_in("sub/results.db-shm"));
    (void)unlink(fixture_in("sub/results.db"));
    assert_int_equal(rmdir(folder), 0);
    fixture_write(folder, "");
    assert_int_equal(rescue(store), DUET_E_IO);
    assert_says("cannot make a file in '");
    store_close(store);
}

/* Both make the store, both write: neither sees an error. */
static void write_beside_others(void)
{
    struct store *store = fixture_open();
    struct model_sink sink = store_sink(store, fixture_begin(store));
    for (uint64_t i = 0; i < 40; i++) {
        assert_ok(fixture_save_run(sink, i, 20));
    }
    store_close(store);
}

static void test_several_writers(void **state)
{
    (void)state;
    enum { WRITERS = 4, ALL_RUNS = 40 * WRITERS };
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            write_beside_others();
            _exit(0);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_whole(ALL_RUNS, 20);
    assert_int_equal(
        fixture_number(fixture_path, "SELECT count(DISTINCT uuid) FROM run"), ALL_RUNS);
}

/* ---- Killed ---- */

enum { KILLED_ITERATIONS = 200 };

/* Writes runs for ever and tells of each one that run_end() acknowledged. */
static void write_until_killed(int acknowledge)
{
    struct store *store = NULL;
    struct model_plan plan = fixture_plan();
    int64_t experiment = 0;
    if (store_open(fixture_path, true, &store, &fixture_error) != DUET_OK ||
        store_experiment_begin(store, &plan, NULL, NULL, NULL, &experiment,
                               &fixture_error) != DUET_OK) {
        _exit(1);
    }
    struct model_sink sink = store_sink(store, experiment);
    for (uint64_t i = 0;; i++) {
        if (fixture_save_run(sink, i, KILLED_ITERATIONS) != DUET_OK ||
            write(acknowledge, "+", 1) != 1) {
            _exit(1);
        }
    }
}

/* Starts a writer and kills it a while after its start or after its first run; returns
 * how many it acknowledged. */
static int64_t kill_a_writer(uint32_t after_us, bool after_first)
{
    int64_t acknowledged = 0;
    char plus = 0;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(ends[0]);
        write_until_killed(ends[1]);
    }
    (void)close(ends[1]);
    if (after_first) {
        assert_int_equal(read(ends[0], &plus, 1), 1);
        acknowledged++;
    }
    const struct timespec pause = {.tv_nsec = (long)after_us * 1000};
    (void)nanosleep(&pause, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    while (read(ends[0], &plus, 1) == 1) {
        acknowledged++;
    }
    (void)close(ends[0]);
    return acknowledged;
}

static void test_killed(void **state)
{
    (void)state;
    struct random_stream random = random_stream_at(20260101, 1);
    int64_t before = 0;
    for (int round = 0; round < 20; round++) {
        int64_t acknowledged =
            kill_a_writer(random_below(&random, 40000), round % 2 == 0);
        struct store *store = fixture_open(); /* it opens */
        store_close(store);
        int64_t runs = fixture_number(fixture_path, "SELECT count(*) FROM run");
        /* All that was acknowledged, and at most the one that was committed and not
         * yet acknowledged. */
        assert_in_range(runs - before, acknowledged, acknowledged + 1);
        assert_whole(runs, KILLED_ITERATIONS);
        before = runs;
    }
    assert_true(before >= 10);
    /* The dead ones' experiments say so. */
    struct store *store = fixture_open();
    struct store_experiment found = {0};
    assert_ok(store_experiment_find(store, "last", &found, &fixture_error));
    assert_int_equal(found.state, STORE_RUNNING);
    store_experiment_release(&found);
    store_close(store);
}

int main(void)
{
#define CASE(name) \
    cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_database_full),   CASE(test_ids_used_up),
        CASE(test_file_size_limit), CASE(test_disk_full),
        CASE(test_locked),          CASE(test_several_writers),
        CASE(test_killed),          CASE(test_patience),
        CASE(test_rescue),          CASE(test_what_prevents_a_rescue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
