#include "analysis/gate.h"

#include <math.h>

enum model_gate_place analysis_gate_place(double low, double high, double max_slowdown)
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

void analysis_gate_judge(struct model_comparison *comparison)
{
    const struct model_gate *asked = &comparison->analysis.gate;
    struct model_gate_outcome outcome = {.state = MODEL_GATE_NONE};
    bool any = asked->fail_on != 0 || !isnan(asked->max_slowdown);
    if (any && comparison->verdict != MODEL_VERDICT_FAILED) {
        outcome.place = analysis_gate_place(
            comparison->interval.low, comparison->interval.high, asked->max_slowdown);
        outcome.by_limit = outcome.place == MODEL_GATE_ABOVE;
        /* With a limit, unsure means unsure about the limit. */
        bool open = outcome.place == MODEL_GATE_AROUND ||
                    (outcome.place == MODEL_GATE_NO_LIMIT &&
                     comparison->verdict == MODEL_VERDICT_UNSURE);
        bool unsure = open && (asked->fail_on & MODEL_FAIL_ON_UNSURE) != 0;
        bool named = names_change(asked, comparison->verdict);
        outcome.by_verdict = named || (unsure && outcome.place == MODEL_GATE_NO_LIMIT);
        outcome.state = named || outcome.by_limit ? MODEL_GATE_FAILED
                        : unsure                  ? MODEL_GATE_UNSURE
                                                  : MODEL_GATE_PASSED;
    }
    comparison->gate = outcome;
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
