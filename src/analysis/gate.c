#include "analysis/gate.h"

#include "analysis/conclude.h"

#include <math.h>
#include <string.h>

enum model_gate_to_limit analysis_gate_to_limit(double low, double high,
                                                double max_slowdown)
{
    double limit = 1.0 + max_slowdown;
    if (isnan(limit)) {
        return MODEL_GATE_NO_LIMIT;
    }
    /* Comparisons with NaN, an open end, are false. */
    return low > limit    ? MODEL_GATE_ABOVE
           : high < limit ? MODEL_GATE_BELOW
                          : MODEL_GATE_AROUND;
}

static bool names_change(const struct model_gate *asked, enum model_verdict verdict)
{
    return (verdict == MODEL_VERDICT_SLOWER &&
            (asked->fail_on & MODEL_FAIL_ON_SLOWER) != 0) ||
           (verdict == MODEL_VERDICT_FASTER &&
            (asked->fail_on & MODEL_FAIL_ON_FASTER) != 0);
}

bool analysis_gate_accepts(const struct model_acceptance *acceptance, const char *today)
{
    return acceptance->limit > 0 && strcmp(today, acceptance->until) <= 0;
}

/* What an acceptance makes of it. */
static struct model_gate effective_gate(const struct model_comparison *comparison,
                                        const char *today)
{
    struct model_gate gate = comparison->analysis.gate;
    if (analysis_gate_accepts(&comparison->acceptance, today)) {
        gate.max_slowdown = comparison->acceptance.limit;
        gate.fail_on &= ~(unsigned)MODEL_FAIL_ON_SLOWER;
    }
    return gate;
}

static bool is_gated(const struct model_comparison *comparison)
{
    const struct model_gate *asked = &comparison->analysis.gate;
    return (asked->fail_on != 0 || !isnan(asked->max_slowdown)) &&
           comparison->verdict != MODEL_VERDICT_FAILED &&
           comparison->role == MODEL_ROLE_COMPARISON;
}

/* What the interval says by itself was taken back: for the mean, for the benchmarks
 * judged with it, or since the interval cannot be trusted. */
static bool slower_is_taken_back(const struct model_comparison *comparison)
{
    return comparison->verdict == MODEL_VERDICT_UNSURE &&
           analysis_verdict(comparison->interval.low, comparison->interval.high,
                            comparison->same_within,
                            comparison->same_within_asked) == MODEL_VERDICT_SLOWER;
}

void analysis_gate_judge(struct model_comparison *comparison, const char *today)
{
    const struct model_gate asked = effective_gate(comparison, today);
    struct model_gate_outcome outcome = {.state = MODEL_GATE_NONE,
                                         .confirmed_ratio = (double)NAN,
                                         .both_wrong = (double)NAN,
                                         .control_ratio = (double)NAN};
    if (is_gated(comparison) && comparison->verdict == MODEL_VERDICT_IDENTICAL) {
        outcome.state = MODEL_GATE_PASSED;
    } else if (is_gated(comparison)) {
        outcome.to_limit = analysis_gate_to_limit(
            comparison->interval.low, comparison->interval.high, asked.max_slowdown);
        bool above = outcome.to_limit == MODEL_GATE_ABOVE;
        /* Who is not surely slower at all is not surely slower than the limit. */
        outcome.by_limit =
            above && !slower_is_taken_back(comparison) && !comparison->family.unshown;
        /* With a limit, unsure means unsure about the limit. */
        bool open = outcome.to_limit == MODEL_GATE_AROUND ||
                    (above && !outcome.by_limit) ||
                    (outcome.to_limit == MODEL_GATE_NO_LIMIT &&
                     comparison->verdict == MODEL_VERDICT_UNSURE);
        bool unsure = open && (asked.fail_on & MODEL_FAIL_ON_UNSURE) != 0;
        bool named = names_change(&asked, comparison->verdict);
        outcome.by_verdict =
            named || (unsure && outcome.to_limit == MODEL_GATE_NO_LIMIT);
        outcome.state = named || outcome.by_limit ? MODEL_GATE_FAILED
                        : unsure                  ? MODEL_GATE_UNSURE
                                                  : MODEL_GATE_PASSED;
    }
    outcome.accepted = analysis_gate_accepts(&comparison->acceptance, today);
    outcome.expired = comparison->acceptance.limit > 0 && !outcome.accepted;
    comparison->gate = outcome;
}

void analysis_gate_confirm(struct model_comparison *comparison,
                           const struct model_comparison *confirmation,
                           const char *today)
{
    struct model_gate_outcome *gate = &comparison->gate;
    struct model_comparison second = *confirmation;
    if (gate->state != MODEL_GATE_FAILED) {
        return;
    }
    second.role = MODEL_ROLE_COMPARISON;
    second.acceptance = comparison->acceptance;
    second.analysis.gate = comparison->analysis.gate;
    analysis_gate_judge(&second, today);
    bool same_way = (second.ratio > 1) == (comparison->ratio > 1);
    bool again = second.gate.state == MODEL_GATE_FAILED && same_way;
    bool unsure = (comparison->analysis.gate.fail_on & MODEL_FAIL_ON_UNSURE) != 0;
    gate->confirmation = again ? MODEL_CONFIRMED : MODEL_NOT_CONFIRMED;
    gate->confirmed_ratio = second.ratio;
    gate->both_wrong =
        (1.0 - comparison->interval.confidence) * (1.0 - second.interval.confidence);
    if (!again) {
        gate->state = unsure ? MODEL_GATE_UNSURE : MODEL_GATE_PASSED;
    }
}

void analysis_gate_control(struct model_comparison *comparison,
                           const struct model_comparison *control)
{
    comparison->gate.control_ratio = control->ratio;
    comparison->gate.control_alarmed = model_comparison_is_change(control);
}

void analysis_gate_add(const struct model_comparison *comparison,
                       struct model_gate_summary *summary)
{
    enum model_gate_state state = comparison->gate.state;
    summary->state = state > summary->state ? state : summary->state;
    summary->asked += state != MODEL_GATE_NONE;
    summary->passed += state == MODEL_GATE_PASSED;
    summary->unsure += state == MODEL_GATE_UNSURE;
    summary->failed += state == MODEL_GATE_FAILED;
    summary->broken += comparison->verdict == MODEL_VERDICT_FAILED;
}
