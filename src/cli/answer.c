#include "cli/answer.h"

#include "analysis/advice.h"
#include "analysis/family.h"
#include "analysis/group_test.h"
#include "analysis/warnings.h"
#include "base/alloc.h"
#include "cli/same_program.h"
#include "cli/warmup_rule.h"
#include "stats/order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above, the median of a side is not worth the memory. */
enum { MEDIAN_VALUES_MAX = 1000000 };

const char *answer_metric(enum model_schedule schedule)
{
    return schedule == MODEL_SCHEDULE_TIMESLICE ? "cpu_time" : "time";
}

/* Nothing is known of the machine that imported data comes from. */
enum duet_code answer_needs_runs(const struct store_experiment *experiment,
                                 struct duet_error *reterr)
{
    if (experiment->dataset.trials == 0) {
        return DUET_OK;
    }
    return error_set(reterr, DUET_E_USAGE,
                     "experiment %" PRId64 " (%s) is a data set, not a comparison: "
                     "'duet study variability %" PRId64 "' analyses it",
                     experiment->id, experiment->name, experiment->id);
}

bool answer_is_sample(const struct store_experiment *experiment)
{
    return experiment->runs == 1 && experiment->host.host_name[0] == '\0' &&
           !model_schedule_is_paired(experiment->schedule);
}

/* What is summed up over all runs besides the analysis itself. */
struct totals {
    double *values[MODEL_SIDES]; /* for the medians; NULL: too many */
    size_t count[MODEL_SIDES];
    double user_ns[MODEL_SIDES];
    double system_ns[MODEL_SIDES];
    struct analysis_side_usage usage[MODEL_SIDES];
    uint64_t first_ns; /* start of the first run ... */
    uint64_t last_ns;  /* ... and end of the last; 0 of imported data */
    uint64_t usage_count[MODEL_SIDES];
    struct model_values raw; /* for a test of two groups; without one empty */
    size_t raw_capacity;
};

static void totals_release(struct totals *totals)
{
    free(totals->values[MODEL_OLD]);
    free(totals->values[MODEL_NEW]);
    model_values_release(&totals->raw);
}

/* The run as it was measured. */
static enum duet_code totals_keep_raw(struct totals *totals,
                                      const struct model_run_values *values,
                                      struct duet_error *reterr)
{
    struct model_values *raw = &totals->raw;
    if (raw->run_count == totals->raw_capacity) {
        size_t capacity = raw->run_count == 0 ? 16 : 2 * raw->run_count;
        struct model_run_values *grown =
            alloc_resize(raw->runs, capacity, sizeof *grown);
        if (grown == NULL) {
            return error_set(reterr, DUET_E_NOMEM, "out of memory");
        }
        raw->runs = grown;
        totals->raw_capacity = capacity;
    }
    enum duet_code code = analysis_run_copy(values, &raw->runs[raw->run_count], reterr);
    raw->run_count += code == DUET_OK;
    return code;
}

static enum duet_code totals_keep(struct totals *totals,
                                  const struct model_run_values *values,
                                  struct duet_error *reterr)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        size_t count = totals->count[side] + values->counts[side];
        if (count <= MEDIAN_VALUES_MAX && values->counts[side] > 0) {
            double *grown = alloc_resize(totals->values[side], count, sizeof *grown);
            if (grown == NULL) {
                return error_set(reterr, DUET_E_NOMEM, "out of memory");
            }
            memcpy(grown + totals->count[side], values->values[side],
                   values->counts[side] * sizeof *grown);
            totals->values[side] = grown;
        }
        totals->count[side] = count;
    }
    return DUET_OK;
}

struct usage_visit {
    struct totals *totals;
    enum model_side side;
    uint64_t drop;
};

static enum duet_code usage_add(void *context, const struct model_iteration *iteration,
                                struct duet_error *reterr)
{
    (void)reterr;
    struct usage_visit *visit = context;
    struct totals *totals = visit->totals;
    const uint32_t unusable = MODEL_ITERATION_FILLER | MODEL_ITERATION_NO_USAGE;
    if (iteration->index < visit->drop || (iteration->flags & unusable) != 0) {
        return DUET_OK;
    }
    totals->user_ns[visit->side] += (double)iteration->user_ns;
    totals->system_ns[visit->side] += (double)iteration->system_ns;
    analysis_usage_add(&totals->usage[visit->side], iteration);
    totals->usage_count[visit->side]++;
    return DUET_OK;
}

static enum duet_code add_run(struct store_run_reader *reader, const char *metric,
                              uint64_t drop, bool keep_raw, struct analysis *analysis,
                              struct totals *totals, struct duet_error *reterr)
{
    struct model_run_values values = {0};
    enum duet_code code = store_runs_values(reader, metric, drop, &values, reterr);
    if (code == DUET_OK && keep_raw) {
        code = totals_keep_raw(totals, &values, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_add_run(analysis, &values, reterr);
    }
    if (code == DUET_OK) { /* as analysed */
        code = totals_keep(totals, &values, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct usage_visit visit = {totals, (enum model_side)side, drop};
        code =
            store_runs_visit(reader, (enum model_side)side, usage_add, &visit, reterr);
    }
    model_run_values_release(&values);
    return code;
}

static enum duet_code add_runs(struct store *store, const struct answer *answer,
                               bool keep_raw, struct analysis *analysis,
                               struct totals *totals, struct duet_error *reterr)
{
    struct store_run_reader *reader = NULL;
    enum duet_code code =
        store_runs_open(store, answer->experiment.id, &reader, reterr);
    const char *metric = answer_metric(answer->experiment.schedule);
    bool more = code == DUET_OK;
    while (more) {
        struct model_run run;
        code = store_runs_next(reader, &run, &more, reterr);
        if (code == DUET_OK && more) {
            totals->first_ns = totals->first_ns > 0 ? totals->first_ns : run.started_ns;
            totals->last_ns = run.ended_ns;
            code = add_run(reader, metric, answer->drop, keep_raw, analysis, totals,
                           reterr);
        }
        more = more && code == DUET_OK;
    }
    store_runs_close(reader);
    return code;
}

static void add_medians(struct totals *totals, struct model_comparison *comparison)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct model_summary *summary = &comparison->sides[side];
        double count = (double)totals->usage_count[side];
        summary->median_ns = (double)NAN;
        if (totals->count[side] <= MEDIAN_VALUES_MAX && totals->values[side] != NULL) {
            /* Cannot fail: there is a value, and 0.5 is a probability. */
            (void)!stats_quantile_type7(totals->values[side], totals->count[side], 0.5,
                                        &summary->median_ns, NULL);
        }
        summary->user_ns = count > 0 ? totals->user_ns[side] / count : (double)NAN;
        summary->system_ns = count > 0 ? totals->system_ns[side] / count : (double)NAN;
    }
}

/* What the warnings rest on. */
static struct analysis_facts facts_of(const struct store_experiment *experiment,
                                      const struct totals *totals)
{
    struct analysis_facts facts = {.before = experiment->load_before,
                                   .after = experiment->load_after,
                                   .num_cpus = experiment->host.num_cpus};
    for (int side = 0; side < MODEL_SIDES; side++) {
        facts.sides[side] = totals->usage[side];
    }
    return facts;
}

/* Only commands that were started here can be started again. */
static struct analysis_effort effort_of(const struct store_experiment *experiment,
                                        const struct totals *totals)
{
    struct analysis_effort effort = {
        .elapsed_s = (double)(totals->last_ns - totals->first_ns) / 1e9};
    for (int side = 0; side < MODEL_SIDES && totals->first_ns > 0; side++) {
        effort.commands[side] = experiment->commands[side];
    }
    return effort;
}

static void describe(const struct store_experiment *experiment,
                     struct model_comparison *comparison)
{
    (void)snprintf(comparison->name, sizeof comparison->name, "%s", experiment->name);
    for (int side = 0; side < MODEL_SIDES; side++) {
        comparison->commands[side] = experiment->commands[side];
        (void)snprintf(comparison->side_names[side],
                       sizeof comparison->side_names[side], "%s",
                       experiment->names[side]);
    }
    (void)snprintf(comparison->metric, sizeof comparison->metric, "%s",
                   answer_metric(experiment->schedule));
    comparison->schedule = experiment->schedule;
    comparison->mode = experiment->mode;
}

enum duet_code answer_make(struct store *store, int64_t id,
                           const struct analysis_options *options,
                           struct answer *ret_answer, struct duet_error *reterr)
{
    struct answer answer = {0};
    struct analysis *analysis = NULL;
    struct totals totals = {0};
    char which[32];
    (void)snprintf(which, sizeof which, "%" PRId64, id);
    enum duet_code code =
        store_experiment_find(store, which, &answer.experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    bool paired = model_schedule_is_paired(answer.experiment.schedule);
    answer.drop =
        answer.experiment.mode == MODEL_MODE_HARNESS ? answer.experiment.warmup : 0;
    struct analysis_options used = *options;
    used.iterations_alone = answer_is_sample(&answer.experiment);
    code = answer_needs_runs(&answer.experiment, reterr);
    if (code == DUET_OK) {
        code = warmup_rule_recall(&answer.experiment, &used.cleaning, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_new(&used, paired, &analysis, reterr);
    }
    if (code == DUET_OK) {
        totals.raw.paired = paired;
        code = add_runs(store, &answer, used.test != MODEL_TEST_NONE, analysis, &totals,
                        reterr);
    }
    if (code == DUET_OK) {
        code = analysis_group_test(used.test, &totals.raw, &used,
                                   &answer.comparison.test, reterr);
    }
    if (code == DUET_OK) {
        describe(&answer.experiment, &answer.comparison);
        code = analysis_compare(analysis, &answer.comparison, reterr);
    }
    if (code == DUET_OK) {
        add_medians(&totals, &answer.comparison);
        const struct analysis_facts facts = facts_of(&answer.experiment, &totals);
        const struct analysis_effort effort = effort_of(&answer.experiment, &totals);
        analysis_warnings_add(&facts, &answer.comparison);
        analysis_advise(&facts, &effort, &answer.comparison);
        code = same_program_note(store, &answer, reterr);
    }
    if (code == DUET_OK) {
        *ret_answer = answer;
    } else {
        answer_release(&answer);
    }
    totals_release(&totals);
    analysis_free(analysis);
    return code;
}

typedef struct model_comparison *comparison_ref;

enum duet_code answers_judge(enum model_multiplicity multiplicity, double confidence,
                             struct answer *answers, size_t count,
                             struct duet_error *reterr)
{
    comparison_ref *comparisons = alloc_array(count, sizeof(comparison_ref));
    if (comparisons == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    size_t judged = 0;
    for (size_t i = 0; i < count; i++) {
        if (answers[i].comparison.verdict != MODEL_VERDICT_FAILED) {
            comparisons[judged++] = &answers[i].comparison;
        }
    }
    enum duet_code code =
        analysis_family_judge(multiplicity, confidence, comparisons, judged, reterr);
    free(comparisons);
    return code;
}

enum duet_code answers_judge_kept(struct store *store,
                                  enum model_multiplicity multiplicity,
                                  double confidence, struct answer *answers,
                                  size_t count, struct duet_error *reterr)
{
    if (count < 2) {
        return DUET_OK;
    }
    enum duet_code code =
        answers_judge(multiplicity, confidence, answers, count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (answers[i].comparison.family.withheld) {
            code = store_comparison_save(store, answers[i].experiment.id,
                                         &answers[i].comparison, reterr);
        }
    }
    return code;
}

void answer_release(struct answer *answer)
{
    if (answer != NULL) {
        store_experiment_release(&answer->experiment);
        *answer = (struct answer){0};
    }
}
