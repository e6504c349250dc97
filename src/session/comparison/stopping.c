#include "session/comparison/stopping.h"

#include "analysis/gate.h"
#include "base/alloc.h"
#include "base/parse.h"

#include <stdlib.h>
#include <string.h>

/* Comparisons with NaN, an open end, are false. */
static bool change_known(const struct stopping *stopping,
                         const struct model_interval *interval)
{
    double band = 1.0 + stopping->same_within;
    double low = interval->low;
    if (low > 1.0 && stopping->size_known) {
        return low * low * low >= interval->high;
    }
    return low > 1.0 || interval->high < 1.0 ||
           (low > 1.0 / band && interval->high < band);
}

static bool decided(const struct stopping *stopping,
                    const struct model_interval *interval)
{
    bool fails_slower = (stopping->fail_on & MODEL_FAIL_ON_SLOWER) != 0;
    bool names_change = fails_slower || (stopping->fail_on & MODEL_FAIL_ON_FASTER) != 0;
    switch (
        analysis_gate_to_limit(interval->low, interval->high, stopping->max_slowdown)) {
    case MODEL_GATE_ABOVE:
        return true;
    case MODEL_GATE_AROUND:
        return fails_slower && interval->low > 1.0;
    case MODEL_GATE_BELOW:
        return !names_change || change_known(stopping, interval);
    case MODEL_GATE_NO_LIMIT:
        break;
    }
    return change_known(stopping, interval);
}

bool stopping_satisfied(const struct stopping *stopping,
                        const struct model_interval *interval)
{
    switch (stopping->until) {
    case MODEL_UNTIL_DECIDED:
        return decided(stopping, interval);
    case MODEL_UNTIL_PRECISION:
        return (interval->high - interval->low) / 2.0 <= stopping->precision;
    case MODEL_UNTIL_FIXED:
        break;
    }
    return false;
}

static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static enum duet_code parse_one(const char *rule, struct model_plan *plan,
                                struct duet_error *reterr)
{
    const char *runs = after(rule, "runs=");
    const char *time = after(rule, "time=");
    const char *precision = after(rule, "precision=");
    if (runs != NULL) {
        return parse_whole(runs, "--until runs=", 1, INT64_MAX, &plan->runs, reterr);
    }
    if (time != NULL) {
        uint64_t budget_ns = 0;
        enum duet_code code =
            parse_duration_ns(time, "--until time=", &budget_ns, reterr);
        if (code == DUET_OK && budget_ns == 0) {
            code = error_set(reterr, DUET_E_USAGE,
                             "--until time=%s: it must be above 0", time);
        }
        plan->budget_given = true;
        plan->budget_ns = code == DUET_OK ? budget_ns : plan->budget_ns;
        return code;
    }
    if (precision != NULL) {
        plan->until = MODEL_UNTIL_PRECISION;
        enum duet_code code = parse_change(
            precision, "--until precision=", &plan->precision_ratio, reterr);
        if (code == DUET_OK && !(plan->precision_ratio > 0.0)) {
            code = error_set(reterr, DUET_E_USAGE,
                             "--until precision=%s: it must be above 0", precision);
        }
        return code;
    }
    if (strcmp(rule, "decided") == 0) {
        plan->until = MODEL_UNTIL_DECIDED;
        return DUET_OK;
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "--until %s: the rules are decided, precision=P (such as 0.5%%), runs=N and time=T (such as 10s), "
        "or several with commas",
        rule);
}

/* Of each only one can be obeyed: what looks at the data, runs, and time. */
enum rule_kind { RULE_LOOKS, RULE_RUNS, RULE_TIME, RULE_KINDS };

static enum rule_kind kind_of(const char *rule)
{
    return after(rule, "runs=") != NULL   ? RULE_RUNS
           : after(rule, "time=") != NULL ? RULE_TIME
                                          : RULE_LOOKS;
}

static enum duet_code check_once(const size_t counts[RULE_KINDS], const char *value,
                                 struct duet_error *reterr)
{
    static const char *const words[RULE_KINDS] = {
        "give one of decided and precision=P", "give runs=N once", "give time=T once"};
    for (int kind = 0; kind < RULE_KINDS; kind++) {
        if (counts[kind] > 1) {
            return error_set(reterr, DUET_E_USAGE, "--until %s: %s", value,
                             words[kind]);
        }
    }
    return DUET_OK;
}

enum duet_code stopping_parse(const char *value, struct model_plan *plan,
                              struct duet_error *reterr)
{
    char *copy = alloc_string(value);
    if (copy == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = DUET_OK;
    char *rest = copy;
    size_t counts[RULE_KINDS] = {0};
    while (rest != NULL && code == DUET_OK) {
        char *rule = strsep(&rest, ",");
        counts[kind_of(rule)]++;
        code = parse_one(rule, plan, reterr);
    }
    if (code == DUET_OK) {
        code = check_once(counts, value, reterr);
    }
    free(copy);
    return code;
}
