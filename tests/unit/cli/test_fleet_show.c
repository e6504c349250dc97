/* A collected fleet: where its results go when memory is short. */
#include "cli/fleet/fleet_show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/alloc_fail.h"
#include "support/remove_tree.h"
#include "support/standard_error.h"

/* The default store is not the fleet's: nothing goes into it. */
static void no_memory_for_the_path_of_its_store(void **state)
{
    (void)state;
    char folder[] = "/tmp/duet-fleet-show-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    const struct fleet fleet = {.path = folder};
    const struct fleet_collection_request wanted = {.fleet = &fleet};
    const struct fleet_show show = {.quiet = true};
    standard_error_begin();
    alloc_fail_at(1);
    int status = fleet_show_collection(&wanted, &show, -1);
    alloc_fail_at(0);
    assert_string_equal(standard_error_end(), "duet: out of memory\n");
    assert_int_equal(status, CLI_EXIT_UNSUITABLE);
    assert_int_equal(access(".duet", F_OK), -1);
    assert_int_equal(chdir("/"), 0);
    remove_tree(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_for_the_path_of_its_store)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
