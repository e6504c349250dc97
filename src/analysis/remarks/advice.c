#include "analysis/remarks/advice.h"

#include "analysis/remarks/fitness.h"

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

/* Appends `word` as a word of a POSIX shell: in single quotes, which end for a single
 * quote. false: it does not fit. */
static bool quote(char *command, size_t size, const char *word)
{
    size_t used = strlen(command);
    const char *before = " '";
    for (const char *c = before; *c != '\0' && used + 1 < size; c++) {
        command[used++] = *c;
    }
    for (; *word != '\0' && used + 5 < size; word++) {
        const char *piece = *word == '\'' ? "'\\''" : (const char[]){*word, '\0'};
        for (; *piece != '\0'; piece++) {
            command[used++] = *piece;
        }
    }
    bool complete = *word == '\0' && used + 2 < size;
    command[used++] = complete ? '\'' : '\0';
    command[used] = '\0';
    return complete;
}

static void put_command(const struct analysis_effort *effort,
                        struct model_advice *advice)
{
    if (effort->commands[MODEL_OLD] == NULL || effort->commands[MODEL_NEW] == NULL ||
        advice->options[0] == '\0') {
        return;
    }
    char *command = advice->command;
    const size_t size = sizeof advice->command;
    bool fits = true;
    int first = against_itself(effort) ? MODEL_NEW : MODEL_OLD;
    (void)snprintf(command, size, "duet %s%s", first == MODEL_NEW ? "aa " : "",
                   advice->options);
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (effort->folders[side] != NULL) {
            size_t used = strlen(command);
            int added = snprintf(command + used, size - used, " --cwd-%s",
                                 model_side_name((enum model_side)side));
            fits = fits && (size_t)added < size - used &&
                   quote(command, size, effort->folders[side]);
        }
    }
    for (int side = first; side < MODEL_SIDES; side++) {
        fits = fits && quote(command, size, effort->commands[side]);
    }
    if (!fits) {
        command[0] = '\0'; /* too long to type again */
    }
}

void analysis_advise(const struct analysis_facts *facts,
                     const struct analysis_effort *effort,
                     struct model_comparison *comparison)
{
    struct model_advice *advice = &comparison->advice;
    *advice = (struct model_advice){.limit = MODEL_LIMIT_NONE, .seconds = (double)NAN};
    if (comparison->verdict != MODEL_VERDICT_UNSURE ||
        comparison->statistic.statistic.kind != MODEL_STATISTIC_NONE) {
        return;
    }
    advice->limit = limit_of(facts, comparison);
    double times = comparison->could_have_seen / worth_seeing;
    /* More time does not tell how much CPU time was lost. */
    bool time_helps = comparison->losses != MODEL_LOSSES_BOUNDED;
    if (effort->elapsed_s > 0.0 && times > 1.0 && time_helps) {
        advice->seconds = effort->elapsed_s * times * times;
    }
    if (effort->elapsed_s > 0.0 || effort->commands[MODEL_OLD] != NULL) {
        put_options(facts, effort, comparison);
        put_command(effort, advice);
    }
}
