/* What limits a comparison, and what to do about it. */
#include "analysis/remarks/advice.h"
#include "base/parse.h"
#include "support/alloc_fail.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct analysis_effort ten_seconds = {
    10.0, {"./old", "./new"}, {NULL, NULL}};

/* Programs on the CPU for so much of their time. */
static struct analysis_facts facts_of(double busy)
{
    struct analysis_side_usage usage = {.wall_ns = 1e9, .cpu_ns = busy * 1e9};
    return (struct analysis_facts){.sides = {usage, usage}, .num_cpus = 2};
}

static void advise(const struct analysis_facts *facts,
                   const struct analysis_effort *effort, struct model_comparison *c)
{
    assert_int_equal(analysis_advise(facts, effort, c, NULL), DUET_OK);
}

static struct model_comparison unsure(double could_have_seen)
{
    return (struct model_comparison){
        .verdict = MODEL_VERDICT_UNSURE,
        .schedule = MODEL_SCHEDULE_DUET,
        .could_have_seen = could_have_seen,
        .same_within = (double)NAN,
        .conditions = {.cpu_bias = 0.001, .taken_ratio = 0.01}};
}

static struct model_advice advice_of(struct model_comparison comparison, double busy)
{
    const struct analysis_facts facts = facts_of(busy);
    advise(&facts, &ten_seconds, &comparison);
    return comparison.advice;
}

/* Their programs take no options of duet. */
static void test_what_others_measured(void **state)
{
    (void)state;
    struct model_comparison c = unsure(0.03);
    const struct analysis_facts facts = facts_of(0.99);
    const struct analysis_effort none = {0.0, {NULL, NULL}, {NULL, NULL}};
    advise(&facts, &none, &c);
    assert_int_equal(c.advice.limit, MODEL_LIMIT_NOISE);
    assert_string_equal(c.advice.options, "");
    assert_string_equal(c.advice.command, "");
}

static void test_limits(void **state)
{
    (void)state;
    struct model_comparison c = unsure(0.03);
    assert_int_equal(advice_of(c, 0.99).limit, MODEL_LIMIT_NOISE);
    assert_int_equal(advice_of(c, 0.2).limit, MODEL_LIMIT_WAITING);
    c.conditions.cpu_bias = -0.04;
    assert_int_equal(advice_of(c, 0.99).limit, MODEL_LIMIT_CPUS);
    c.conditions.taken_ratio = 0.4;
    assert_int_equal(advice_of(c, 0.99).limit, MODEL_LIMIT_OTHERS);
    c.schedule = MODEL_SCHEDULE_TIMESLICE;
    assert_int_equal(advice_of(c, 0.99).limit, MODEL_LIMIT_NOISE);
    assert_int_equal(advice_of(unsure(0.004), 0.99).limit, MODEL_LIMIT_TIME);
    assert_int_equal(advice_of(unsure((double)NAN), 0.99).limit, MODEL_LIMIT_FEW_RUNS);
    struct model_comparison open = unsure(1.5);
    open.interval.low = open.interval.high = (double)NAN;
    assert_int_equal(advice_of(open, 0.99).limit, MODEL_LIMIT_FEW_RUNS);
    open.interval_refused = true; /* more runs would not change it */
    assert_int_equal(advice_of(open, 0.99).limit, MODEL_LIMIT_NONE);
    assert_string_equal(advice_of(open, 0.99).options, "");
    struct model_comparison bounded = unsure(0.004);
    bounded.losses = MODEL_LOSSES_BOUNDED;
    assert_int_equal(advice_of(bounded, 0.2).limit, MODEL_LIMIT_OTHERS);
    bounded.could_have_seen = 0.03; /* more time would not tell the lost CPU time */
    assert_true(isnan(advice_of(bounded, 0.2).seconds));
    c.doubt = MODEL_DOUBT_MEAN;
    assert_int_equal(advice_of(c, 0.99).limit, MODEL_LIMIT_SLOW_ITERATIONS);
    /* Nothing known of the CPU. */
    assert_int_equal(advice_of(unsure(0.03), (double)NAN).limit, MODEL_LIMIT_NOISE);
    c.verdict = MODEL_VERDICT_SLOWER;
    struct model_advice none = advice_of(c, 0.99);
    assert_int_equal(none.limit, MODEL_LIMIT_NONE);
    assert_string_equal(none.command, "");
}

/* What can be seen shrinks with the root of the time. */
static void test_time(void **state)
{
    (void)state;
    struct model_advice advice = advice_of(unsure(0.03), 0.2);
    assert_true(fabs(advice.seconds - 90.0) < 1e-6);
    assert_string_equal(advice.options, "--until decided,time=110s");
    advice = advice_of(unsure(0.06), 0.2);
    assert_true(fabs(advice.seconds - 360.0) < 1e-6);
    assert_string_equal(advice.options, "--until decided,time=8min");
    advice = advice_of(unsure(0.3), 0.2);
    assert_string_equal(advice.options, "--until decided,time=180min");
    advice = advice_of(unsure(0.92), 0.2); /* a fifth more would be above a day */
    assert_string_equal(advice.options, "--until decided,time=1440min");
    /* Nobody waits for it: nothing is promised. */
    advice = advice_of(unsure(0.95), 0.2);
    assert_true(advice.seconds > 86400.0);
    assert_string_equal(advice.options, "");
    assert_string_equal(advice.command, "");
    /* Another way of measuring has another rate. */
    advice = advice_of(unsure(0.95), 0.99);
    assert_string_equal(advice.options,
                        "--until decided,time=40s --schedule timeslice");
    struct model_comparison turns = unsure(0.95);
    turns.schedule = MODEL_SCHEDULE_TIMESLICE;
    assert_string_equal(advice_of(turns, 0.99).options, "");
    struct model_comparison doubted = unsure(0.95);
    doubted.doubt = MODEL_DOUBT_MEAN;
    assert_string_equal(advice_of(doubted, 0.2).options,
                        "--statistic mean --until time=40s");
    advice = advice_of(unsure(0.009), 0.2);
    assert_true(isnan(advice.seconds));
    assert_string_equal(advice.options, "--until decided,time=40s");
}

static void test_options(void **state)
{
    (void)state;
    struct model_comparison c = unsure(0.02);
    assert_string_equal(advice_of(c, 0.99).options,
                        "--until decided,time=50s --schedule timeslice");
    c.same_within = 0.005; /* the default need not be typed */
    assert_string_equal(advice_of(c, 0.2).options, "--until decided,time=50s");
    c.same_within_asked = true;
    assert_string_equal(advice_of(c, 0.2).options,
                        "--until decided,time=50s --same-within 0.5%");
    c.doubt = MODEL_DOUBT_MEAN;
    assert_string_equal(advice_of(c, 0.99).options,
                        "--statistic mean --until time=50s --same-within 0.5%");
    /* Threads would run one after the other on one CPU. */
    c = unsure(0.02);
    struct analysis_facts facts = facts_of(0.99);
    facts.sides[MODEL_NEW].crowded = true;
    advise(&facts, &ten_seconds, &c);
    assert_string_equal(c.advice.options, "--until decided,time=50s");
}

/* The shell gets the words as they were typed. */
static void test_the_command_is_one_for_a_shell(void **state)
{
    (void)state;
    const char *const commands[] = {"./a 'b c' \"$HOME\"", "sh -c 'echo \\'"};
    const struct analysis_effort effort = {
        1.0, {commands[0], commands[1]}, {NULL, NULL}};
    const struct analysis_facts facts = facts_of(0.2);
    struct model_comparison c = unsure(0.02);
    struct duet_error error;
    advise(&facts, &effort, &c);
    char **words = NULL;
    assert_int_equal(parse_command_words(c.advice.command, &words, &error), DUET_OK);
    assert_string_equal(words[0], "duet");
    assert_string_equal(words[2], "decided,time=10s");
    assert_string_equal(words[3], commands[0]);
    assert_string_equal(words[4], commands[1]);
    assert_null(words[5]);
    free(words);
}

static void test_a_program_against_itself(void **state)
{
    const struct analysis_facts facts = facts_of(0.2);
    struct model_comparison c = unsure(0.02);
    struct analysis_effort effort = {1.0, {"./a", "./a"}, {NULL, NULL}};
    (void)state;
    advise(&facts, &effort, &c);
    assert_string_equal(c.advice.command, "duet aa --until time=10s './a'");
    effort.folders[MODEL_OLD] = "/x";
    advise(&facts, &effort, &c);
    assert_non_null(
        strstr(c.advice.command, "--until decided,time=10s --cwd-old '/x' "));
}

static void test_commands_that_cannot_be_shown(void **state)
{
    (void)state;
    const struct analysis_facts facts = facts_of(0.2);
    struct model_comparison c = unsure(0.02);
    const struct analysis_effort unknown = {0.0, {"./a", NULL}, {NULL, NULL}};
    advise(&facts, &unknown, &c);
    assert_string_equal(c.advice.command, "");
    assert_true(isnan(c.advice.seconds));
    assert_string_equal(c.advice.options, "--until decided,time=10s");
    /* Of every length about the room there is: whole, or not at all. */
    char long_one[sizeof c.advice.command + 8];
    for (size_t length = 1; length < sizeof long_one; length++) {
        memset(long_one, length % 3 == 0 ? '\'' : 'x', length);
        long_one[length] = '\0';
        const struct analysis_effort effort = {0.0, {"a", long_one}, {NULL, NULL}};
        advise(&facts, &effort, &c);
        size_t got = strlen(c.advice.command);
        assert_true(got < sizeof c.advice.command);
        assert_true(got == 0 || c.advice.command[got - 1] == '\'');
    }
    assert_string_equal(c.advice.command, "");
}

static void test_short_of_memory(void **state)
{
    (void)state;
    const struct analysis_facts facts = facts_of(0.2);
    struct model_comparison c = unsure(0.02);
    alloc_fail_at(0);
    advise(&facts, &ten_seconds, &c);
    unsigned long allocations = alloc_fail_seen();
    assert_true(allocations > 0);
    for (unsigned long n = 1; n <= allocations; n++) {
        alloc_fail_at(n);
        assert_int_equal(analysis_advise(&facts, &ten_seconds, &c, NULL), DUET_E_NOMEM);
    }
    alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_what_others_measured),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_the_command_is_one_for_a_shell),
        cmocka_unit_test(test_a_program_against_itself),
        cmocka_unit_test(test_commands_that_cannot_be_shown),
        cmocka_unit_test(test_short_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
