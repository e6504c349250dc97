// labels: tsan serial soakvalgrind
/* The meeting of two sides, as two threads of one process. */
#include "sync/clock.h"
#include "sync/page.h"

#include "base/random.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { FAST_ROUNDS = 100000, SLEPT_ROUNDS = 200, DELAY_MOST_NS = 1000000 };

struct side {
    struct sync_meeting *meeting;
    struct sync_party party;
    uint32_t rounds;
    uint64_t seed;      /* of random delays; 0: none */
    uint64_t *plain[2]; /* not atomic: each side writes its own, reads the other's */
    unsigned self;
    enum sync_outcome outcome; /* the first bad one */
    uint32_t slept;
    uint32_t met;
    uint32_t torn; /* rounds in which the peer's plain value was not the round's */
};

static void pause_ns(uint64_t time_ns)
{
    struct timespec time = {.tv_nsec = (long)time_ns};
    (void)nanosleep(&time, NULL);
}

/* Two meetings a round, as an iteration has: what a side wrote before the first is seen
 * after it, and is not overwritten before the second. */
static void *side_run(void *context)
{
    struct side *side = context;
    struct random_stream random = random_stream_at(side->seed, side->self);
    for (uint32_t i = 0; i < side->rounds; i++) {
        if (side->seed != 0 && random_below(&random, 2) == 0) {
            pause_ns(random_below(&random, DELAY_MOST_NS));
        }
        *side->plain[side->self] = i;
        for (int half = 0; half < 2; half++) {
            enum sync_outcome outcome = sync_meet(side->meeting, &side->party, NULL);
            side->outcome = outcome;
            if (outcome != SYNC_MET && outcome != SYNC_MET_SLEPT) {
                return NULL;
            }
            side->slept += outcome == SYNC_MET_SLEPT;
            side->met++;
            side->torn += half == 0 && *side->plain[1 - side->self] != i;
        }
    }
    return NULL;
}

/* The n-th CPU that this process may use; -1 when there are fewer. Sides that spin
 * belong on CPUs of their own. */
static int cpu_allowed(unsigned n)
{
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &set) && n-- == 0) {
            return cpu;
        }
    }
    return -1;
}

static void pair_run(struct side sides[2], const struct sync_party *party,
                     uint32_t rounds, uint64_t seed)
{
    static struct sync_meeting meeting;
    static uint64_t plain[2][16]; /* far apart */
    memset(&meeting, 0, sizeof meeting);
    atomic_store(&meeting.first, party->round << SYNC_MEETING_STATE_BITS);
    pthread_t threads[2];
    for (unsigned i = 0; i < 2; i++) {
        pthread_attr_t attributes;
        assert_int_equal(pthread_attr_init(&attributes), 0);
        if (cpu_allowed(1) >= 0) {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET((size_t)cpu_allowed(i), &set);
            assert_int_equal(pthread_attr_setaffinity_np(&attributes, sizeof set, &set),
                             0);
        }
        sides[i] = (struct side){.meeting = &meeting,
                                 .party = *party,
                                 .rounds = rounds,
                                 .seed = seed,
                                 .plain = {plain[0], plain[1]},
                                 .self = i};
        assert_int_equal(pthread_create(&threads[i], &attributes, side_run, &sides[i]),
                         0);
        assert_int_equal(pthread_attr_destroy(&attributes), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
}

static void assert_agreed(const struct side sides[2], uint32_t rounds)
{
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sides[i].met, 2 * rounds);
        assert_int_equal(sides[i].torn, 0);
    }
    assert_int_equal(sides[0].slept, sides[1].slept);
    assert_int_equal(sides[0].party.second_round, sides[1].party.second_round);
}

static void many_rounds(void **state)
{
    (void)state;
    struct side sides[2];
    /* Two spinners on one CPU wait for the scheduler in each round. */
    uint32_t rounds = cpu_allowed(1) >= 0 ? FAST_ROUNDS : SLEPT_ROUNDS;
    pair_run(sides, &(struct sync_party){.spins = true}, rounds, 0);
    assert_agreed(sides, rounds);
    assert_int_equal(sides[0].party.second_round, sides[0].slept);
}

static void delays_make_sides_sleep(void **state)
{
    (void)state;
    struct side sides[2];
    pair_run(sides, &(struct sync_party){.spins = true}, SLEPT_ROUNDS, 7);
    assert_agreed(sides, SLEPT_ROUNDS);
    assert_true(sides[0].slept > 0);
    assert_int_equal(sides[0].party.second_round, sides[0].slept);
}

static void without_spinning_there_is_no_second_phase(void **state)
{
    (void)state;
    struct side sides[2];
    pair_run(sides, &(struct sync_party){.spins = false}, SLEPT_ROUNDS, 11);
    assert_agreed(sides, SLEPT_ROUNDS);
    assert_int_equal(sides[0].party.second_round, 0);
    assert_true(sides[0].slept > 0);
}

static void a_single_phase_meeting_has_no_second(void **state)
{
    (void)state;
    struct side sides[2];
    pair_run(sides, &(struct sync_party){.spins = true, .single = true}, SLEPT_ROUNDS,
             13);
    assert_agreed(sides, SLEPT_ROUNDS);
    assert_int_equal(sides[0].party.second_round, 0);
}

static void rounds_wrap_around(void **state)
{
    (void)state;
    const uint32_t starts[] = {UINT32_MAX - 50, (1U << 29U) - 50};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        struct side sides[2];
        struct sync_party party = {.spins = true, .round = starts[i]};
        pair_run(sides, &party, 100, 0);
        assert_agreed(sides, 100);
    }
}

static void count_call(void *context)
{
    (*(unsigned *)context)++;
}

/* Nobody may be woken by a peer that can only spin: the sleeper naps. */
static void naps_while_the_peer_cannot_wake(void **state)
{
    (void)state;
    _Atomic uint32_t traits = 0;
    unsigned woken = 0;
    struct sync_meeting meeting = {0};
    struct side side = {.meeting = &meeting,
                        .party = {.spins = false,
                                  .peer_traits = &traits,
                                  .woken = count_call,
                                  .context = &woken},
                        .rounds = 1};
    uint64_t plain[2] = {0, 0};
    side.plain[0] = &plain[0];
    side.plain[1] = &plain[1];
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, side_run, &side), 0);
    for (uint32_t round = 1; round <= 2; round++) {
        uint32_t asleep = round << SYNC_MEETING_STATE_BITS | SYNC_MEETING_ASLEEP;
        while (atomic_load(&meeting.first) != asleep) {
            pause_ns(10000);
        }
        pause_ns(3000000); /* it sleeps by now, and we do not wake it */
        atomic_store(&meeting.first,
                     round << SYNC_MEETING_STATE_BITS | SYNC_MEETING_DONE_SLEPT);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(side.slept, 2);
    assert_int_equal(woken, 2);
}

enum moment { SPINNING, ASLEEP, BETWEEN };

static void poison_at(enum moment moment)
{
    struct sync_meeting meeting = {0};
    uint64_t plain[2] = {0, 0};
    struct side side = {.meeting = &meeting,
                        /* A spinner that would not sleep before the poison comes. */
                        .party = {.spins = moment != ASLEEP, .wait_ns = 100000},
                        .rounds = 1,
                        .plain = {&plain[0], &plain[1]}};
    pthread_t thread;
    if (moment == BETWEEN) {
        sync_meeting_poison(&meeting);
    }
    assert_int_equal(pthread_create(&thread, NULL, side_run, &side), 0);
    uint32_t awaited = 1U << SYNC_MEETING_STATE_BITS |
                       (moment == ASLEEP ? SYNC_MEETING_ASLEEP : SYNC_MEETING_WAITING);
    while (moment != BETWEEN && atomic_load(&meeting.first) < awaited) {
        pause_ns(1000);
    }
    sync_meeting_poison(&meeting);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(side.outcome, SYNC_POISONED);
    assert_int_equal(atomic_load(&meeting.first), SYNC_MEETING_POISON);
}

static void poison_releases(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        poison_at(SPINNING);
        poison_at(ASLEEP);
        poison_at(BETWEEN);
    }
}

/* Every value that a peer in the same round never leaves there. */
static void foreign_values_confuse(void **state)
{
    (void)state;
    const uint32_t foreign[] = {
        5U << SYNC_MEETING_STATE_BITS,
        3U << SYNC_MEETING_STATE_BITS | SYNC_MEETING_WAITING,
        1U << SYNC_MEETING_STATE_BITS | SYNC_MEETING_DONE,
        1U << SYNC_MEETING_STATE_BITS | 4U,
        7U,
    };
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        struct sync_meeting meeting = {0};
        struct sync_party party = {.spins = true};
        atomic_store(&meeting.first, foreign[i]);
        assert_int_equal(sync_meet(&meeting, &party, NULL), SYNC_CONFUSED);
    }
}

struct intruder {
    struct sync_meeting *meeting;
    uint32_t when;
    uint32_t value;
};

static void *intrude(void *context)
{
    struct intruder *intruder = context;
    while (atomic_load(&intruder->meeting->first) != intruder->when) {
        pause_ns(1000);
    }
    atomic_store(&intruder->meeting->first, intruder->value);
    return NULL;
}

static enum sync_outcome meet_intruded(const struct sync_party *start, uint32_t when,
                                       uint32_t value)
{
    struct sync_meeting meeting = {0};
    struct sync_party party = *start;
    struct intruder intruder = {&meeting, when, value};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, intrude, &intruder), 0);
    struct sync_party napper = party;
    _Atomic uint32_t traits = 0; /* the intruder wakes nobody */
    napper.peer_traits = &traits;
    enum sync_outcome outcome = sync_meet(&meeting, &napper, NULL);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return outcome;
}

/* A peer may have arrived, worked, and wait in the next round before we look. */
static void a_peer_that_ran_ahead_has_met_us(void **state)
{
    (void)state;
    const uint32_t asleep = 1U << SYNC_MEETING_STATE_BITS | SYNC_MEETING_ASLEEP;
    const uint32_t ahead = 2U << SYNC_MEETING_STATE_BITS | SYNC_MEETING_WAITING;
    const uint32_t far = 3U << SYNC_MEETING_STATE_BITS | SYNC_MEETING_WAITING;
    struct sync_party sleeper = {.spins = false};
    struct sync_party single = {.spins = true, .single = true};
    struct sync_party twice = {.spins = true};
    assert_int_equal(meet_intruded(&sleeper, asleep, ahead), SYNC_MET_SLEPT);
    assert_int_equal(meet_intruded(&single, asleep, ahead), SYNC_MET_SLEPT);
    assert_int_equal(meet_intruded(&twice, asleep, ahead), SYNC_CONFUSED);
    assert_int_equal(meet_intruded(&sleeper, asleep, far), SYNC_CONFUSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rounds),
        cmocka_unit_test(delays_make_sides_sleep),
        cmocka_unit_test(without_spinning_there_is_no_second_phase),
        cmocka_unit_test(a_single_phase_meeting_has_no_second),
        cmocka_unit_test(rounds_wrap_around),
        cmocka_unit_test(naps_while_the_peer_cannot_wake),
        cmocka_unit_test(poison_releases),
        cmocka_unit_test(foreign_values_confuse),
        cmocka_unit_test(a_peer_that_ran_ahead_has_met_us),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
