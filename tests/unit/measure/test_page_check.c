/* What a page says that no side and no runner would write. */
#include "measure/page_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIMIT = 100 };

/* A runner with a fresh page, and nothing else. */
static struct runner fresh(void)
{
    struct runner runner = {.page_fd = -1, .page_limit = LIMIT};
    const struct sync_setup setup = {.iterations = LIMIT, .run_time_ns = SYNC_NEVER};
    struct duet_error error;
    assert_int_equal(sync_page_create(&setup, &runner.page_fd, &runner.map, &error),
                     DUET_OK);
    runner.page_header = runner.map.page->header;
    return runner;
}

static void release(struct runner *runner)
{
    sync_page_unmap(&runner->map);
    (void)close(runner->page_fd);
}

static void a_fresh_page_is_right(void **state)
{
    (void)state;
    struct runner runner = fresh();
    struct page_look look = {0};
    assert_false(page_is_used(&runner));
    assert_null(page_check(&runner, false));
    assert_null(page_check(&runner, true));
    for (uint64_t s = 1; s <= 60; s++) {
        assert_false(page_check_stuck(&runner, s * 1000000000U, &look));
    }
    assert_true(sync_slot_claim(&runner.map.page->slots[1], getpid()));
    assert_true(page_is_used(&runner));
    assert_null(page_check(&runner, false));
    release(&runner);
}

/* A slot that nobody claims, but that has a state, looks used. */
static void a_state_without_a_claim_is_use(void **state)
{
    (void)state;
    struct runner runner = fresh();
    atomic_store(&runner.map.page->slots[0].state, SYNC_SLOT_CLOSED);
    assert_true(page_is_used(&runner));
    assert_string_equal(page_check(&runner, false), "the state of a side");
    release(&runner);
}

static void write_header(struct sync_page *page)
{
    page->header.nonce ^= 1U;
}

static void raise_limit(struct sync_page *page)
{
    atomic_store(&page->control.limit, LIMIT + 1);
}

static void set_stop(struct sync_page *page)
{
    atomic_store(&page->control.stop, 1);
}

static void set_abort(struct sync_page *page)
{
    atomic_store(&page->control.abort, 1);
}

static void set_last(struct sync_page *page)
{
    atomic_store(&page->control.last, LIMIT);
}

static void set_drained(struct sync_page *page)
{
    atomic_store(&page->slots[1].drained, 1);
}

static void run_ahead(struct sync_page *page)
{
    atomic_store(&page->slots[0].head, SYNC_RING_RECORDS + 1);
}

static void go_on_behind_the_last(struct sync_page *page)
{
    atomic_store(&page->control.last, 3);
    atomic_store(&page->slots[1].head, 5);
    atomic_store(&page->slots[1].ended, 5);
}

static void end_without_records(struct sync_page *page)
{
    atomic_store(&page->slots[1].ended, 1);
}

static void name_too_many_regions(struct sync_page *page)
{
    atomic_store(&page->slots[1].regions, SYNC_REGIONS_MAX + 1);
}

static void lose_a_side(struct sync_page *page)
{
    (void)sync_slot_claim(&page->slots[0], 1);
    atomic_store(&page->slots[0].state, SYNC_SLOT_LOST);
}

static void meet_without_sides(struct sync_page *page)
{
    atomic_store(&page->begin.first, 3U << SYNC_MEETING_STATE_BITS);
}

static void meet_in_no_state(struct sync_page *page)
{
    atomic_store(&page->begin.first, (1U << SYNC_MEETING_STATE_BITS) - 1);
}

static void end_before_the_begin(struct sync_page *page)
{
    atomic_store(&page->end.first, 1U << SYNC_MEETING_STATE_BITS);
}

static void what_nobody_writes_is_found(void **state)
{
    (void)state;
    static const struct {
        void (*write)(struct sync_page *page);
        const char *what;
        bool solo; /* also where no sides meet */
    } cases[] = {{write_header, "its header", true},
                 {raise_limit, "the limits of the run", true},
                 {set_stop, "the limits of the run", true},
                 {set_abort, "the limits of the run", true},
                 {set_last, "the limits of the run", true},
                 {set_drained, "the state of a side", true},
                 {run_ahead, "the state of a side", true},
                 {go_on_behind_the_last, "the state of a side", true},
                 {end_without_records, "the state of a side", true},
                 {name_too_many_regions, "the state of a side", true},
                 {lose_a_side, "the state of a side", true},
                 {meet_without_sides, "the meeting of the sides", false},
                 {meet_in_no_state, "the meeting of the sides", false},
                 {end_before_the_begin, "the meeting of the sides", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct runner runner = fresh();
        cases[i].write(runner.map.page);
        const char *paired = page_check(&runner, false);
        assert_non_null(paired);
        assert_string_equal(paired, cases[i].what);
        assert_int_equal(page_check(&runner, true) != NULL, cases[i].solo);
        release(&runner);
    }
}

/* So many looks, each so long after the last one: the number of the first at which they
 * are stuck. 0: none. */
static unsigned stuck_at(const struct runner *runner, unsigned looks, unsigned step_s,
                         struct page_look *look)
{
    static uint64_t now_ns = UINT64_C(1000000000);
    for (unsigned i = 1; i <= looks; i++) {
        now_ns += step_s * UINT64_C(1000000000);
        if (page_check_stuck(runner, now_ns, look)) {
            return i;
        }
    }
    return 0;
}

/* Each for the other, for many looks, and nobody has done anything in between. */
static void sides_that_wait_for_each_other(void **state)
{
    (void)state;
    struct runner runner = fresh();
    struct sync_slot *slots = runner.map.page->slots;
    struct page_look look = {0};
    atomic_store(&slots[0].traits, SYNC_TRAIT_ASLEEP);
    atomic_store(&slots[1].traits, SYNC_TRAIT_ASLEEP);
    assert_int_equal(stuck_at(&runner, 9, 5, &look), 4);
    look = (struct page_look){0};
    assert_int_equal(stuck_at(&runner, 99, 1, &look), 15); /* with progress */
    /* One of them goes on. */
    atomic_store(&slots[1].head, 1);
    assert_int_equal(stuck_at(&runner, 3, 5, &look), 0);
    atomic_store(&slots[1].traits, 0);
    assert_int_equal(stuck_at(&runner, 9, 5, &look), 0);
    release(&runner);
}

static void fillers_for_a_side_that_sleeps(void **state)
{
    (void)state;
    struct runner runner = fresh();
    struct sync_slot *slots = runner.map.page->slots;
    struct page_look look = {0};
    atomic_store(&slots[0].traits, SYNC_TRAIT_ASLEEP);
    assert_int_equal(stuck_at(&runner, 1, 5, &look), 0);
    for (uint64_t fillers = 1; fillers < 5; fillers++) { /* it sees soon that 0 ended */
        atomic_store(&slots[1].fillers, fillers);
        assert_int_equal(stuck_at(&runner, 1, 5, &look), 0);
    }
    for (uint64_t i = 1; i <= 3; i++) {
        atomic_store(&slots[1].fillers, 4 + 9 * i);
        assert_int_equal(stuck_at(&runner, 1, 5, &look), i == 3);
    }
    /* Both fill: each sees soon that the other has ended. */
    atomic_store(&slots[0].traits, 0);
    for (uint64_t i = 1; i <= 5; i++) {
        atomic_store(&slots[0].fillers, 9 * i);
        atomic_store(&slots[1].fillers, 99 * i);
        assert_int_equal(stuck_at(&runner, 1, 5, &look), 0);
    }
    release(&runner);
}

/* A look before, one as soon as it goes on, and a side that gets no CPU for seconds. */
static void a_machine_that_stood_still(void **state)
{
    (void)state;
    struct runner runner = fresh();
    struct sync_slot *slots = runner.map.page->slots;
    struct page_look look = {0};
    atomic_store(&slots[0].traits, SYNC_TRAIT_ASLEEP);
    atomic_store(&slots[1].state, SYNC_SLOT_FULL);
    assert_int_equal(stuck_at(&runner, 1, 5, &look), 0);
    assert_int_equal(stuck_at(&runner, 1, 3600, &look), 0);
    assert_int_equal(stuck_at(&runner, 1, 5, &look), 0);
    assert_int_equal(stuck_at(&runner, 1, 5, &look), 1);
    release(&runner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_page_is_right),
        cmocka_unit_test(a_state_without_a_claim_is_use),
        cmocka_unit_test(what_nobody_writes_is_found),
        cmocka_unit_test(sides_that_wait_for_each_other),
        cmocka_unit_test(fillers_for_a_side_that_sleeps),
        cmocka_unit_test(a_machine_that_stood_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
