// link: PkgConfig::SQLITE
/* Opening where, from some lock on, the file system gives none (NFS without its
 * daemon). */
#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "store_fixture.h"

enum { BUSY_MS = 200, LOCKS = 10, NS_PER_MS = 1000000, MS_PER_S = 1000 };

static int left; /* locks that are still given */

static int limited_fcntl(int fd, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    const struct flock *lock = argument;
    if (command == F_SETLK && lock->l_type != F_UNLCK && left-- <= 0) {
        errno = ENOLCK;
        return -1;
    }
    return fcntl(fd, command, argument);
}

static long clock_ms(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return now.tv_sec * MS_PER_S + now.tv_nsec / NS_PER_MS;
}

static void waits_once(void **state)
{
    (void)state;
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    for (int given = 0; given < LOCKS; given++) {
        struct store *store = NULL;
        (void)unlink(fixture_path);
        left = given;
        assert_int_equal(
            vfs->xSetSystemCall(vfs, "fcntl", (sqlite3_syscall_ptr)limited_fcntl),
            SQLITE_OK);
        long began_ms = clock_ms();
        enum duet_code code =
            store_open_within(fixture_path, true, BUSY_MS, &store, &fixture_error);
        long took_ms = clock_ms() - began_ms;
        assert_int_equal(vfs->xSetSystemCall(vfs, "fcntl", NULL), SQLITE_OK);
        store_close(store);
        assert_int_equal(code, DUET_E_IO);
        if (took_ms > 5 * BUSY_MS) {
            fail_msg("lock %d: %ld ms", given, took_ms);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waits_once, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
