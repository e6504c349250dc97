// link: -Wl,--wrap=fcntl
/* Watches: what a restart finds, and who may work on one. */
#include "store/store_watch.h"

#include "store_fixture.h"
#include "support/alloc_fail.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>

/* What the kernel says to the next request for a lock, and to the next question for its
 * holder. */
static struct {
    int set_errnum;          /* 0: as it is */
    int ask_errnum;          /* 0: as it is */
    const struct flock *ask; /* NULL: as it is */
} kernel;

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

int __wrap_fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    int *errnum = command == F_SETLK ? &kernel.set_errnum : &kernel.ask_errnum;
    if ((command == F_SETLK || command == F_GETLK) && *errnum != 0) {
        errno = *errnum;
        *errnum = 0;
        return -1;
    }
    if (command == F_GETLK && kernel.ask != NULL) {
        *(struct flock *)argument = *kernel.ask;
        return 0;
    }
    return __real_fcntl(fd, command, argument);
}

static struct model_watch settings(const char *name)
{
    return (struct model_watch){.name = name,
                                .folder = "/work place",
                                .cpus = "0-1",
                                .provision = "rent 'it'",
                                .release = "return",
                                .attempts = 3,
                                .retry_ns = 5,
                                .every_ns = UINT64_C(86400000000000),
                                .per_hour = 4.5,
                                .batch_size = 2,
                                .rule = "metior",
                                .statistic = "p90",
                                .error = 0.03,
                                .confidence = 0.95,
                                .replicates = 1000,
                                .metric = "throughput",
                                .unit = "",
                                .pattern = "x=(.*)",
                                .higher_is_better = true,
                                .intervals_max = 21};
}

static int64_t begin(struct store *store, const char *name, int64_t *ret_experiment)
{
    int64_t id = 0;
    struct model_watch watch = settings(name);
    int64_t experiment = fixture_begin(store);
    assert_ok(store_watch_begin(store, experiment, &watch, 1700000000000000000, &id,
                                &fixture_error));
    if (ret_experiment != NULL) {
        *ret_experiment = experiment;
    }
    return id;
}

static void end(struct store *store, int64_t experiment, enum store_state state)
{
    assert_ok(
        store_experiment_end(store, experiment, state, NULL, "why", &fixture_error));
}

static struct store_watch find(struct store *store, const char *which)
{
    struct store_watch watch;
    assert_ok(store_watch_find(store, which, &watch, &fixture_error));
    return watch;
}

static void test_what_was_asked_for_is_read_back(void **state)
{
    (void)state;
    int64_t experiment = 0;
    struct store *store = fixture_open();
    int64_t id = begin(store, "w", &experiment);
    store_close(store);
    store = fixture_open();
    struct store_watch found = find(store, "w");
    struct model_watch wanted = settings("w");
    const struct model_watch *watch = &found.watch;
    assert_int_equal(found.id, id);
    assert_int_equal(found.experiment, experiment);
    assert_string_equal(watch->folder, wanted.folder);
    assert_string_equal(watch->cpus, wanted.cpus);
    assert_string_equal(watch->provision, wanted.provision);
    assert_string_equal(watch->release, wanted.release);
    assert_int_equal(watch->attempts, 3);
    assert_int_equal(watch->retry_ns, 5);
    assert_true(watch->every_ns == wanted.every_ns);
    assert_true(watch->per_hour == 4.5 && watch->error == 0.03);
    assert_int_equal(watch->batch_size, 2);
    assert_string_equal(watch->rule, "metior");
    assert_string_equal(watch->statistic, "p90");
    assert_string_equal(watch->metric, "throughput");
    assert_string_equal(watch->pattern, "x=(.*)");
    assert_true(watch->higher_is_better);
    assert_int_equal(watch->intervals_max, 21);
    /* Of the experiment: its new side. */
    assert_string_equal(found.command, "xz -6");
    assert_string_equal(found.shell, "/bin/sh");
    assert_null(found.prepare);
    assert_true(found.seed == UINT64_MAX - 1);
    assert_int_equal(found.state, STORE_RUNNING);
    assert_int_equal(found.next_batch, 0);
    assert_int_equal(found.open_batch, -1);
    assert_false(found.stopped);
    fixture_expect_text("SELECT direction FROM metric WHERE name = 'throughput'",
                        "higher");
    store_watch_release(&found);
    store_close(store);
}

static void test_where_it_stands(void **state)
{
    (void)state;
    int64_t experiment = 0;
    struct store *store = fixture_open();
    int64_t id = begin(store, "w", &experiment);
    assert_ok(store_watch_move(store, id, 5, 4, &fixture_error));
    struct store_watch found = find(store, "w");
    assert_int_equal(found.next_batch, 5);
    assert_int_equal(found.open_batch, 4);
    store_watch_release(&found);
    end(store, experiment, STORE_FAILED);
    found = find(store, NULL);
    assert_int_equal(found.state, STORE_FAILED);
    assert_string_equal(found.message, "why");
    assert_ok(store_watch_resume(store, &found, 42, &fixture_error));
    store_watch_release(&found);
    assert_ok(store_watch_move(store, id, 5, -1, &fixture_error));
    struct model_watch_status answer = {.result = 12.5,
                                        .result_points = 96,
                                        .stop_points = 192,
                                        .stop_low = -0.01,
                                        .stop_high = (double)NAN};
    assert_ok(store_watch_stop(store, id, &answer, &fixture_error));
    found = find(store, "1");
    assert_int_equal(found.state, STORE_RUNNING);
    assert_null(found.message);
    assert_int_equal(found.watch.intervals_max, 42);
    assert_int_equal(found.open_batch, -1);
    assert_true(found.stopped && found.result == 12.5 && found.stop_low == -0.01);
    assert_true(isnan(found.stop_high));
    assert_int_equal(found.result_points, 96);
    assert_int_equal(found.stop_points, 192);
    store_watch_release(&found);
    assert_int_equal(store_watch_move(store, 99, 0, -1, &fixture_error),
                     DUET_E_NOT_FOUND);
    store_close(store);
}

static void test_finding(void **state)
{
    (void)state;
    int64_t first = 0;
    int64_t second = 0;
    struct store_watch found;
    struct store *store = fixture_open();
    assert_int_equal(store_watch_find(store, NULL, &found, &fixture_error),
                     DUET_E_NOT_FOUND);
    assert_int_equal(store_watch_find(store, "w", &found, &fixture_error),
                     DUET_E_NOT_FOUND);
    assert_non_null(strstr(fixture_error.message, "'w'"));
    (void)begin(store, "w", &first);
    /* The name is taken until that one is over. */
    struct model_watch again = settings("w");
    int64_t id = 0;
    second = fixture_begin(store);
    assert_int_equal(store_watch_begin(store, second, &again, 1, &id, &fixture_error),
                     DUET_E_USAGE);
    end(store, first, STORE_DONE);
    assert_ok(store_watch_begin(store, second, &again, 1, &id, &fixture_error));
    found = find(store, "w");
    assert_int_equal(found.experiment, second);
    store_watch_release(&found);
    (void)begin(store, "v", NULL);
    assert_int_equal(store_watch_find(store, NULL, &found, &fixture_error),
                     DUET_E_USAGE);
    bool has = false;
    assert_ok(store_watch_has(store, first, &has, &fixture_error));
    assert_true(has);
    assert_ok(store_watch_has(store, 99, &has, &fixture_error));
    assert_false(has);
    struct store_watch *list = NULL;
    size_t count = 0;
    assert_ok(store_watch_list(store, &list, &count, &fixture_error));
    assert_int_equal(count, 3);
    assert_int_equal(list[0].experiment, first);
    for (size_t i = 0; i < count; i++) {
        store_watch_release(&list[i]);
    }
    free(list);
    assert_int_equal(store_watch_begin(store, 99, &again, 1, &id, &fixture_error),
                     DUET_E_USAGE);
    again.name = "u";
    assert_int_equal(store_watch_begin(store, 99, &again, 1, &id, &fixture_error),
                     DUET_E_NOT_FOUND);
    store_close(store);
}

static void test_an_observation_comes_with_its_run(void **state)
{
    (void)state;
    int64_t experiment = 0;
    struct store *store = fixture_open();
    (void)begin(store, "w", &experiment);
    struct model_sink sink = store_sink(store, experiment);
    struct model_run run = fixture_run(7, 0);
    assert_int_equal(
        store_sink_observe(store, MODEL_NEW, "throughput", 1.5, &fixture_error),
        DUET_E_INTERNAL);
    assert_ok(sink.run_begin(sink.context, &run, &fixture_error));
    assert_ok(store_sink_observe(store, MODEL_NEW, "throughput", 1.5, &fixture_error));
    assert_ok(store_sink_observe(store, MODEL_NEW, "throughput", 2.5, &fixture_error));
    assert_ok(sink.run_end(sink.context, &run, &fixture_error));
    /* One that was given up leaves nothing, neither at once nor with the next. */
    run = fixture_run(8, 0);
    assert_ok(sink.run_begin(sink.context, &run, &fixture_error));
    assert_ok(store_sink_observe(store, MODEL_NEW, "throughput", 9.5, &fixture_error));
    sink.run_abort(sink.context);
    assert_ok(fixture_save_run(sink, 9, 1));
    /* Nor does one whose metric is unknown. */
    run = fixture_run(10, 0);
    assert_ok(sink.run_begin(sink.context, &run, &fixture_error));
    assert_ok(store_sink_observe(store, MODEL_NEW, "no", 9.5, &fixture_error));
    assert_int_equal(sink.run_end(sink.context, &run, &fixture_error),
                     DUET_E_NOT_FOUND);
    store_close(store);
    fixture_expect_text(
        "SELECT group_concat(r.idx || ':' || o.side || ':' || o.value) FROM observation AS o JOIN run AS r "
        "ON r.id = o.run_id",
        "7:1:2.5");
    fixture_expect_text("SELECT group_concat(idx) FROM run", "7,9");
}

/* In another process: its exit status says what the lock said. */
static int lock_elsewhere(int64_t id)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct store *store = fixture_open();
        struct store_watch_lock lock = {.fd = -1};
        int64_t holder = -1;
        enum duet_code code =
            store_watch_lock(store, id, &lock, &holder, &fixture_error);
        bool told = holder == getppid() && store_watch_holder(store, id) == holder;
        store_close(store); /* the lock stays until the process ends */
        _exit(code != DUET_OK ? 9 : holder == 0 ? 0 : told ? 1 : 2);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}

static void test_one_process_at_a_time(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = begin(store, "w", NULL);
    int64_t other = begin(store, "v", NULL);
    struct store_watch_lock lock;
    int64_t holder = -1;
    assert_int_equal(store_watch_holder(store, id), 0);
    assert_ok(store_watch_lock(store, id, &lock, &holder, &fixture_error));
    assert_int_equal(holder, 0);
    assert_true(lock.fd >= 0);
    store_close(store);
    assert_int_equal(lock_elsewhere(id), 1);
    assert_int_equal(lock_elsewhere(other), 0);
    /* The process that had the other one is gone, and its lock with it. */
    assert_int_equal(lock_elsewhere(other), 0);
    store_watch_unlock(&lock);
    assert_int_equal(lock_elsewhere(id), 0);
}

/* The process that has the lock ends before it is asked for: the lock is to be had. */
static void test_a_holder_that_ends_meanwhile(void **state)
{
    (void)state;
    struct store *store = fixture_open();
    int64_t id = begin(store, "w", NULL);
    struct store_watch_lock lock = {.fd = -1};
    int64_t holder = -5;
    static const int refusals[] = {EAGAIN, EACCES};
    for (size_t i = 0; i < 2; i++) {
        kernel.set_errnum = refusals[i];
        assert_ok(store_watch_lock(store, id, &lock, &holder, &fixture_error));
        assert_int_equal(holder, 0);
        assert_true(lock.fd >= 0);
        assert_int_equal(lock_elsewhere(id), 1);
        store_watch_unlock(&lock);
        assert_int_equal(lock.fd, -1);
    }
    store_close(store);
}

/* To a process of another PID namespace the kernel gives no number of the holder's. */
static void test_a_holder_of_another_container(void **state)
{
    (void)state;
    static const struct flock nameless = {.l_type = F_WRLCK, .l_len = 1};
    char name[STORE_WATCH_HOLDER_BYTES];
    struct store *store = fixture_open();
    int64_t id = begin(store, "w", NULL);
    struct store_watch_lock lock = {.fd = -7};
    int64_t holder = 0;
    kernel.ask = &nameless;
    kernel.set_errnum = EAGAIN;
    assert_ok(store_watch_lock(store, id, &lock, &holder, &fixture_error));
    assert_int_equal(lock.fd, -1);
    assert_int_equal(holder, STORE_WATCH_ELSEWHERE);
    assert_int_equal(store_watch_holder(store, id), STORE_WATCH_ELSEWHERE);
    store_watch_holder_name(holder, name);
    assert_string_equal(name, "a process of another container");
    store_watch_holder_name(INT64_C(4711), name);
    assert_string_equal(name, "process 4711");
    kernel.ask = NULL;
    store_close(store);
}

/* No lock, and nothing is said to be one. */
static void expect_no_lock(struct store *store, int64_t id, enum duet_code code)
{
    struct store_watch_lock lock = {.fd = -7};
    int64_t holder = -5;
    assert_int_equal(store_watch_lock(store, id, &lock, &holder, &fixture_error), code);
    assert_int_equal(lock.fd, -7);
    assert_int_equal(holder, -5);
}

static void test_no_lock_to_be_had(void **state)
{
    (void)state;
    char path[600];
    (void)snprintf(path, sizeof path, "%s-watches", fixture_path);
    struct store *store = fixture_open();
    int64_t id = begin(store, "w", NULL);
    kernel.set_errnum = ENOLCK;
    expect_no_lock(store, id, DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "cannot lock '"));
    assert_non_null(strstr(fixture_error.message, "No locks available"));
    kernel.set_errnum = EAGAIN;
    kernel.ask_errnum = EIO;
    expect_no_lock(store, id, DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "Input/output error"));
    kernel.ask_errnum = EIO;
    assert_int_equal(store_watch_holder(store, id), 0);
    alloc_fail_at(1);
    expect_no_lock(store, id, DUET_E_NOMEM);
    alloc_fail_at(1);
    assert_int_equal(store_watch_holder(store, id), 0);
    alloc_fail_at(0);
    /* A link that somebody else has put there is not followed. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    expect_no_lock(store, id, DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, path));
    assert_int_not_equal(access(fixture_in("elsewhere"), F_OK), 0);
    store_close(store);
}

/* A store from before watches, with an experiment in it. */
static void test_older_store(void **state)
{
    (void)state;
    size_t count = 0;
    (void)store_schema_steps(&count);
    struct store *store = fixture_open();
    int64_t kept = fixture_begin(store);
    store_close(store);
    fixture_go_back(fixture_path, "watches");
    store = fixture_open();
    assert_int_equal(fixture_number(fixture_path, "PRAGMA user_version"), count);
    int64_t id = 0;
    struct model_watch watch = settings("w");
    assert_ok(store_watch_begin(store, kept, &watch, 1, &id, &fixture_error));
    fixture_sql(fixture_path,
                "PRAGMA foreign_keys = ON; DELETE FROM experiment WHERE id = 1");
    assert_int_equal(fixture_number(fixture_path, "SELECT count(*) FROM watch"), 0);
    store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_was_asked_for_is_read_back,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_where_it_stands, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_finding, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_an_observation_comes_with_its_run,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_one_process_at_a_time, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_a_holder_that_ends_meanwhile,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_a_holder_of_another_container,
                                        fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_no_lock_to_be_had, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(test_older_store, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
