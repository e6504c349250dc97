/* What settings that were not given come to, once all are known. */
#include "session/comparison/analysis_setting.h"
#include "session/comparison/run_request.h"
#include "session/warmup_rule.h"

#include <math.h>

/* Of benchmark programs within a fixed time: twice the least number of runs, since on a
 * busy machine a run takes twice as long as its iterations. */
enum { FIXED_RUNS_WANTED = 32 };
/* Where the data decide when to stop without a word about it:
 * docs/decisions/0025-defaults-decide.md. */
static const uint64_t default_budget_ns = UINT64_C(10000000000);
static const uint64_t self_budget_ns = UINT64_C(20000000000);
/* Bulej 2020 s.4.1 */
enum { PAPER_RUNS = 10, PAPER_ITERATIONS = 100 };
static const uint64_t paper_run_ns = UINT64_C(600000000000);

/* A number of runs beside another rule: whichever ends it first. */
static void limit_runs(struct model_plan *plan)
{
    if (plan->runs != 0) {
        plan->max_runs = plan->runs;
        plan->runs = 0;
    }
}

/* --until decided and precision: many short runs, and intervals that may be looked at
 * after every block. */
static enum duet_code settle_adaptive(struct run_request *request,
                                      struct duet_error *reterr)
{
    struct model_plan *plan = &request->plan;
    struct model_analysis *analysis = &request->analysis;
    if (!model_schedule_is_paired(plan->schedule)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--until %s needs pairs: use --schedule duet or timeslice",
                         model_until_name(plan->until));
    }
    if (analysis->statistic.kind != MODEL_STATISTIC_NONE ||
        (analysis->interval_asked && analysis->interval != MODEL_INTERVAL_ANYTIME)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--until %s checks after every block, which only --interval anytime "
            "allows; use other intervals for a fixed number of runs (-r)",
            model_until_name(plan->until));
    }
    analysis_options_adapt(analysis);
    analysis->coin = MODEL_COIN_RUN;
    if (!request->min_runs_given) {
        plan->min_runs = RUN_REQUEST_DECIDED_RUNS;
    }
    if (!plan->budget_given) {
        plan->budget_ns = plan->runs != 0               ? MODEL_BUDGET_NONE
                          : request->decides_by_default ? default_budget_ns
                                                        : RUN_REQUEST_DECIDED_NS;
    }
    limit_runs(plan);
    if (!request->run_time_given && plan->iterations == 0) {
        plan->run_time_ns = RUN_REQUEST_DECIDED_RUN_NS;
        plan->adapt_run_time = true;
        request->run_time_given = true;
    }
    if (analysis->multiplicity != MODEL_MULTIPLICITY_NONE) {
        analysis->multiplicity = MODEL_MULTIPLICITY_BONFERRONI;
    }
    return DUET_OK;
}

/* Against itself: many short runs, of which many short experiments can be made. */
static enum duet_code settle_self(struct run_request *request,
                                  struct duet_error *reterr)
{
    struct model_plan *plan = &request->plan;
    if (plan->until != MODEL_UNTIL_FIXED) {
        return error_set(reterr, DUET_E_USAGE,
                         "--until %s stops at the first alarm; use time=T or runs=N",
                         model_until_name(plan->until));
    }
    if (!model_schedule_is_paired(plan->schedule)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--schedule %s has no pairs: use duet or timeslice",
                         model_schedule_name(plan->schedule));
    }
    if (request->parameters.count > 0 || request->scan[0] != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "one command at a time: leave the parameters (-L, -P) out");
    }
    if (!request->analysis.same_within_asked) {
        request->analysis.same_within = (double)NAN;
    }
    if (!plan->budget_given) {
        plan->budget_ns = self_budget_ns;
    }
    if (plan->min_runs < RUN_REQUEST_SELF_RUNS) {
        plan->min_runs = RUN_REQUEST_SELF_RUNS; /* however long they take */
    }
    request->min_runs_given = true;
    if (!request->run_time_given && plan->iterations == 0) {
        plan->run_time_ns = RUN_REQUEST_DECIDED_RUN_NS;
        request->run_time_given = true;
    }
    return DUET_OK;
}

/* All that the paper says, but for what was asked for. */
static void settle_paper(struct run_request *request)
{
    struct model_plan *plan = &request->plan;
    struct model_analysis *analysis = &request->analysis;
    if (plan->runs == 0) {
        uint64_t least = plan->min_runs_held ? plan->min_runs : 0;
        uint64_t runs = least > PAPER_RUNS ? least : PAPER_RUNS;
        plan->runs = runs < plan->max_runs ? runs : plan->max_runs;
    }
    if (plan->iterations == 0) {
        plan->iterations = PAPER_ITERATIONS;
    }
    if (!request->run_time_given) {
        plan->run_time_ns = paper_run_ns;
        request->run_time_given = true;
    }
    if (!analysis->interval_asked && model_schedule_is_paired(plan->schedule)) {
        analysis->interval = MODEL_INTERVAL_PERCENTILE;
        analysis->interval_asked = true;
    }
    analysis->estimator_asked = true; /* the geometric mean, unless another one was */
    analysis->losses = MODEL_LOST_KEEP;
    if (!analysis->same_within_asked) {
        analysis->same_within = (double)NAN;
    }
}

/* Where nobody says how much to measure or how to answer, the verdict decides. */
static void settle_amount(struct run_request *request)
{
    struct model_plan *plan = &request->plan;
    const struct model_analysis *analysis = &request->analysis;
    bool plain = !analysis->interval_asked && analysis->sample_runs == 0 &&
                 analysis->statistic.kind == MODEL_STATISTIC_NONE;
    if (plan->until == MODEL_UNTIL_FIXED && plan->runs == 0 && !plan->budget_given &&
        plain && model_schedule_is_paired(plan->schedule)) {
        plan->until = MODEL_UNTIL_DECIDED;
        request->decides_by_default = true;
    }
}

/* Taking turns on one CPU is tried where the data decide when to stop, and where it can
 * be known whether CPU time says what elapsed time does. */
static void settle_schedule(struct run_request *request)
{
    struct model_plan *plan = &request->plan;
    plan->choose_schedule = plan->choose_schedule && plan->until != MODEL_UNTIL_FIXED &&
                            plan->usage && request->cpus_per_side == 1 &&
                            !request->analysis.cleaning.drop_magnitude;
}

/* Numbers of which one would have to be ignored, and a step of nothing. */
static enum duet_code check_numbers(const struct run_request *request,
                                    struct duet_error *reterr)
{
    const struct model_plan *plan = &request->plan;
    bool more = plan->min_runs_held && plan->min_runs > plan->runs;
    bool fewer = request->max_runs_given && plan->max_runs < plan->runs;
    if (plan->runs != 0 && (more || fewer)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--%s-runs is %s than the number of runs (--runs, --until "
                         "runs=N); leave one of them out",
                         more ? "min" : "max", more ? "larger" : "smaller");
    }
    return request->step == NULL || request->scan[0] != NULL
               ? DUET_OK
               : error_set(reterr, DUET_E_USAGE,
                           "--parameter-step-size (-D) is the step of "
                           "--parameter-scan (-P), which is missing");
}

/* What would be measured in vain. */
static enum duet_code check_enough(const struct run_request *request,
                                   struct duet_error *reterr)
{
    const struct model_plan *plan = &request->plan;
    uint64_t most = plan->runs != 0 ? plan->runs : plan->max_runs;
    struct duet_error error;
    if (request->self && most < RUN_REQUEST_SELF_RUNS) {
        return error_set(reterr, DUET_E_USAGE,
                         "a command against itself takes at least %d runs: give -r %d",
                         RUN_REQUEST_SELF_RUNS, RUN_REQUEST_SELF_RUNS);
    }
    if (plan->iterations != 0 &&
        warmup_rule_check(&request->analysis.cleaning, plan->iterations, &error) !=
            DUET_OK) {
        return error_set(reterr, DUET_E_USAGE, "%s", error.message);
    }
    return DUET_OK;
}

/* A second measurement beside this one, and what --resume cannot do. */
static enum duet_code check_care(const struct run_request *request,
                                 struct duet_error *reterr)
{
    if (request->control && request->plan.schedule == MODEL_SCHEDULE_SEQUENTIAL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--control takes turns with the comparison, which --schedule "
                         "sequential cannot");
    }
    if (request->resume && (request->control || request->confirm)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--%s does not go with --resume: measure anew",
                         request->control ? "control" : "confirm");
    }
    if (request->confirm && !run_request_has_gate(request)) {
        return error_set(reterr, DUET_E_USAGE,
                         "--confirm measures again what fails its gate: give --fail-on "
                         "or --max-slowdown, too, or leave it out");
    }
    if (request->resume && request->skip_identical) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--%s does not go with --resume, which goes on measuring: leave "
            "it out",
            request->identical_if != NULL ? "identical-if" : "skip-identical");
    }
    return DUET_OK;
}

/* More than anybody waits for, and few enough to be held in memory. */
enum { COMBINATIONS_MAX = 100000 };

static enum duet_code settle_parameters(struct run_request *request,
                                        struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (request->scan[0] != NULL) {
        code =
            parameter_add_scan(&request->parameters, request->scan[0], request->scan[1],
                               request->scan[2], request->step, reterr);
    }
    if (code == DUET_OK &&
        parameter_combinations(&request->parameters) > COMBINATIONS_MAX) {
        return error_set(reterr, DUET_E_USAGE,
                         "the parameters have more than %d combinations",
                         (int)COMBINATIONS_MAX);
    }
    return code;
}

/* What can only be judged when all settings are known. */
enum duet_code run_request_settle(struct run_request *request,
                                  struct duet_error *reterr)
{
    struct model_plan *plan = &request->plan;
    request->analysis.seed = plan->seed;
    enum duet_code numbers = check_numbers(request, reterr);
    if (numbers != DUET_OK) {
        return numbers;
    }
    if (request->self) {
        enum duet_code settled = settle_self(request, reterr);
        if (settled != DUET_OK) {
            return settled;
        }
    }
    if (request->paper) {
        settle_paper(request);
    } else if (!request->self) {
        settle_amount(request);
    }
    analysis_options_settle_estimator(&request->analysis,
                                      model_schedule_is_paired(plan->schedule));
    if (plan->until != MODEL_UNTIL_FIXED) {
        enum duet_code adapted = settle_adaptive(request, reterr);
        if (adapted != DUET_OK) {
            return adapted;
        }
    }
    bool counted = plan->runs != 0;
    if (plan->budget_given) {
        limit_runs(plan);
    }
    settle_schedule(request);
    enum duet_code enough = check_enough(request, reterr);
    if (enough != DUET_OK) {
        return enough;
    }
    enum duet_code care = check_care(request, reterr);
    if (care != DUET_OK) {
        return care;
    }
    if (plan->budget_given && !request->min_runs_given) {
        plan->min_runs = 2; /* a block: the user's time is not to be overrun */
    }
    if (plan->max_runs < plan->min_runs && !request->min_runs_given) {
        plan->min_runs = plan->max_runs;
    }
    if (plan->min_runs > plan->max_runs) {
        return error_set(reterr, DUET_E_USAGE,
                         "--min-runs is larger than --max-runs; leave one of them out");
    }
    if (!request->run_time_given && plan->iterations == 0 && !counted) {
        plan->run_time_ns = plan->budget_ns / FIXED_RUNS_WANTED;
    }
    if (plan->schedule == MODEL_SCHEDULE_TIMESLICE && !plan->usage) {
        return error_set(
            reterr, DUET_E_USAGE,
            "--schedule timeslice compares CPU times; leave --no-usage out");
    }
    enum duet_code code = analysis_options_check(
        &request->analysis, model_schedule_is_paired(plan->schedule), reterr);
    if (code == DUET_OK) {
        code = analysis_setting_check(&request->analysis, reterr);
    }
    return code == DUET_OK ? settle_parameters(request, reterr) : code;
}
