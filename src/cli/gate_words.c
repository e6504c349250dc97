#include "cli/gate_words.h"

#include "base/text.h"
#include "cli/cli.h"
#include "report/digits.h"
#include "report/display.h"
#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "upper end +1.2 %", with the digits of the change. */
static void append_end(struct text *text, const struct model_comparison *comparison,
                       bool upper)
{
    struct model_comparison end = *comparison;
    double known = upper ? comparison->interval.high : comparison->interval.low;
    end.ratio = known;
    words_append_change(text, &end, false, false);
}

static void append_name(struct text *text, const struct model_comparison *comparison,
                        bool several)
{
    bool own = strcmp(comparison->name, comparison->side_names[MODEL_OLD]) != 0;
    display_append_clean(text, several || own ? comparison->name : "new", true);
}

static void append_verdict(struct text *text, const struct model_comparison *comparison)
{
    text_append(text, " is ");
    words_append_verdict(text, comparison, comparison->verdict != MODEL_VERDICT_SAME);
    if (comparison->verdict == MODEL_VERDICT_SLOWER ||
        comparison->verdict == MODEL_VERDICT_FASTER) {
        text_append(text, " by ");
        words_append_change(text, comparison, false, false);
    }
}

/* What the limit says of the interval. */
static void append_limit(struct text *text, const struct model_comparison *comparison,
                         double max_slowdown)
{
    double limit = 1 + max_slowdown;
    bool above = comparison->interval.low > limit;
    bool below = comparison->interval.high < limit;
    if (above || below) {
        text_append(text, above ? ": its lower end " : ": its upper end ");
        append_end(text, comparison, below);
        text_append_format(text, " is %s --max-slowdown %.6g%%",
                           above ? "above" : "below", 100 * max_slowdown);
        return;
    }
    text_append_format(text, ": --max-slowdown %.6g%% lies ", 100 * max_slowdown);
    if (words_has_interval(comparison)) {
        text_append(text, "within its interval ");
        words_append_interval(text, comparison, true);
    } else {
        text_append(text, "in no interval: there are too few runs");
    }
}

static bool names_verdict(const struct model_analysis *gate, enum model_verdict verdict)
{
    return (verdict == MODEL_VERDICT_SLOWER &&
            (gate->fail_on & MODEL_FAIL_ON_SLOWER) != 0) ||
           (verdict == MODEL_VERDICT_FASTER &&
            (gate->fail_on & MODEL_FAIL_ON_FASTER) != 0) ||
           (verdict == MODEL_VERDICT_UNSURE &&
            (gate->fail_on & MODEL_FAIL_ON_UNSURE) != 0);
}

/* "zip is slower by +8.1 % (--fail-on slower)" */
static void append_reason(struct text *text, const struct model_comparison *comparison,
                          const struct model_analysis *gate, int status)
{
    bool limited = !isnan(gate->max_slowdown);
    bool by_verdict = names_verdict(gate, comparison->verdict) &&
                      !(limited && comparison->verdict == MODEL_VERDICT_UNSURE);
    if (by_verdict) {
        append_verdict(text, comparison);
        text_append_format(text, " (--fail-on %s)",
                           model_verdict_name(comparison->verdict));
    } else if (limited) {
        append_limit(text, comparison, gate->max_slowdown);
        text_append(text, status == CLI_EXIT_UNSURE ? " (--fail-on unsure)" : "");
    } else {
        append_verdict(text, comparison);
    }
}

/* The limit lies within the interval, and only --fail-on unsure would fail for it. */
static bool is_open(const struct model_comparison *comparison,
                    const struct model_analysis *gate)
{
    double limit = 1 + gate->max_slowdown;
    return !isnan(limit) && !(comparison->interval.high < limit);
}

int gate_judge(struct gate_tally *tally, const struct model_comparison *comparison)
{
    const struct model_analysis *gate = &comparison->analysis;
    int status = verdict_exit(comparison);
    bool asked = gate->fail_on != 0 || !isnan(gate->max_slowdown);
    if (!asked || comparison->verdict == MODEL_VERDICT_FAILED) {
        return status;
    }
    tally->asked++;
    tally->passed += status == CLI_EXIT_OK;
    bool open = status == CLI_EXIT_OK && is_open(comparison, gate);
    if (status == CLI_EXIT_OK && (tally->quiet || (tally->several && !open))) {
        return status;
    }
    struct text text = {0};
    append_name(&text, comparison, tally->several);
    append_reason(&text, comparison, gate, status);
    text_append(&text, open ? "; --fail-on unsure would fail" : "");
    cli_say("gate: %s: %s",
            status == CLI_EXIT_OK       ? "passed"
            : status == CLI_EXIT_UNSURE ? "unsure"
                                        : "failed",
            text_string(&text));
    text_release(&text);
    return status;
}

void gate_close(const struct gate_tally *tally)
{
    if (tally->several && !tally->quiet && tally->asked > 0 &&
        tally->passed == tally->asked) {
        cli_say("gate: passed: all %zu benchmarks with a gate", tally->asked);
    }
}
