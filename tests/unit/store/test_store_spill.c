/* Iterations that wait beside the store: in order, whatever they wait in and however
 * slowly it is written and read; and what is said when it cannot be. */
// link: -Wl,--wrap=open,--wrap=pwrite,--wrap=pread
#include "support/alloc_fail.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>

#include "store_fixture.h"

static struct {
    int tmpfile_errno; /* of an unnamed file's open() */
    int write_errno;
    int read_errno;
    bool writes_nothing;
    size_t most;            /* bytes that a call reads or writes; 0: all */
    int writes_interrupted; /* so many of the next ones */
    int reads_interrupted;
} faults;

int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_pwrite(int fd, const void *bytes, size_t count, off_t at);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t at);
ssize_t __real_pread(int fd, void *bytes, size_t count, off_t at);
ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t at);

static bool fails(int errnum)
{
    errno = errnum != 0 ? errnum : errno;
    return errnum != 0;
}

static bool is_interrupted(int *left)
{
    return *left > 0 && (*left)-- > 0 && fails(EINTR);
}

static size_t at_most(size_t count)
{
    return faults.most > 0 && faults.most < count ? faults.most : count;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    va_start(args, flags);
    mode_t mode = unnamed || (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;
    va_end(args);
    return unnamed && fails(faults.tmpfile_errno) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    if (is_interrupted(&faults.writes_interrupted) || fails(faults.write_errno)) {
        return -1;
    }
    return faults.writes_nothing ? 0 : __real_pwrite(fd, bytes, at_most(count), at);
}

ssize_t __wrap_pread(int fd, void *bytes, size_t count, off_t at)
{
    return is_interrupted(&faults.reads_interrupted) || fails(faults.read_errno)
               ? -1
               : __real_pread(fd, bytes, at_most(count), at);
}

/* ---- Numbers from 0 on, in chunks ---- */

enum { CHUNK = 1000, MANY = 3 * STORE_SPILL_CAPACITY + 17 };

static enum duet_code put(struct store_spill *spill, size_t count)
{
    static struct model_iteration chunk[CHUNK];
    enum duet_code code = DUET_OK;
    for (size_t first = 0; first < count && code == DUET_OK; first += CHUNK) {
        size_t some = count - first < CHUNK ? count - first : CHUNK;
        for (size_t i = 0; i < some; i++) {
            chunk[i] = fixture_iteration(0, first + i);
        }
        code = store_spill_put(spill, fixture_path, chunk, some, &fixture_error);
    }
    return code;
}

static void assert_gives(struct store_spill *spill, size_t count)
{
    const struct model_iteration *its = NULL;
    size_t some = 1;
    size_t taken = 0;
    while (some > 0) {
        assert_ok(store_spill_take(spill, fixture_path, &its, &some, &fixture_error));
        for (size_t i = 0; i < some; i++, taken++) {
            struct model_iteration expected = fixture_iteration(0, taken);
            assert_int_equal(its[i].index, expected.index);
            assert_int_equal(its[i].end_ns, expected.end_ns);
            assert_int_equal(its[i].taken_ns, expected.taken_ns);
            assert_int_equal(its[i].exit_status, expected.exit_status);
        }
    }
    assert_int_equal(taken, count);
}

static size_t files_count(void)
{
    size_t count = 0;
    DIR *entries = opendir(fixture_folder);
    assert_non_null(entries);
    for (const struct dirent *entry = NULL; (entry = readdir(entries)) != NULL;) {
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    }
    (void)closedir(entries);
    return count;
}

static int setup(void **state)
{
    memset(&faults, 0, sizeof faults);
    return fixture_setup(state);
}

/* ---- Tests ---- */

static void what_was_put_is_given_in_order(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, STORE_SPILL_CAPACITY, MANY, 5};
    struct store_spill spill = {.fd = -1};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_ok(put(&spill, counts[i]));
        assert_gives(&spill, counts[i]);
        store_spill_clear(&spill);
    }
    assert_int_equal(files_count(), 0);
    store_spill_release(&spill);
    assert_int_equal(spill.fd, -1);
    assert_null(spill.buffer);
}

/* Calls that do a part, and calls that are interrupted. */
static void it_takes_as_many_calls_as_it_takes(void **state)
{
    (void)state;
    struct store_spill spill = {.fd = -1};
    faults.most = 100000; /* no multiple of an iteration */
    faults.writes_interrupted = 3;
    assert_ok(put(&spill, MANY));
    assert_int_equal(faults.writes_interrupted, 0);
    faults.reads_interrupted = 3;
    assert_gives(&spill, MANY);
    assert_int_equal(faults.reads_interrupted, 0);
    store_spill_release(&spill);
}

/* Some file systems have no unnamed files, and old kernels say so in another way. */
static void a_named_file_does_where_there_is_no_unnamed_one(void **state)
{
    (void)state;
    static const int reasons[] = {EOPNOTSUPP, EISDIR};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        struct store_spill spill = {.fd = -1};
        struct stat status;
        faults.tmpfile_errno = reasons[i];
        assert_ok(put(&spill, MANY));
        assert_int_equal(fstat(spill.fd, &status), 0);
        assert_int_equal(status.st_mode & 0777U, 0600);
        assert_true((fcntl(spill.fd, F_GETFD) & FD_CLOEXEC) != 0);
        assert_int_equal(files_count(), 0); /* its name is gone at once */
        assert_gives(&spill, MANY);
        store_spill_release(&spill);
    }
}

/* Of a server's the folder for what does not last. */
static void where_the_file_lies(void **state)
{
    (void)state;
    char text[700];
    char place[700] = "";
    struct store_spill spill = {.fd = -1};
    char *before = getenv("TMPDIR");
    before = before == NULL ? NULL : strdup(before);
    assert_int_equal(setenv("TMPDIR", fixture_folder, 1), 0);
    (void)snprintf(fixture_path, sizeof fixture_path, "postgresql://host/sub/db");
    assert_ok(put(&spill, MANY));
    (void)snprintf(text, sizeof text, "/proc/self/fd/%d", spill.fd);
    assert_true(readlink(text, place, sizeof place - 1) > 0);
    assert_non_null(strstr(place, strrchr(fixture_folder, '/')));
    assert_gives(&spill, MANY);
    store_spill_release(&spill);
    assert_int_equal(before == NULL ? unsetenv("TMPDIR") : setenv("TMPDIR", before, 1),
                     0);
    free(before);
}

static void assert_put_fails(const char *said, int errnum)
{
    char expected[1200];
    struct store_spill spill = {.fd = -1};
    assert_int_equal(put(&spill, MANY), DUET_E_IO);
    (void)snprintf(expected, sizeof expected,
                   "store '%s': %s while keeping a run's data beside it; finished runs "
                   "are kept: make room, or name another place with --store: %s",
                   fixture_path, said, strerror(errnum));
    assert_string_equal(fixture_error.message, expected);
    store_spill_release(&spill);
}

static void what_cannot_be_written_is_told(void **state)
{
    (void)state;
    static const struct {
        int errnum;
        const char *said;
    } reasons[] = {{ENOSPC, "disk full"},
                   {EDQUOT, "disk full"},
                   {EFBIG, "disk full"},
                   {EIO, "cannot write"}};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        faults.write_errno = reasons[i].errnum;
        assert_put_fails(reasons[i].said, reasons[i].errnum);
    }
    faults.write_errno = 0;
    faults.writes_nothing = true;
    assert_put_fails("disk full", ENOSPC);
    faults.tmpfile_errno = EACCES;
    assert_put_fails("cannot write", EACCES);
    faults.tmpfile_errno = EOPNOTSUPP; /* and no named one, without its folder */
    (void)fixture_in("nowhere/results.db");
    assert_put_fails("cannot write", ENOENT);
}

/* The last ones are written when the first ones are to be read. */
static void the_rest_may_not_fit(void **state)
{
    (void)state;
    struct store_spill spill = {.fd = -1};
    const struct model_iteration *its = NULL;
    size_t some = 77;
    assert_ok(put(&spill, STORE_SPILL_CAPACITY + 1));
    faults.write_errno = ENOSPC;
    assert_int_equal(
        store_spill_take(&spill, fixture_path, &its, &some, &fixture_error), DUET_E_IO);
    assert_non_null(strstr(fixture_error.message, "disk full"));
    assert_null(its);
    assert_int_equal(some, 77);
    faults.write_errno = 0; /* with room again, nothing is lost */
    assert_gives(&spill, STORE_SPILL_CAPACITY + 1);
    store_spill_release(&spill);
}

static void assert_take_fails(struct store_spill *spill, int errnum)
{
    char expected[1200];
    const struct model_iteration *its = NULL;
    size_t some = 77;
    assert_int_equal(store_spill_take(spill, fixture_path, &its, &some, &fixture_error),
                     DUET_E_IO);
    (void)snprintf(expected, sizeof expected,
                   "store '%s': cannot read back a run's data: %s", fixture_path,
                   strerror(errnum));
    assert_string_equal(fixture_error.message, expected);
    assert_null(its);
    assert_int_equal(some, 77);
}

static void what_cannot_be_read_back_is_told(void **state)
{
    (void)state;
    struct store_spill spill = {.fd = -1};
    assert_ok(put(&spill, MANY));
    faults.read_errno = ENOMEM;
    assert_take_fails(&spill, ENOMEM);
    faults.read_errno = 0;
    assert_int_equal(ftruncate(spill.fd, 1000), 0); /* its end comes too early */
    assert_take_fails(&spill, EIO);
    store_spill_release(&spill);
}

static void no_memory_is_told(void **state)
{
    (void)state;
    char expected[1200];
    enum duet_code code = DUET_E_NOMEM;
    unsigned long n = 0;
    (void)snprintf(expected, sizeof expected, "store '%s': no memory to keep a run",
                   fixture_path);
    while (code == DUET_E_NOMEM) {
        struct store_spill spill = {.fd = -1};
        alloc_fail_at(++n);
        code = put(&spill, MANY);
        alloc_fail_at(0);
        if (code == DUET_E_NOMEM) {
            assert_string_equal(fixture_error.message, expected);
            assert_int_equal(spill.fd, -1);
        } else {
            assert_ok(code);
            assert_gives(&spill, MANY);
        }
        store_spill_release(&spill);
    }
    assert_true(n > 3); /* the buffer, the folder, the name */
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_was_put_is_given_in_order),
        CASE(it_takes_as_many_calls_as_it_takes),
        CASE(a_named_file_does_where_there_is_no_unnamed_one),
        CASE(where_the_file_lies),
        CASE(what_cannot_be_written_is_told),
        CASE(the_rest_may_not_fit),
        CASE(what_cannot_be_read_back_is_told),
        CASE(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
