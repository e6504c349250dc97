// link: duet_sync duet_base
// labels: serial soakasan
/* Two processes under a small runner: their iterations and how a run ends. */
#include "unit/harness/mini_runner.h"

#include "base/random.h"
#include "duet/duet.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

/* What a side does; exit statuses from 10 on name what was wrong. */
struct plan {
    uint64_t leave_after; /* iterations, 0: never */
    uint64_t die_after;
    uint64_t delay_most_ns; /* random, before and inside an iteration */
    uint64_t work_ns;
    uint64_t seed;
};

static void pause_ns(uint64_t time_ns)
{
    struct timespec time = {.tv_sec = (time_t)(time_ns / 1000000000U),
                            .tv_nsec = (long)(time_ns % 1000000000U)};
    (void)nanosleep(&time, NULL);
}

static int side_body(void *context)
{
    const struct plan *plan = context;
    struct random_stream random = random_stream_at(plan->seed, 0);
    struct duet *d = duet_open("side");
    if (!duet_attached(d)) {
        (void)duet_close(d);
        return 10;
    }
    uint64_t count = 0;
    while (duet_next(d)) {
        if (duet_index(d) > count) {
            return 11;
        }
        if (plan->delay_most_ns > 0) {
            pause_ns(random_below(&random, (uint32_t)plan->delay_most_ns));
        }
        duet_begin(d);
        if (plan->work_ns > 0) {
            pause_ns(plan->work_ns);
        }
        duet_end(d);
        count = duet_index(d) + 1;
        if (count == plan->die_after) {
            (void)kill(getpid(), SIGKILL);
        }
        if (count == plan->leave_after) {
            break;
        }
    }
    return duet_close(d);
}

static void run_pair(struct mini *mini, struct plan plans[2])
{
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        mini_fork(mini, slot, side_body, &plans[slot]);
    }
    mini_serve(mini);
}

static void assert_finished(const struct mini *mini, uint64_t iterations)
{
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        assert_int_equal(mini->statuses[slot], 0);
        assert_int_equal(mini->counts[slot], iterations);
        assert_int_equal(mini_state(mini, slot), SYNC_SLOT_CLOSED);
        assert_int_equal(atomic_load(&mini->map.page->slots[slot].claim),
                         (uint64_t)mini->pids[slot]);
    }
    assert_int_equal(atomic_load(&mini->map.page->control.last), iterations - 1);
}

/* No iteration of a side overlaps an earlier or later one of either. */
static void assert_in_step(const struct mini *mini, bool end_meeting)
{
    for (uint64_t i = 0; i < mini->counts[0]; i++) {
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            const struct sync_record *mine = &mini->records[slot][i];
            assert_true(mine->end_ns >= mine->start_ns);
            for (unsigned other = 0; i > 0 && other < SYNC_SLOTS; other++) {
                const struct sync_record *before = &mini->records[other][i - 1];
                if (end_meeting || other == slot) {
                    assert_true(mine->start_ns >= before->end_ns);
                }
                assert_true(mine->start_ns >= before->start_ns);
            }
        }
        assert_int_equal(mini->records[0][i].flags & SYNC_RECORD_SLEPT,
                         mini->records[1][i].flags & SYNC_RECORD_SLEPT);
    }
}

static void the_iterations_asked_for(void **state)
{
    (void)state;
    const uint64_t counts[] = {1, 2, 500};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct mini mini;
        struct plan plans[2] = {{0}};
        mini_open(&mini, 0, counts[i], SYNC_NEVER);
        run_pair(&mini, plans);
        assert_finished(&mini, counts[i]);
        assert_in_step(&mini, true);
        assert_true((mini.records[0][0].flags & SYNC_RECORD_NO_USAGE) != 0);
        mini_close(&mini);
    }
}

/* Two regions, one of them visited twice, and another one in odd iterations. */
static int side_with_regions(void *context)
{
    const uint64_t *operations = context;
    struct duet *d = duet_open("side");
    char name[] = "odd";
    while (duet_next(d)) {
        duet_count(d, *operations + duet_index(d));
        duet_begin(d);
        duet_region(d, "parse");
        duet_region(d, "run");
        pause_ns(1000000);
        duet_region(d, "parse");
        pause_ns(1000000);
        duet_region(d, NULL);
        if (duet_index(d) % 2 == 1) {
            duet_region(d, name);
        }
        duet_end(d);
    }
    return duet_close(d);
}

static void assert_regions(const struct mini *mini, unsigned slot, uint64_t operations)
{
    char names[SYNC_REGIONS_MAX][SYNC_REGION_BYTES];
    const struct sync_record *record = mini->records[slot];
    assert_int_equal(sync_region_names(&mini->map.page->slots[slot], names), 3);
    assert_string_equal(names[0], "parse");
    assert_string_equal(names[1], "run");
    assert_string_equal(names[2], "odd");
    assert_int_equal(mini->counts[slot], 4 * 3 + 2);
    for (uint64_t index = 0; index < 4; index++) {
        const struct sync_record *parse = record++;
        const struct sync_record *run = record++;
        const struct sync_record *odd = index % 2 == 1 ? record++ : NULL;
        const struct sync_record *whole = record++;
        assert_int_equal(parse->region, 1);
        assert_int_equal(run->region, 2);
        assert_int_equal(whole->region, 0);
        assert_true(odd == NULL || odd->region == 3);
        assert_int_equal(whole->operations, operations + index);
        assert_int_equal(parse->operations, operations + index);
        uint64_t parse_ns = parse->end_ns - parse->start_ns;
        uint64_t run_ns = run->end_ns - run->start_ns;
        assert_true(parse_ns >= 1000000 && run_ns >= 1000000);
        assert_true(parse_ns + run_ns <= whole->end_ns - whole->start_ns);
        assert_true(parse->start_ns >= whole->start_ns);
    }
}

static void regions_and_operations(void **state)
{
    (void)state;
    const uint32_t flags[] = {0, SYNC_PAGE_CPU_TIME | SYNC_PAGE_USAGE};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        struct mini mini;
        uint64_t operations[SYNC_SLOTS] = {1, 1000};
        mini_open(&mini, flags[i], 4, SYNC_NEVER);
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            mini_fork(&mini, slot, side_with_regions, &operations[slot]);
        }
        mini_serve(&mini);
        for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
            assert_int_equal(mini.statuses[slot], 0);
            assert_int_equal(atomic_load(&mini.map.page->slots[slot].ended), 4);
            assert_regions(&mini, slot, operations[slot]);
            const struct sync_record *last = &mini.records[slot][mini.counts[slot] - 1];
            bool delay = (last->flags & SYNC_RECORD_DELAY) != 0;
            assert_true(!delay || flags[i] != 0);
        }
        mini_close(&mini);
    }
}

static void random_delays_under_every_flag(void **state)
{
    (void)state;
    const uint32_t flags[] = {
        0,
        SYNC_PAGE_NO_SPIN,
        SYNC_PAGE_USAGE,
        SYNC_PAGE_CPU_TIME,
        SYNC_PAGE_NO_END_MEETING,
        SYNC_PAGE_NO_END_MEETING | SYNC_PAGE_NO_SPIN,
        SYNC_PAGE_FILL,
        SYNC_PAGE_FILL | SYNC_PAGE_NO_SPIN,
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        struct mini mini;
        struct plan plans[2] = {{.delay_most_ns = 300000, .seed = 1},
                                {.delay_most_ns = 300000, .seed = 2}};
        mini_open(&mini, flags[i], 100, SYNC_NEVER);
        run_pair(&mini, plans);
        assert_finished(&mini, 100);
        assert_in_step(&mini,
                       (flags[i] & (SYNC_PAGE_NO_END_MEETING | SYNC_PAGE_FILL)) == 0);
        mini_close(&mini);
    }
}

static void a_full_ring_waits_for_the_runner(void **state)
{
    (void)state;
    const uint64_t rings = RUNNING_ON_VALGRIND ? 1 : 3;
    const uint64_t iterations = rings * SYNC_RING_RECORDS + 17;
    struct mini mini;
    struct plan plans[2] = {{0}};
    mini_open(&mini, 0, iterations, SYNC_NEVER);
    run_pair(&mini, plans);
    assert_finished(&mini, iterations);
    assert_in_step(&mini, true);
    assert_true(mini.drains >= rings);
    mini_close(&mini);
}

static void alone_on_the_page(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plan = {0};
    mini_open(&mini, SYNC_PAGE_SOLO | SYNC_PAGE_FILL, SYNC_RING_RECORDS + 5,
              SYNC_NEVER);
    mini_fork(&mini, 1, side_body, &plan);
    mini_serve(&mini);
    assert_int_equal(mini.statuses[1], 0);
    assert_int_equal(mini.counts[1], SYNC_RING_RECORDS + 5);
    assert_int_equal(mini.counts[0], 0);
    mini_close(&mini);
}

/* When iteration k of one of the sides will have ended, by those before it. */
static uint64_t expected_end_ns(const struct mini *mini, uint64_t k)
{
    uint64_t latest_ns = 0;
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        const struct sync_record *records = mini->records[slot];
        uint64_t elapsed_ns = records[k - 1].end_ns - records[0].start_ns;
        uint64_t end_ns = elapsed_ns + elapsed_ns / k;
        latest_ns = end_ns > latest_ns ? end_ns : latest_ns;
    }
    return latest_ns;
}

static void the_time_limit_ends_a_run(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.work_ns = 1000000}, {.work_ns = 1000000}};
    mini_open(&mini, 0, UINT64_MAX, 20000000);
    run_pair(&mini, plans);
    uint64_t last = atomic_load(&mini.map.page->control.last);
    assert_finished(&mini, last + 1);
    /* The last one is the first of which a side expected that it ends after the limit.
     */
    assert_true(last >= 1);
    for (uint64_t k = 1; k <= last; k++) {
        assert_int_equal(expected_end_ns(&mini, k) >= 20000000, k == last);
    }
    mini_close(&mini);
}

static void extend_once(struct mini *mini)
{
    uint64_t head = atomic_load(&mini->map.page->slots[0].head);
    if (head >= 5 && atomic_load(&mini->map.page->control.limit) == 1000000) {
        atomic_store(&mini->map.page->control.limit, head + 300);
    }
}

static void the_limit_may_change_while_it_runs(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.work_ns = 20000}, {.work_ns = 20000}};
    mini_open(&mini, 0, 1000000, SYNC_NEVER);
    mini.each_look = extend_once;
    run_pair(&mini, plans);
    uint64_t limit = atomic_load(&mini.map.page->control.limit);
    assert_true(limit < 1000000);
    uint64_t last = atomic_load(&mini.map.page->control.last);
    assert_true(last + 1 >= limit); /* later when the sides were already past it */
    assert_finished(&mini, last + 1);
    mini_close(&mini);
}

static void stop_now(struct mini *mini)
{
    uint64_t seed = mini->map.page->header.nonce;
    struct random_stream random = random_stream_at(seed, 3);
    pause_ns(random_below(&random, 300000));
    atomic_store(&mini->map.page->control.stop, 1);
    mini->each_look = NULL;
}

static void both_agree_on_the_last_iteration(void **state)
{
    (void)state;
    for (int i = 0; i < (RUNNING_ON_VALGRIND ? 50 : 1000); i++) {
        const uint32_t flags[] = {0, SYNC_PAGE_NO_END_MEETING, SYNC_PAGE_FILL,
                                  SYNC_PAGE_NO_SPIN};
        struct mini mini;
        struct plan plans[2] = {{0}};
        mini_open(&mini, flags[i % 4], UINT64_MAX, SYNC_NEVER);
        mini.each_look = stop_now;
        run_pair(&mini, plans);
        assert_finished(&mini, atomic_load(&mini.map.page->control.last) + 1);
        mini_close(&mini);
    }
}

static void the_shorter_side_fills(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.work_ns = 100000}, {.work_ns = 5000000}};
    mini_open(&mini, SYNC_PAGE_FILL, 10, SYNC_NEVER);
    run_pair(&mini, plans);
    assert_finished(&mini, 10);
    assert_true(atomic_load(&mini.map.page->slots[0].fillers) >= 10);
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        assert_int_equal(atomic_load(&mini.map.page->slots[slot].ended), 10);
    }
    mini_close(&mini);
}

/* docs/protocol.md, step 7, over the times that were recorded. */
static void what_is_expected_follows_the_iterations(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.work_ns = 100000}, {.work_ns = 300000}};
    mini_open(&mini, SYNC_PAGE_FILL, 30, SYNC_NEVER);
    run_pair(&mini, plans);
    assert_finished(&mini, 30);
    for (unsigned slot = 0; slot < SYNC_SLOTS; slot++) {
        uint64_t expected_ns = 0;
        for (uint64_t i = 0; i < 30; i++) {
            const struct sync_record *record = &mini.records[slot][i];
            uint64_t took_ns = record->end_ns - record->start_ns;
            uint64_t moved_ns = expected_ns - expected_ns / 4 + took_ns / 4;
            uint64_t most_ns = expected_ns + expected_ns / 32;
            uint64_t next_ns = moved_ns < most_ns ? moved_ns : most_ns;
            expected_ns = expected_ns == 0 ? took_ns : next_ns;
        }
        assert_int_equal(atomic_load(&mini.map.page->slots[slot].expected_ns),
                         expected_ns);
    }
    mini_close(&mini);
}

/* A peer that is expected to take 1 ns is about to end whenever one looks. */
static void no_filler_for_a_peer_that_is_about_to_end(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.work_ns = 100000}, {.work_ns = 5000000}};
    mini_open(&mini, SYNC_PAGE_FILL, 10, SYNC_NEVER);
    atomic_store(&mini.map.page->slots[1].expected_ns, 1);
    run_pair(&mini, plans);
    assert_finished(&mini, 10);
    assert_int_equal(atomic_load(&mini.map.page->slots[0].fillers), 0);
    mini_close(&mini);
}

static void a_side_that_dies_frees_the_other(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        const uint32_t flags[] = {0, SYNC_PAGE_NO_SPIN, SYNC_PAGE_FILL};
        struct mini mini;
        struct plan plans[2] = {{0}};
        plans[i % 2].die_after = 7;
        mini_open(&mini, flags[i / 2], 1000, SYNC_NEVER);
        run_pair(&mini, plans);
        assert_int_equal(mini.statuses[i % 2], 128 + SIGKILL);
        assert_int_equal(mini.statuses[1 - i % 2], 1);
        assert_int_equal(mini.counts[i % 2], 7);
        /* 6: it was released, but off its CPU until the meeting was poisoned. */
        assert_in_range(mini.counts[1 - i % 2], 6, 8);
        assert_int_equal(atomic_load(&mini.map.page->control.abort),
                         SYNC_ABORT_PEER_DIED);
        mini_close(&mini);
    }
}

static void a_side_that_leaves_early_frees_the_other(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.leave_after = 3}, {0}};
    mini_open(&mini, 0, 1000, SYNC_NEVER);
    run_pair(&mini, plans);
    assert_int_equal(mini.statuses[0], 0);
    assert_int_equal(mini.statuses[1], 1);
    assert_int_equal(mini.counts[0], 3);
    assert_int_equal(atomic_load(&mini.map.page->control.abort), SYNC_ABORT_PEER_LEFT);
    mini_close(&mini);
}

static void usage_is_recorded_when_asked_for(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.work_ns = 1000000}, {.work_ns = 1000000}};
    mini_open(&mini, SYNC_PAGE_USAGE, 20, SYNC_NEVER);
    run_pair(&mini, plans);
    assert_finished(&mini, 20);
    for (uint64_t i = 0; i < 20; i++) {
        const struct sync_record *record = &mini.records[0][i];
        assert_int_equal(record->flags & SYNC_RECORD_NO_USAGE, 0);
        assert_true(record->voluntary_switches >= 1); /* the work is a sleep */
        assert_int_equal(record->cpu_ns, record->user_ns + record->system_ns);
    }
    mini_close(&mini);
}

static void cpu_time_is_inside_wall_time(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.work_ns = 1000000}, {.work_ns = 1000000}};
    mini_open(&mini, SYNC_PAGE_CPU_TIME, 20, SYNC_NEVER);
    run_pair(&mini, plans);
    for (uint64_t i = 0; i < 20; i++) {
        const struct sync_record *record = &mini.records[1][i];
        assert_true(record->cpu_ns > 0);
        assert_true(record->cpu_ns <= record->end_ns - record->start_ns);
        assert_true((record->flags & SYNC_RECORD_NO_USAGE) != 0);
    }
    mini_close(&mini);
}

static void confuse(struct mini *mini)
{
    if (atomic_load(&mini->map.page->slots[0].head) > 10) {
        atomic_store(&mini->map.page->begin.first, 12345U << SYNC_MEETING_STATE_BITS);
    }
}

static void a_foreign_word_ends_the_run(void **state)
{
    (void)state;
    struct mini mini;
    struct plan plans[2] = {{.work_ns = 100000}, {.work_ns = 100000}};
    mini_open(&mini, 0, UINT64_MAX, SYNC_NEVER);
    mini.each_look = confuse;
    run_pair(&mini, plans);
    assert_int_equal(mini.statuses[0], 1);
    assert_int_equal(mini.statuses[1], 1);
    mini_close(&mini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_iterations_asked_for),
        cmocka_unit_test(regions_and_operations),
        cmocka_unit_test(random_delays_under_every_flag),
        cmocka_unit_test(a_full_ring_waits_for_the_runner),
        cmocka_unit_test(alone_on_the_page),
        cmocka_unit_test(the_time_limit_ends_a_run),
        cmocka_unit_test(the_limit_may_change_while_it_runs),
        cmocka_unit_test(both_agree_on_the_last_iteration),
        cmocka_unit_test(the_shorter_side_fills),
        cmocka_unit_test(what_is_expected_follows_the_iterations),
        cmocka_unit_test(no_filler_for_a_peer_that_is_about_to_end),
        cmocka_unit_test(a_side_that_dies_frees_the_other),
        cmocka_unit_test(a_side_that_leaves_early_frees_the_other),
        cmocka_unit_test(usage_is_recorded_when_asked_for),
        cmocka_unit_test(cpu_time_is_inside_wall_time),
        cmocka_unit_test(a_foreign_word_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
