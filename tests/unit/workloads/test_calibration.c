/* The calibration's file: one answer for all who ask, whatever happens to the file. */
// link: duet_workloads
#include "workloads/calibration.h"

#include "base/text.h"
#include "support/alloc_fail.h"
#include "workloads/calibration_text.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define HEAD "duet-calibration 1\n"

/* A folder of its own for each test, and a measurement that counts its calls. */
struct fixture {
    char folder[256];
    char path[300];
    unsigned calls;
    uint64_t answer;
    enum duet_code code;
};

static enum duet_code measure_counted(const struct workload_kind *kind, void *context,
                                      uint64_t *ret_rate, struct duet_error *reterr)
{
    struct fixture *fixture = context;
    (void)kind;
    fixture->calls++;
    if (fixture->code != DUET_OK) {
        return error_set(reterr, fixture->code, "the measurement failed");
    }
    *ret_rate = fixture->answer;
    return DUET_OK;
}

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    (void)snprintf(fixture->folder, sizeof fixture->folder, "%s/calibrationXXXXXX",
                   TEST_BINARY_DIR);
    assert_non_null(mkdtemp(fixture->folder));
    (void)snprintf(fixture->path, sizeof fixture->path, "%s/rates", fixture->folder);
    fixture->answer = 1000;
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    static const char *const names[] = {"rates", "rates.lock", "rates.new", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[300];
        (void)snprintf(path, sizeof path, "%s/%s", fixture->folder, names[i]);
        (void)remove(path);
    }
    free(fixture);
    return 0;
}

static struct calibration_source source_of(struct fixture *fixture)
{
    return (struct calibration_source){.path = fixture->path,
                                       .host = "host A",
                                       .measure = measure_counted,
                                       .context = fixture};
}

static uint64_t rate_of(const struct calibration_source *source, size_t kind)
{
    uint64_t rate = 0;
    struct duet_error error = {0};
    enum duet_code code =
        calibration_rate(source, workload_kind_at(kind), &rate, &error);
    if (code != DUET_OK) {
        fail_msg("%s", error.message);
    }
    return rate;
}

static void file_put(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void check_file(const struct fixture *fixture, const char *expected)
{
    char bytes[1024] = {0};
    FILE *file = fopen(fixture->path, "r");
    assert_non_null(file);
    size_t length = fread(bytes, 1, sizeof bytes - 1, file);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(bytes, expected);
    assert_int_equal(length, strlen(expected));
}

static void is_measured_once_and_kept(void **state)
{
    struct fixture *fixture = *state;
    struct calibration_source source = source_of(fixture);
    assert_int_equal(rate_of(&source, 0), 1000);
    fixture->answer = 2000;
    assert_int_equal(rate_of(&source, 0), 1000);
    assert_int_equal(fixture->calls, 1);
    check_file(fixture, HEAD "host A\tinteger\t1000\n");
}

static void kinds_and_hosts_are_kept_apart(void **state)
{
    struct fixture *fixture = *state;
    struct calibration_source source = source_of(fixture);
    (void)rate_of(&source, 0);
    fixture->answer = 2000;
    assert_int_equal(rate_of(&source, 3), 2000);
    fixture->answer = 3000;
    source.host = "host AB";
    assert_int_equal(rate_of(&source, 0), 3000);
    check_file(fixture, HEAD "host A\tinteger\t1000\n"
                             "host A\tmemory\t2000\n"
                             "host AB\tinteger\t3000\n");
    source.host = "host A";
    assert_int_equal(rate_of(&source, 0), 1000);
    assert_int_equal(rate_of(&source, 3), 2000);
    assert_int_equal(fixture->calls, 3);
}

static void missing_folders_are_made(void **state)
{
    struct fixture *fixture = *state;
    char path[400];
    (void)snprintf(path, sizeof path, "%s/one/two/rates", fixture->folder);
    struct calibration_source source = source_of(fixture);
    source.path = path;
    assert_int_equal(rate_of(&source, 0), 1000);
    assert_int_equal(rate_of(&source, 0), 1000);
    assert_int_equal(fixture->calls, 1);
    static const char *const names[] = {"one/two/rates", "one/two/rates.lock",
                                        "one/two", "one"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", fixture->folder, names[i]);
        assert_int_equal(remove(path), 0);
    }
}

/* Any damage: measured anew, and the file is whole afterwards. */
static void damaged_files_are_made_anew(void **state)
{
    struct fixture *fixture = *state;
    static const char *const damaged[] = {
        "",
        "\n",
        "garbage",
        "duet-calibration 1",
        "duet-calibration 2\nhost A\tinteger\t7\n",
        HEAD "host A\tinteger\t7",
        HEAD "host A\tinteger\t\n",
        HEAD "host A\tinteger\n",
        HEAD "host A\tinteger\t0\n",
        HEAD "host A\tinteger\t-7\n",
        HEAD "host A\tinteger\t7.5\n",
        HEAD "host A\tinteger\t1e9\n",
        HEAD "host A\tinteger\t 7\n",
        HEAD "host A\tinteger\t1000000000000000\n",
        HEAD "host A\tinteger\t99999999999999999999999999\n",
        HEAD "host A\tinteger\t7\t8\n",
        HEAD "host A\tinteger\t7\n\n",
        HEAD "host A\tinteger\t7\nhost B\tinteger\n",
        HEAD "\tinteger\t7\n",
    };
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        file_put(fixture->path, damaged[i], strlen(damaged[i]));
        struct calibration_source source = source_of(fixture);
        assert_int_equal(rate_of(&source, 0), 1000);
        assert_int_equal(fixture->calls, i + 1);
        check_file(fixture, HEAD "host A\tinteger\t1000\n");
    }
    static const char with_nul[] = HEAD "host A\tinteger\t7\n\0";
    file_put(fixture->path, with_nul, sizeof with_nul - 1);
    struct calibration_source source = source_of(fixture);
    assert_int_equal(rate_of(&source, 0), 1000);
}

/* A file that has grown full of other hosts is started again, with this one. */
static void full_files_are_started_again(void **state)
{
    struct fixture *fixture = *state;
    struct text text = {0};
    text_append(&text, HEAD);
    while (text.length + 20 < 64 * 1024) {
        text_append(&text, "host Z\tinteger\t7777\n");
    }
    file_put(fixture->path, text_string(&text), text.length);
    text_release(&text);
    struct calibration_source source = source_of(fixture);
    assert_int_equal(rate_of(&source, 0), 1000);
    check_file(fixture, HEAD "host A\tinteger\t1000\n");
}

static void empty_file_has_no_rates(void **state)
{
    (void)state;
    uint64_t rate = 42;
    assert_true(calibration_text_find(HEAD, "host A", "integer", &rate));
    assert_int_equal(rate, 0);
    rate = 42;
    assert_false(calibration_text_find("", "host A", "integer", &rate));
    assert_int_equal(rate, 42);
}

static void fifo_is_not_waited_for(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(mkfifo(fixture->path, 0600), 0);
    struct calibration_source source = source_of(fixture);
    assert_int_equal(rate_of(&source, 0), 1000);
    check_file(fixture, HEAD "host A\tinteger\t1000\n");
}

static void check_refused(const struct calibration_source *source)
{
    uint64_t rate = 42;
    struct duet_error error = {0};
    assert_int_equal(calibration_rate(source, workload_kind_at(0), &rate, &error),
                     DUET_E_IO);
    assert_int_equal(rate, 42);
    assert_non_null(strstr(error.message, source->path));
    assert_non_null(strstr(error.message, "DUET_CALIBRATION"));
    assert_non_null(strstr(error.message, "--operations"));
}

static void places_that_cannot_be_written_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct calibration_source source = source_of(fixture);
    source.path = "/dev/null/rates";
    check_refused(&source);
    source.path = fixture->folder; /* a folder where the file should be */
    check_refused(&source);
    char path[400];
    (void)snprintf(path, sizeof path, "%s.lock", fixture->folder);
    (void)remove(path);
    assert_int_equal(fixture->calls, 1); /* the second is found out when renaming */
}

static void read_only_folder_serves_what_it_has(void **state)
{
    struct fixture *fixture = *state;
    if (geteuid() == 0) {
        print_message("skipped: the super-user may write everywhere\n");
        skip();
    }
    struct calibration_source source = source_of(fixture);
    (void)rate_of(&source, 0);
    char lock[400];
    (void)snprintf(lock, sizeof lock, "%s.lock", fixture->path);
    (void)remove(lock);
    assert_int_equal(chmod(fixture->folder, 0500), 0);
    uint64_t rate = rate_of(&source, 0);
    uint64_t other = 42;
    enum duet_code code = calibration_rate(&source, workload_kind_at(1), &other, NULL);
    assert_int_equal(chmod(fixture->folder, 0700), 0);
    assert_int_equal(rate, 1000);
    assert_int_equal(code, DUET_E_IO);
}

static void failed_measurement_leaves_the_file(void **state)
{
    struct fixture *fixture = *state;
    struct calibration_source source = source_of(fixture);
    (void)rate_of(&source, 0);
    fixture->code = DUET_E_NOMEM;
    uint64_t rate = 42;
    struct duet_error error = {0};
    assert_int_equal(calibration_rate(&source, workload_kind_at(1), &rate, &error),
                     DUET_E_NOMEM);
    assert_string_equal(error.message, "the measurement failed");
    assert_int_equal(rate, 42);
    check_file(fixture, HEAD "host A\tinteger\t1000\n");
}

static void allocation_failures_leave_the_file_whole(void **state)
{
    struct fixture *fixture = *state;
    struct calibration_source source = source_of(fixture);
    (void)rate_of(&source, 0);
    enum duet_code code = DUET_OK;
    unsigned long n = 0;
    do {
        uint64_t rate = 42;
        alloc_fail_at(++n);
        code = calibration_rate(&source, workload_kind_at(1), &rate, NULL);
        alloc_fail_at(0);
        if (code != DUET_OK) {
            assert_int_equal(code, DUET_E_NOMEM);
            assert_int_equal(rate, 42);
            check_file(fixture, HEAD "host A\tinteger\t1000\n");
        }
    } while (code != DUET_OK);
    assert_true(n > 2);
    check_file(fixture, HEAD "host A\tinteger\t1000\nhost A\tfloat\t1000\n");
}

/* Memory that the processes of a test share. */
struct shared {
    atomic_uint ready;
    atomic_uint calls;
    uint64_t rates[2];
};

struct contender {
    struct shared *shared;
    uint64_t answer;
};

static enum duet_code measure_slowly(const struct workload_kind *kind, void *context,
                                     uint64_t *ret_rate, struct duet_error *reterr)
{
    struct contender *contender = context;
    (void)kind;
    (void)reterr;
    atomic_fetch_add(&contender->shared->calls, 1);
    (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    *ret_rate = contender->answer;
    return DUET_OK;
}

static void contend(const struct fixture *fixture, struct shared *shared, size_t index)
{
    struct contender contender = {.shared = shared, .answer = 5000 + index};
    struct calibration_source source = {.path = fixture->path,
                                        .host = "host A",
                                        .measure = measure_slowly,
                                        .context = &contender};
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < 2) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    enum duet_code code =
        calibration_rate(&source, workload_kind_at(0), &shared->rates[index], NULL);
    _exit(code == DUET_OK ? 0 : 1);
}

static void check_exit(pid_t pid, int expected)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), expected);
}

static void two_at_once_agree(void **state)
{
    struct fixture *fixture = *state;
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    pid_t pids[2];
    for (size_t i = 0; i < 2; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            contend(fixture, shared, i);
        }
    }
    check_exit(pids[0], 0);
    check_exit(pids[1], 0);
    assert_int_equal(atomic_load(&shared->calls), 1);
    assert_true(shared->rates[0] >= 5000);
    assert_int_equal(shared->rates[0], shared->rates[1]);
    assert_int_equal(munmap(shared, sizeof *shared), 0);
}

static enum duet_code measure_and_die(const struct workload_kind *kind, void *context,
                                      uint64_t *ret_rate, struct duet_error *reterr)
{
    (void)kind;
    (void)context;
    (void)ret_rate;
    (void)reterr;
    _exit(3);
}

/* The lock of a process that dies while it measures is free. */
static void dead_process_holds_nobody_up(void **state)
{
    struct fixture *fixture = *state;
    struct calibration_source source = source_of(fixture);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        uint64_t rate = 0;
        source.measure = measure_and_die;
        enum duet_code code =
            calibration_rate(&source, workload_kind_at(0), &rate, NULL);
        _exit((int)code);
    }
    check_exit(pid, 3);
    assert_int_equal(rate_of(&source, 0), 1000);
}

static enum duet_code measure_until_closed(const struct workload_kind *kind,
                                           void *context, uint64_t *ret_rate,
                                           struct duet_error *reterr)
{
    const int *fds = context; /* tells that it holds the lock; waits for the end */
    char byte = 0;
    (void)kind;
    (void)reterr;
    if (write(fds[0], "x", 1) != 1 || read(fds[1], &byte, 1) != 0) {
        _exit(4);
    }
    *ret_rate = 9;
    return DUET_OK;
}

static void on_alarm(int number)
{
    (void)number;
}

static void signal_ends_the_wait(void **state)
{
    struct fixture *fixture = *state;
    struct calibration_source source = source_of(fixture);
    int held[2];
    int end[2];
    assert_int_equal(pipe(held), 0);
    assert_int_equal(pipe(end), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        uint64_t rate = 0;
        int fds[2] = {held[1], end[0]};
        (void)close(end[1]);
        source.measure = measure_until_closed;
        source.context = fds;
        enum duet_code code =
            calibration_rate(&source, workload_kind_at(0), &rate, NULL);
        _exit((int)code);
    }
    char byte = 0;
    assert_int_equal(read(held[0], &byte, 1), 1);
    struct sigaction action = {.sa_handler = on_alarm}; /* no SA_RESTART */
    struct sigaction before;
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    /* Again and again, in case the first comes before the wait. */
    struct itimerval often = {.it_value = {.tv_usec = 20000},
                              .it_interval = {.tv_usec = 20000}};
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    uint64_t rate = 42;
    enum duet_code code = calibration_rate(&source, workload_kind_at(0), &rate, NULL);
    assert_int_equal(setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_int_equal(code, DUET_E_INTERRUPTED);
    assert_int_equal(rate, 42);
    for (size_t i = 0; i < 2; i++) {
        (void)close(end[i]);
        (void)close(held[i]);
    }
    check_exit(pid, 0);
}

static void check_path(const char *expected)
{
    char *path = NULL;
    assert_int_equal(calibration_path_new(&path, NULL), DUET_OK);
    assert_string_equal(path, expected);
    free(path);
}

static void place_follows_the_environment(void **state)
{
    (void)state;
    assert_int_equal(setenv("DUET_CALIBRATION", "/a/file", 1), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", "/a/cache", 1), 0);
    assert_int_equal(setenv("HOME", "/a/home", 1), 0);
    check_path("/a/file");
    assert_int_equal(setenv("DUET_CALIBRATION", "", 1), 0);
    check_path("/a/cache/duet/calibration-1");
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    check_path("/a/home/.cache/duet/calibration-1");
    assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
    check_path("/a/home/.cache/duet/calibration-1");
    assert_int_equal(unsetenv("HOME"), 0);
    char *path = NULL;
    struct duet_error error = {0};
    assert_int_equal(calibration_path_new(&path, &error), DUET_E_NOT_FOUND);
    assert_null(path);
    assert_non_null(strstr(error.message, "DUET_CALIBRATION"));
    assert_non_null(strstr(error.message, "--operations"));
}

static void host_fits_a_field(void **state)
{
    (void)state;
    char *host = NULL;
    assert_int_equal(calibration_host_new(&host, NULL), DUET_OK);
    assert_true(strlen(host) > 0);
    assert_null(strpbrk(host, "\t\n"));
    char *again = NULL;
    assert_int_equal(calibration_host_new(&again, NULL), DUET_OK);
    assert_string_equal(host, again);
    free(host);
    free(again);
}

static void whole_way_for_this_machine(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(setenv("DUET_CALIBRATION", fixture->path, 1), 0);
    uint64_t first = 0;
    uint64_t second = 0;
    assert_int_equal(workload_calibrate(workload_kind_at(0), &first, NULL), DUET_OK);
    assert_int_equal(workload_calibrate(workload_kind_at(0), &second, NULL), DUET_OK);
    assert_true(first > 0);
    assert_int_equal(first, second);
    assert_int_equal(unsetenv("DUET_CALIBRATION"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(is_measured_once_and_kept),
        TEST(kinds_and_hosts_are_kept_apart),
        TEST(missing_folders_are_made),
        TEST(damaged_files_are_made_anew),
        TEST(full_files_are_started_again),
        TEST(empty_file_has_no_rates),
        TEST(fifo_is_not_waited_for),
        TEST(places_that_cannot_be_written_are_refused),
        TEST(read_only_folder_serves_what_it_has),
        TEST(failed_measurement_leaves_the_file),
        TEST(allocation_failures_leave_the_file_whole),
        TEST(two_at_once_agree),
        TEST(dead_process_holds_nobody_up),
        TEST(signal_ends_the_wait),
        TEST(place_follows_the_environment),
        TEST(host_fits_a_field),
        TEST(whole_way_for_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
