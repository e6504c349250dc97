/* The artificial workloads: what is executed is exactly what was asked for. */
// link: duet_workloads
#include "workloads/workload.h"

#include "support/alloc_fail.h"
#include "workloads/workload_state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SEED = 7, KIND_COUNT = 4 };

static struct workload *workload_of(size_t index, uint64_t seed)
{
    struct workload *workload = NULL;
    struct duet_error error = {0};
    assert_int_equal(workload_new(workload_kind_at(index), seed, &workload, &error),
                     DUET_OK);
    return workload;
}

static uint64_t checksum_after(size_t index, uint64_t seed, uint64_t operations)
{
    struct workload *workload = workload_of(index, seed);
    uint64_t checksum = workload_execute(workload, operations);
    workload_free(workload);
    return checksum;
}

static void kinds_are_found_by_name(void **state)
{
    (void)state;
    static const char *const names[KIND_COUNT] = {"integer", "float", "cache",
                                                  "memory"};
    struct duet_error error = {0};
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const struct workload_kind *kind = NULL;
        assert_int_equal(workload_kind_find(names[i], &kind, &error), DUET_OK);
        assert_ptr_equal(kind, workload_kind_at(i));
        assert_string_equal(kind->name, names[i]);
    }
    assert_null(workload_kind_at(KIND_COUNT));
    assert_null(workload_kind_at(SIZE_MAX));
}

static void unknown_kind_lists_the_known(void **state)
{
    (void)state;
    const struct workload_kind *kind = NULL;
    struct duet_error error = {0};
    assert_int_equal(workload_kind_find("int", &kind, &error), DUET_E_USAGE);
    assert_null(kind);
    assert_string_equal(
        error.message,
        "no workload is called \"int\"; there are: integer, float, cache, memory");
}

/* Any split of a count executes the same operations: none is lost or done twice. */
static void splitting_a_count_changes_nothing(void **state)
{
    (void)state;
    static const uint64_t parts[] = {1, 0, 2, 3, 500, 511, 512, 513, 70000, 1};
    for (size_t k = 0; k < KIND_COUNT; k++) {
        struct workload *workload = workload_of(k, SEED);
        uint64_t total = 0;
        uint64_t checksum = 0;
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            checksum = workload_execute(workload, parts[i]);
            total += parts[i];
        }
        assert_int_equal(workload_execute(workload, 0), checksum);
        workload_free(workload);
        assert_int_equal(checksum_after(k, SEED, total), checksum);
    }
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* So that a count that is one off could not go unseen. */
static void every_operation_changes_the_checksum(void **state)
{
    (void)state;
    enum { STEPS = 5000 };
    static uint64_t seen[STEPS];
    for (size_t k = 0; k < KIND_COUNT; k++) {
        struct workload *workload = workload_of(k, SEED);
        for (size_t i = 0; i < STEPS; i++) {
            seen[i] = workload_execute(workload, 1);
        }
        workload_free(workload);
        qsort(seen, STEPS, sizeof seen[0], compare_u64);
        for (size_t i = 1; i < STEPS; i++) {
            assert_true(seen[i - 1] != seen[i]);
        }
    }
}

/* These numbers may change only together with CALIBRATION_VERSION: what is executed is
 * then something else, and stored calibrations are those of the old loops. Computed by
 * an implementation of its own (Python, Philox included). */
static void checksums_are_those_of_this_version(void **state)
{
    (void)state;
    static const uint64_t expected[KIND_COUNT] = {
        UINT64_C(0x558f73f36a53cf69), UINT64_C(0x3fd29d7549104274),
        UINT64_C(0x8b4b385261171ae7), UINT64_C(0xbc29c4c3fac4b5d8)};
    for (size_t k = 0; k < KIND_COUNT; k++) {
        assert_int_equal(checksum_after(k, SEED, 1000), expected[k]);
    }
}

static void seed_decides_the_data(void **state)
{
    (void)state;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        uint64_t checksum = checksum_after(k, SEED, 1000);
        assert_int_equal(checksum_after(k, SEED, 1000), checksum);
        assert_true(checksum_after(k, SEED + 1, 1000) != checksum);
    }
}

/* The walk comes back to its start only after all lines: one cycle (Sattolo), no short
 * one in which it could stay inside a cache. */
static void memory_visits_every_line_once(void **state)
{
    (void)state;
    struct workload *workload = workload_of(3, SEED);
    bool *visited = calloc(WORKLOAD_MEMORY_LINES, sizeof *visited);
    assert_non_null(visited);
    for (size_t i = 0; i < WORKLOAD_MEMORY_LINES; i++) {
        uint64_t position = workload->position;
        assert_true(position < WORKLOAD_MEMORY_LINES);
        assert_false(visited[position]);
        visited[position] = true;
        (void)workload_execute(workload, 1);
    }
    assert_int_equal(workload->position, 0);
    free(visited);
    workload_free(workload);
}

static void cache_walks_in_order(void **state)
{
    (void)state;
    struct workload *workload = workload_of(2, SEED);
    (void)workload_execute(workload, WORKLOAD_CACHE_LINES - 1);
    assert_int_equal(workload->position, WORKLOAD_CACHE_LINES - 1);
    (void)workload_execute(workload, 1);
    assert_int_equal(workload->position, 0);
    (void)workload_execute(workload, 2 * WORKLOAD_CACHE_LINES + 5);
    assert_int_equal(workload->position, 5);
    workload_free(workload);
}

/* Subnormals and infinities have another speed; and a chain that has settled would no
 * longer depend on what was executed. */
static void float_stays_in_its_range(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct workload *workload = workload_of(1, seed);
        for (int i = 0; i < 20000; i++) {
            (void)workload_execute(workload, 1);
            assert_true(workload->value > 0.05 && workload->value < 0.98);
        }
        workload_free(workload);
    }
}

static void data_begin_on_a_page(void **state)
{
    (void)state;
    for (size_t k = 0; k < KIND_COUNT; k++) {
        struct workload *workload = workload_of(k, SEED);
        assert_int_equal((uintptr_t)workload->data % (uintptr_t)sysconf(_SC_PAGESIZE),
                         0);
        workload_free(workload);
    }
    workload_free(NULL);
}

static void allocation_failures_are_reported(void **state)
{
    (void)state;
    for (unsigned long n = 1; n <= 2; n++) {
        struct workload *workload = NULL;
        struct duet_error error = {0};
        alloc_fail_at(n);
        enum duet_code code =
            workload_new(workload_kind_at(3), SEED, &workload, &error);
        alloc_fail_at(0);
        assert_int_equal(code, DUET_E_NOMEM);
        assert_null(workload);
        assert_string_equal(error.message,
                            "no memory for the 65536 KiB of the workload \"memory\"");
    }
}

static void check_operations(uint64_t rate, uint64_t duration_ns, double scale,
                             uint64_t expected)
{
    uint64_t operations = 0;
    struct duet_error error = {0};
    assert_int_equal(workload_operations(rate, duration_ns, scale, &operations, &error),
                     DUET_OK);
    assert_int_equal(operations, expected);
}

static void operations_are_rate_times_duration_times_scale(void **state)
{
    (void)state;
    check_operations(1000000, 1000000000, 1.0, 1000000);
    check_operations(1000000, 1000000000, 1.01, 1010000);
    check_operations(1000000, 1000000000, 2.0, 2000000);
    check_operations(500000000, 100000000, 1.01, 50500000);
    /* 333.333 operations are 333, and twice the work is twice as much: 666, not 667. */
    check_operations(333333, 1000000, 1.0, 333);
    check_operations(333333, 1000000, 2.0, 666);
    check_operations(1000, 1000000, 1.0, 1);
}

static void scaled_counts_have_the_ratio_of_their_scales(void **state)
{
    (void)state;
    static const double scales[] = {0.5, 0.99, 1.001, 1.01, 1.03, 2.0, 11.0};
    for (uint64_t rate = 12345678; rate < 4000000000; rate = rate * 3 + 1) {
        uint64_t base = 0;
        assert_int_equal(workload_operations(rate, 20000000, 1.0, &base, NULL),
                         DUET_OK);
        for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
            uint64_t scaled = 0;
            assert_int_equal(
                workload_operations(rate, 20000000, scales[i], &scaled, NULL), DUET_OK);
            assert_true(fabs((double)scaled - (double)base * scales[i]) <= 0.5 + 1e-6);
        }
    }
}

static void impossible_counts_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t rate;
        uint64_t duration_ns;
        double scale;
    } cases[] = {
        {1000, 1000000000, 0.0},
        {1000, 1000000000, -1.0},
        {1000, 1000000000, (double)NAN},
        {1000, 1000000000, (double)INFINITY},
        {0, 1000000000, 1.0},
        {1000, 0, 1.0},
        {1000, 1, 1.0},
        {1000, 1, 1e9}, /* 1e9 times nothing is not something */
        {1000, 1000000000, 1e-4},
        {UINT64_MAX, UINT64_MAX, 1.0},
        {1000000000, 1000000000, 1e8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t operations = 42;
        struct duet_error error = {0};
        assert_int_equal(workload_operations(cases[i].rate, cases[i].duration_ns,
                                             cases[i].scale, &operations, &error),
                         DUET_E_DOMAIN);
        assert_int_equal(operations, 42);
        assert_true(error.message[0] != '\0');
    }
}

static void rate_is_measured(void **state)
{
    (void)state;
    uint64_t rate = 0;
    struct duet_error error = {0};
    assert_int_equal(workload_rate_measure(workload_kind_at(0), NULL, &rate, &error),
                     DUET_OK);
    assert_true(rate > 0);
    uint64_t untouched = 42;
    alloc_fail_at(1);
    enum duet_code code =
        workload_rate_measure(workload_kind_at(0), NULL, &untouched, &error);
    alloc_fail_at(0);
    assert_int_equal(code, DUET_E_NOMEM);
    assert_int_equal(untouched, 42);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_found_by_name),
        cmocka_unit_test(unknown_kind_lists_the_known),
        cmocka_unit_test(splitting_a_count_changes_nothing),
        cmocka_unit_test(every_operation_changes_the_checksum),
        cmocka_unit_test(checksums_are_those_of_this_version),
        cmocka_unit_test(seed_decides_the_data),
        cmocka_unit_test(memory_visits_every_line_once),
        cmocka_unit_test(cache_walks_in_order),
        cmocka_unit_test(float_stays_in_its_range),
        cmocka_unit_test(data_begin_on_a_page),
        cmocka_unit_test(allocation_failures_are_reported),
        cmocka_unit_test(operations_are_rate_times_duration_times_scale),
        cmocka_unit_test(scaled_counts_have_the_ratio_of_their_scales),
        cmocka_unit_test(impossible_counts_are_refused),
        cmocka_unit_test(rate_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
