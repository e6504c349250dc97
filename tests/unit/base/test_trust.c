/* Who could have changed a path (base/trust.h). Other owners need root:
 * tests/cli/test_trust.py. */
#include "base/trust.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void the_mode_counts(void **state)
{
    (void)state;
    static const struct {
        mode_t mode;
        enum trust trust;
    } cases[] = {{0700, TRUST_FINE},
                 {0755, TRUST_FINE},
                 {0770, TRUST_OTHERS_WRITE},
                 {0702, TRUST_OTHERS_WRITE},
                 {01777, TRUST_OTHERS_WRITE}};
    char path[] = "/tmp/duet-trust-XXXXXX";
    char link[sizeof path + 8];
    uid_t owner = 4711;
    assert_non_null(mkdtemp(path));
    (void)snprintf(link, sizeof link, "%s/link", path);
    assert_int_equal(symlink(path, link), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(chmod(path, cases[i].mode), 0);
        assert_int_equal(trust_look(path, &owner), cases[i].trust);
        assert_int_equal(trust_look(link, &owner), cases[i].trust);
    }
    assert_int_equal(owner, 4711);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(rmdir(path), 0);
}

static void what_is_not_there_is_fine(void **state)
{
    (void)state;
    uid_t owner = 0;
    assert_int_equal(trust_look("/tmp/duet-trust/is/not/there", &owner), TRUST_FINE);
    assert_int_equal(trust_look("/etc/passwd/below", &owner), TRUST_UNKNOWN);
    assert_int_equal(errno, ENOTDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mode_counts),
        cmocka_unit_test(what_is_not_there_is_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
