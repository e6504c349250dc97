#include "analysis/remarks/advice.h"

#include "analysis/remarks/fitness.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Most comparisons that are worth a decision are worth seeing this. */
static const double worth_seeing = 0.01;
static const double much_bias = 0.01;
static const double shortest_s = 10.0;
/* Nobody waits longer: nothing is suggested that would take it. */
static const double longest_s = 24.0 * 3600.0;

static enum model_limit limit_of(const struct analysis_facts *facts,
                                 const struct model_comparison *comparison)
{
    const struct model_conditions *conditions = &comparison->conditions;
    if (comparison->doubt != MODEL_DOUBT_NONE) {
        return MODEL_LIMIT_SLOW_ITERATIONS;
    }
    if (comparison->interval_refused) {
        return MODEL_LIMIT_NONE;
    }
    bool open = isnan(comparison->interval.low) && isnan(comparison->interval.high);
    if (open || isnan(comparison->could_have_seen)) {
        return MODEL_LIMIT_FEW_RUNS;
    }
    if (comparison->losses == MODEL_LOSSES_BOUNDED) {
        return MODEL_LIMIT_OTHERS;
    }
    if (comparison->could_have_seen <= worth_seeing) {
        return MODEL_LIMIT_TIME;
    }
    if (fitness_is_much_taken(conditions->taken_ratio) &&
        comparison->schedule != MODEL_SCHEDULE_TIMESLICE) {
        return MODEL_LIMIT_OTHERS;
    }
    if (analysis_a_side_waits(facts)) {
        return MODEL_LIMIT_WAITING;
    }
    if (fabs(conditions->cpu_bias) > much_bias &&
        comparison->schedule == MODEL_SCHEDULE_DUET) {
        return MODEL_LIMIT_CPUS;
    }
    return MODEL_LIMIT_NOISE;
}

/* A time that a person would type: seconds, from two minutes on whole minutes. */
static void put_time(double seconds, char *ret_words, size_t size)
{
    double at_least = fmin(fmax(seconds, shortest_s), longest_s);
    if (at_least < 120.0) {
        (void)snprintf(ret_words, size, "%.0fs", 5.0 * ceil(at_least / 5.0));
    } else {
        (void)snprintf(ret_words, size, "%.0fmin", ceil(at_least / 60.0));
    }
}

/* On one CPU the difference between two of them is gone, and with it most of what other
 * programs do; but programs that wait must be compared by elapsed time. */
static bool one_cpu_helps(const struct analysis_facts *facts,
                          const struct model_comparison *comparison)
{
    bool noisy = comparison->advice.limit == MODEL_LIMIT_NOISE ||
                 comparison->advice.limit == MODEL_LIMIT_CPUS ||
                 comparison->advice.limit == MODEL_LIMIT_OTHERS;
    return noisy && comparison->schedule == MODEL_SCHEDULE_DUET &&
           analysis_sides_compute(facts);
}

/* A program against itself: no verdict to wait for, and `duet aa` is made for it. */
static bool against_itself(const struct analysis_effort *effort)
{
    return effort->commands[MODEL_OLD] != NULL && effort->commands[MODEL_NEW] != NULL &&
           strcmp(effort->commands[MODEL_OLD], effort->commands[MODEL_NEW]) == 0 &&
           effort->folders[MODEL_OLD] == NULL && effort->folders[MODEL_NEW] == NULL;
}

static void put_options(const struct analysis_facts *facts,
                        const struct analysis_effort *effort,
                        struct model_comparison *comparison)
{
    struct model_advice *advice = &comparison->advice;
    bool timeslice = comparison->schedule == MODEL_SCHEDULE_TIMESLICE ||
                     one_cpu_helps(facts, comparison);
    bool too_long = advice->seconds >= longest_s;
    bool otherwise = advice->limit == MODEL_LIMIT_SLOW_ITERATIONS ||
                     (timeslice && comparison->schedule != MODEL_SCHEDULE_TIMESLICE);
    if (too_long && !otherwise) {
        return;
    }
    /* A fifth more than extrapolated; without a figure to aim at (another way to
     * measure or to answer has another one), half the width. */
    double wanted_s = isfinite(advice->seconds) && !too_long
                          ? 1.2 * advice->seconds
                          : 4.0 * fmax(0.0, effort->elapsed_s);
    char time[24];
    char within[32] = "";
    put_time(wanted_s, time, sizeof time);
    if (comparison->same_within_asked && !isnan(comparison->same_within)) {
        (void)snprintf(within, sizeof within, " --same-within %.6g%%",
                       100.0 * comparison->same_within);
    }
    if (advice->limit == MODEL_LIMIT_SLOW_ITERATIONS) {
        (void)snprintf(advice->options, sizeof advice->options,
                       "--statistic mean --until time=%s%s", time, within);
    } else {
        (void)snprintf(advice->options, sizeof advice->options, "--until %stime=%s%s%s",
                       against_itself(effort) ? "" : "decided,", time, within,
                       timeslice ? " --schedule timeslice" : "");
    }
}

static enum duet_code put_command(const struct analysis_effort *effort,
                                  struct model_advice *advice,
                                  struct duet_error *reterr)
{
    if (effort->commands[MODEL_OLD] == NULL || effort->commands[MODEL_NEW] == NULL ||
        advice->options[0] == '\0') {
        return DUET_OK;
    }
    struct text command = {.bytes = NULL};
    int first = against_itself(effort) ? MODEL_NEW : MODEL_OLD;
    text_append_format(&command, "duet %s%s", first == MODEL_NEW ? "aa " : "",
                       advice->options);
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (effort->folders[side] != NULL) {
            text_append_format(&command, " --cwd-%s ",
                               model_side_name((enum model_side)side));
            text_append_quoted(&command, effort->folders[side]);
        }
    }
    for (int side = first; side < MODEL_SIDES; side++) {
        text_append_char(&command, ' ');
        text_append_quoted(&command, effort->commands[side]);
    }
    if (command.length < sizeof advice->command) { /* else too long to type again */
        text_copy(advice->command, sizeof advice->command, text_string(&command));
    }
    enum duet_code code = text_failed(&command) ? error_no_memory(reterr) : DUET_OK;
    text_release(&command);
    return code;
}

enum duet_code analysis_advise(const struct analysis_facts *facts,
                               const struct analysis_effort *effort,
                               struct model_comparison *comparison,
                               struct duet_error *reterr)
{
    struct model_advice *advice = &comparison->advice;
    *advice = (struct model_advice){.limit = MODEL_LIMIT_NONE, .seconds = (double)NAN};
    if (comparison->verdict != MODEL_VERDICT_UNSURE ||
        comparison->statistic.statistic.kind != MODEL_STATISTIC_NONE) {
        return DUET_OK;
    }
    advice->limit = limit_of(facts, comparison);
    if (advice->limit == MODEL_LIMIT_NONE) {
        return DUET_OK;
    }
    double times = comparison->could_have_seen / worth_seeing;
    /* More time does not tell how much CPU time was lost. */
    bool time_helps = comparison->losses != MODEL_LOSSES_BOUNDED;
    if (effort->elapsed_s > 0.0 && times > 1.0 && time_helps) {
        advice->seconds = effort->elapsed_s * times * times;
    }
    if (!(effort->elapsed_s > 0.0) && effort->commands[MODEL_OLD] == NULL) {
        return DUET_OK;
    }
    put_options(facts, effort, comparison);
    return put_command(effort, advice, reterr);
}
