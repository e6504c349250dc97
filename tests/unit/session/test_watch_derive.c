/* How often to execute, by earlier series. */
// link: duet_session
#include "session/watch/watch_derive.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/alloc_fail.h"

#include <cmocka.h>

enum { PATH_BYTES = 96, POINTS = 600 };

static char folder[PATH_BYTES];

static void path_of(const char *name, char *ret_path)
{
    (void)snprintf(ret_path, PATH_BYTES, "%.60s/%s", folder, name);
}

static void write_file(const char *name, const char *text)
{
    char path[PATH_BYTES];
    path_of(name, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Each value keeps `memory` of the one before. */
static void write_series(const char *name, double memory, uint64_t seed)
{
    static char text[POINTS * 16];
    struct random_stream stream = random_stream_at(seed, 1);
    double value = 0.0;
    size_t length = 0;
    for (int i = 0; i < POINTS; i++) {
        value = memory * value + random_uniform(&stream) - 0.5;
        length += (size_t)snprintf(text + length, sizeof text - length, "%.4f\n",
                                   100.0 + value);
    }
    write_file(name, text);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/duet-derive-XXXXXX"); /* banned-ok: fits */
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"slow.txt", "wild.txt", "flat.txt",
                                        "slices.csv"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_BYTES];
        path_of(names[i], path);
        (void)unlink(path);
    }
    return rmdir(folder);
}

static void the_longest_block_and_the_most_frequent_executions(void **state)
{
    (void)state;
    struct watch_derivation derivation = {0};
    struct duet_error error = {0};
    write_series("slow.txt", 0.95, 1);
    write_series("wild.txt", 0.0, 2);
    assert_int_equal(watch_derive(folder, 4.0, 0.1, &derivation, &error), DUET_OK);
    struct watch_advice advice = watch_advise(&derivation);
    const struct watch_derived *slow = &derivation.list[0];
    const struct watch_derived *wild = &derivation.list[1];
    assert_string_equal(slow->name, "slow");
    assert_int_equal(slow->points, POINTS);
    assert_ptr_equal(advice.longest, slow);
    assert_true(slow->block_hours > wild->block_hours);
    assert_true(slow->block_hours == slow->cadence.block_length / 4.0);
    assert_true(advice.every_hours == ceil(slow->block_hours));
    /* Thinning takes the slow one's autocorrelation, and the wild one has none. */
    assert_true(slow->cadence.limited && !wild->cadence.limited);
    assert_ptr_equal(advice.fastest, slow);
    assert_true(slow->wanted_per_hour == 4.0 / (double)slow->cadence.thinning);
    assert_true(advice.per_hour >= slow->wanted_per_hour);
    watch_derivation_release(&derivation);
}

static void slices_say_how_often(void **state)
{
    (void)state;
    struct watch_derivation derivation = {0};
    struct duet_error error = {0};
    write_series("slow.txt", 0.95, 1);
    write_series("wild.txt", 0.0, 2);
    write_file("slices.csv", "file,test_points\nslow.txt,504\nwild.txt,252\n");
    assert_int_equal(watch_derive(folder, 0.0, 0.1, &derivation, &error), DUET_OK);
    assert_int_equal(derivation.list[0].points, 504); /* of 21 days */
    assert_true(derivation.list[0].per_hour == 1.0);
    assert_true(derivation.list[1].per_hour == 0.5);
    assert_true(watch_advise(&derivation).per_hour <= 1.0);
    watch_derivation_release(&derivation);
}

static void mistakes_are_told(void **state)
{
    (void)state;
    struct watch_derivation derivation = {.loss = 5.0};
    struct duet_error error = {0};
    write_series("wild.txt", 0.0, 2);
    assert_int_equal(watch_derive(folder, 0.0, 0.1, &derivation, &error), DUET_E_USAGE);
    assert_non_null(strstr(error.message, "how often wild was executed"));
    write_file("flat.txt", "1\n2\n3\n");
    assert_int_equal(watch_derive(folder, 1.0, 0.1, &derivation, &error),
                     DUET_E_TOO_FEW);
    assert_int_equal(strncmp(error.message, "flat: ", 6), 0);
    assert_int_equal(watch_derive("/nowhere", 1.0, 0.1, &derivation, &error),
                     DUET_E_NOT_FOUND);
    assert_true(derivation.loss == 5.0 && derivation.list == NULL);
}

static void memory_may_be_short_anywhere(void **state)
{
    (void)state;
    write_series("slow.txt", 0.9, 1);
    write_file("slices.csv", "file,test_points\nslow.txt,504\n");
    enum duet_code code = DUET_E_NOMEM;
    unsigned long n = 0;
    while (code == DUET_E_NOMEM) {
        struct watch_derivation derivation = {0};
        struct duet_error error = {0};
        alloc_fail_at(++n);
        code = watch_derive(folder, 0.0, 0.1, &derivation, &error);
        alloc_fail_at(0);
        watch_derivation_release(&derivation);
    }
    assert_int_equal(code, DUET_OK);
    assert_true(n > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            the_longest_block_and_the_most_frequent_executions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(slices_say_how_often, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_may_be_short_anywhere, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
