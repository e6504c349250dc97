#include "report/gate_words.h"

#include "report/analysis_words.h"
#include "report/display.h"
#include "report/words.h"

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
    words_append_predicate(text, comparison, comparison->verdict != MODEL_VERDICT_SAME);
    if (model_comparison_is_change(comparison)) {
        text_append(text, " by ");
        words_append_change(text, comparison, false, false);
    }
}

/* Why the limit is open although the interval lies above it. */
static void append_taken_back(struct text *text,
                              const struct model_comparison *comparison)
{
    size_t before = text->length;
    words_append_doubt(text, comparison);
    if (text->length == before && comparison->family.unshown) {
        analysis_words_append_withheld(text, &comparison->family);
    } else if (text->length == before) {
        text_append(text, "there is no verdict");
    }
}

/* What the limit says of the interval: "its upper end +1.2 % is below ...". */
static void append_limit(struct text *text, const struct model_comparison *comparison)
{
    bool accepted = comparison->gate.accepted;
    double limit_pct = 100 * (accepted ? comparison->acceptance.limit
                                       : comparison->analysis.gate.max_slowdown);
    const char *limit = accepted ? "the accepted" : "--max-slowdown";
    enum model_gate_to_limit where = comparison->gate.to_limit;
    bool below = where == MODEL_GATE_BELOW;
    if (below || where == MODEL_GATE_ABOVE) {
        text_append(text, below ? "its upper end " : "its lower end ");
        append_end(text, comparison, below);
        text_append_format(text, " is %s %s %.6g%%", below ? "below" : "above", limit,
                           limit_pct);
        if (!below && !comparison->gate.by_limit) {
            text_append(text, ", but ");
            append_taken_back(text, comparison);
        }
        return;
    }
    text_append_format(text, "%s %.6g%% lies ", limit, limit_pct);
    if (words_has_interval(comparison)) {
        text_append(text, "within its interval ");
        words_append_interval(text, comparison, true);
    } else {
        text_append(text, "in no interval: ");
        text_append(text, words_is_to_0(comparison)      ? "there is no ratio to 0"
                          : comparison->interval_refused ? "the values allow none"
                                                         : "there are too few runs");
    }
}

/* "zip is slower by +8.1 % (--fail-on slower)" */
static void append_reason(struct text *text, const struct model_comparison *comparison)
{
    const struct model_gate_outcome *gate = &comparison->gate;
    if (gate->by_verdict) {
        append_verdict(text, comparison);
        text_append_format(text, " (--fail-on %s)",
                           model_verdict_name(comparison->verdict));
        if (gate->to_limit != MODEL_GATE_NO_LIMIT) {
            text_append(text, "; ");
            append_limit(text, comparison);
            text_append(text, gate->to_limit == MODEL_GATE_BELOW
                                  ? ", which alone would pass"
                                  : "");
        }
    } else if (gate->to_limit != MODEL_GATE_NO_LIMIT) {
        text_append(text, ": ");
        append_limit(text, comparison);
        text_append(text,
                    gate->state == MODEL_GATE_UNSURE ? " (--fail-on unsure)" : "");
    } else {
        append_verdict(text, comparison);
    }
}

/* A ratio as a change, with the digits of the comparison's own. */
static void append_ratio(struct text *text, const struct model_comparison *comparison,
                         double ratio)
{
    struct model_comparison other = *comparison;
    other.ratio = ratio;
    words_append_change(text, &other, false, false);
}

static void append_confirmation(struct text *text,
                                const struct model_comparison *comparison)
{
    const struct model_gate_outcome *gate = &comparison->gate;
    if (gate->confirmation == MODEL_CONFIRMATION_NONE) {
        return;
    }
    bool confirmed = gate->confirmation == MODEL_CONFIRMED;
    text_append(text, confirmed ? "; confirmed by a second experiment ("
                                : "; not confirmed by a second experiment (");
    append_ratio(text, comparison, gate->confirmed_ratio);
    text_append(text, confirmed ? "): both fail falsely in at most "
                                : "); both would fail falsely in at most ");
    text_append_format(text, "%.3g %% of such pairs", 100 * gate->both_wrong);
}

static void append_control(struct text *text, const struct model_comparison *comparison)
{
    if (comparison->gate.control_alarmed) {
        text_append(text, "; the control alarmed: old differs from itself by ");
        append_ratio(text, comparison, comparison->gate.control_ratio);
        text_append(
            text,
            ", although both are the same program: this machine adds differences of its "
            "own; measure again, on a quieter one (duet doctor)");
    }
}

void gate_words_append_acceptance(struct text *text,
                                  const struct model_comparison *comparison)
{
    const struct model_acceptance *acceptance = &comparison->acceptance;
    const struct model_gate_outcome *gate = &comparison->gate;
    if (gate->accepted || gate->expired) {
        text_append_format(
            text,
            gate->accepted
                ? "accepted up to +%.6g %% until %s: "
                : "accepted up to +%.6g %%, but only until %s, which is over: ",
            100 * acceptance->limit, acceptance->until);
        display_append_clean(text, acceptance->reason, true);
    }
}

bool gate_words_notable(const struct model_comparison *comparison)
{
    const struct model_gate_outcome *gate = &comparison->gate;
    return gate->accepted || gate->expired || gate->control_alarmed ||
           gate->confirmation != MODEL_CONFIRMATION_NONE;
}

bool gate_words_is_open(const struct model_comparison *comparison)
{
    const struct model_gate_outcome *gate = &comparison->gate;
    return gate->state == MODEL_GATE_PASSED &&
           (gate->to_limit == MODEL_GATE_AROUND ||
            (gate->to_limit == MODEL_GATE_ABOVE && !gate->by_limit));
}

void gate_words_append_notable(struct text *text,
                               const struct model_comparison *comparison)
{
    append_confirmation(text, comparison);
    append_control(text, comparison);
    if (comparison->gate.accepted || comparison->gate.expired) {
        text_append(text, "; ");
        gate_words_append_acceptance(text, comparison);
    }
}

void gate_words_append(struct text *text, const struct model_comparison *comparison,
                       bool several)
{
    const struct model_gate_outcome *gate = &comparison->gate;
    if (gate->state == MODEL_GATE_NONE) {
        return;
    }
    text_append_format(text, "%s: ", model_gate_state_name(gate->state));
    append_name(text, comparison, several);
    append_reason(text, comparison);
    gate_words_append_notable(text, comparison);
    text_append(text,
                gate_words_is_open(comparison) ? "; --fail-on unsure would fail" : "");
}
