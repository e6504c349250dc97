#include "session/comparison/answer.h"

#include "analysis/family.h"
#include "analysis/group_test.h"
#include "analysis/remarks/advice.h"
#include "analysis/remarks/warnings.h"
#include "analysis/runs/spooled.h"
#include "base/alloc.h"
#include "base/text.h"
#include "session/sameness/same_program.h"
#include "store/store_companion.h"
#include "store/store_resume.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum duet_code answer_needs_runs(const struct store_experiment *experiment,
                                 struct duet_error *reterr)
{
    if (experiment->dataset.trials == 0) {
        return DUET_OK;
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "experiment %" PRId64
        " (%s) is a data set, not a comparison: 'duet study variability %" PRId64
        "' analyses it",
        experiment->id, experiment->name, experiment->id);
}

/* What is summed up over all runs besides the analysis itself. */
struct totals {
    struct spool medians[MODEL_SIDES]; /* values as analysed */
    double took_ns;                    /* all of them, each for all its operations */
    double user_ns[MODEL_SIDES];
    double system_ns[MODEL_SIDES];
    struct analysis_side_usage usage[MODEL_SIDES];
    bool timed; /* the runs have moments, as imported ones do not */
    uint64_t usage_count[MODEL_SIDES];
    struct model_values raw; /* for a test of two groups; without one empty */
    size_t raw_capacity;
};

static void totals_release(struct totals *totals)
{
    spool_release(&totals->medians[MODEL_OLD]);
    spool_release(&totals->medians[MODEL_NEW]);
    model_values_release(&totals->raw);
}

/* The run as it was measured. */
static enum duet_code totals_keep_raw(struct totals *totals,
                                      const struct model_run_values *values,
                                      struct duet_error *reterr)
{
    struct model_values *raw = &totals->raw;
    struct model_run_values *grown =
        alloc_grow(raw->runs, raw->run_count, &totals->raw_capacity, sizeof *grown);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    raw->runs = grown;
    enum duet_code code = analysis_run_copy(values, &raw->runs[raw->run_count], reterr);
    raw->run_count += code == DUET_OK;
    return code;
}

static enum duet_code totals_keep(struct totals *totals,
                                  const struct model_run_values *values,
                                  struct duet_error *reterr)
{
    enum { BLOCK = 512 };
    double block[BLOCK];
    for (enum model_side side = MODEL_OLD; side < MODEL_SIDES; side++) {
        double operations = values->operations[side] > 0 ? values->operations[side] : 1;
        for (size_t at = 0; at < values->counts[side]; at += BLOCK) {
            size_t left = values->counts[side] - at;
            size_t count = left < BLOCK ? left : BLOCK;
            enum duet_code code =
                model_run_values_copy(values, side, at, block, BLOCK, reterr);
            if (code == DUET_OK) {
                code = spool_add(&totals->medians[side], block, count, reterr);
            }
            for (size_t i = 0; i < count && code == DUET_OK; i++) {
                totals->took_ns += operations * block[i];
            }
            if (code != DUET_OK) {
                return code;
            }
        }
    }
    return DUET_OK;
}

static void totals_add_usage(struct totals *totals, const struct answer_usage *usage,
                             enum model_side side)
{
    struct analysis_side_usage *sum = &totals->usage[side];
    totals->user_ns[side] += usage->user_ns;
    totals->system_ns[side] += usage->system_ns;
    totals->usage_count[side] += usage->count;
    sum->wall_ns += usage->side.wall_ns;
    sum->cpu_ns += usage->side.cpu_ns;
    sum->known_ns += usage->side.known_ns;
    sum->taken_ns += usage->side.taken_ns;
    sum->involuntary_switches += usage->side.involuntary_switches;
    sum->iterations += usage->side.iterations;
    sum->operations += usage->side.operations;
    sum->strayed += usage->side.strayed;
    sum->crowded = sum->crowded || usage->side.crowded;
}

static enum duet_code add_run(struct answer_run *run, bool keep_raw,
                              struct analysis *analysis, struct totals *totals,
                              struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (keep_raw) {
        code = totals_keep_raw(totals, &run->values, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_add_run(analysis, &run->values, reterr);
    }
    if (code == DUET_OK) { /* as analysed */
        code = totals_keep(totals, &run->values, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        totals_add_usage(totals, &run->usage[side], (enum model_side)side);
    }
    return code;
}

static enum duet_code add_runs(const struct answer_source *source, bool keep_raw,
                               struct analysis *analysis, struct totals *totals,
                               struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    size_t most = keep_raw || !analysis_takes_long_runs(analysis) ? 0 : MODEL_RUN_LONG;
    bool more = true;
    while (more) {
        struct answer_run run = {.values = {0}};
        code = source->next(source->context, most, &run, &more, reterr);
        if (code == DUET_OK && more) {
            totals->timed = totals->timed || run.started_ns > 0;
            code = add_run(&run, keep_raw, analysis, totals, reterr);
        }
        model_run_values_release(&run.values);
        more = more && code == DUET_OK;
    }
    return code;
}

/* What of a side only all observations together tell. */
static void add_totals(struct totals *totals, struct model_comparison *comparison)
{
    comparison->took_s = totals->took_ns / 1e9;
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct model_summary *summary = &comparison->sides[side];
        double count = (double)totals->usage_count[side];
        summary->median_ns = analysis_spooled_median(&totals->medians[side]);
        const struct analysis_side_usage *usage = &totals->usage[side];
        summary->operations =
            usage->iterations > 0 ? usage->operations / (double)usage->iterations : 1.0;
        summary->user_ns = count > 0 ? totals->user_ns[side] / count : (double)NAN;
        summary->system_ns = count > 0 ? totals->system_ns[side] / count : (double)NAN;
    }
}

/* What the warnings rest on; of two experiments the newer side's machine. */
static struct analysis_facts facts_of(const struct answer_source *source,
                                      const struct totals *totals)
{
    struct analysis_facts facts = {.num_cpus = -1};
    if (source->origin_count > 0) {
        const struct store_experiment *origin =
            source->origins[source->origin_count - 1];
        facts.before = origin->load_before;
        facts.after = origin->load_after;
        facts.num_cpus = origin->host.num_cpus;
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        facts.sides[side] = totals->usage[side];
    }
    return facts;
}

/* Only commands that were started here, together, can be started again. */
static struct analysis_effort effort_of(const struct answer_source *source,
                                        const struct totals *totals)
{
    bool together = source->origin_count == 1 && totals->timed;
    struct analysis_effort effort = {.elapsed_s = (double)source->elapsed_ns / 1e9};
    for (int side = 0; side < MODEL_SIDES && together; side++) {
        effort.commands[side] = source->origins[0]->commands[side];
        effort.folders[side] = source->folders[side];
    }
    return effort;
}

static void describe(const struct answer_source *source, const struct totals *totals,
                     struct model_comparison *comparison)
{
    text_copy(comparison->name, sizeof comparison->name, source->name);
    for (int side = 0; side < MODEL_SIDES; side++) {
        (void)snprintf(comparison->side_names[side],
                       sizeof comparison->side_names[side], "%s",
                       source->side_names[side]);
    }
    text_copy(comparison->metric, sizeof comparison->metric, source->metric);
    comparison->schedule = source->schedule;
    comparison->schedule_assumed = !source->schedule_seen && !totals->timed;
    comparison->imported = !totals->timed;
    comparison->mode = source->mode;
}

enum duet_code answer_from(const struct answer_source *source,
                           const struct model_analysis *asked,
                           struct model_comparison *ret_comparison,
                           struct duet_error *reterr)
{
    struct analysis *analysis = NULL;
    struct totals totals = {
        .medians = {analysis_spool_of_values(), analysis_spool_of_values()},
        .raw = {.paired = source->paired}};
    struct model_comparison comparison = {.analysis = *asked, .stored = *asked};
    struct model_analysis used = analysis_family_member(asked);
    used.iterations_alone = !source->has_runs;
    enum duet_code code = analysis_new(&used, source->paired, &analysis, reterr);
    if (code == DUET_OK) {
        code =
            add_runs(source, used.test != MODEL_TEST_NONE, analysis, &totals, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_group_test(used.test, &totals.raw, &used, &comparison.test,
                                   reterr);
    }
    if (code == DUET_OK) {
        describe(source, &totals, &comparison);
        code = analysis_conclude(analysis, &comparison, reterr);
    }
    if (code == DUET_OK) {
        add_totals(&totals, &comparison);
        const struct analysis_facts facts = facts_of(source, &totals);
        const struct analysis_effort effort = effort_of(source, &totals);
        analysis_warnings_add(&facts, &comparison);
        code = analysis_advise(&facts, &effort, &comparison, reterr);
    }
    if (code == DUET_OK) {
        *ret_comparison = comparison;
    }
    totals_release(&totals);
    analysis_free(analysis);
    return code;
}

/* ---- A stored experiment ---- */

/* Of regions that only one side has, which cannot be compared. */
static enum duet_code warn_of_regions(struct store *store, int64_t experiment,
                                      struct model_comparison *comparison,
                                      struct duet_error *reterr)
{
    struct store_lopsided lopsided = {.name = ""};
    enum duet_code code = DUET_OK;
    bool found = true;
    for (uint64_t i = 0; found && code == DUET_OK; i++) {
        code = store_region_lopsided(store, experiment, i, &lopsided, &found, reterr);
        if (found && code == DUET_OK) {
            model_comparison_warn(
                comparison, MODEL_WARNING_WORKLOAD,
                "only %s marks the region '%s', so that it is not compared; mark it in both programs",
                model_side_name(lopsided.side), lopsided.name);
        }
    }
    return code;
}

static enum duet_code answer_experiment(struct store *store,
                                        const struct model_analysis *analysis,
                                        double slowdown, struct answer *answer,
                                        struct duet_error *reterr)
{
    const struct store_experiment *experiment = &answer->experiment;
    struct answer_stored runs = {.metric = answer_metric(experiment->schedule),
                                 .drop = answer->drop,
                                 .slowdown = slowdown};
    struct store_plan plan = {.count = 0};
    /* An imported one has none: then no folder is known. */
    bool planned = store_plan_read(store, experiment->id, &plan, NULL) == DUET_OK;
    const struct model_workload *sides = plan.plan.sides;
    struct answer_source source = {
        .name = experiment->name,
        .side_names = {experiment->names[MODEL_OLD], experiment->names[MODEL_NEW]},
        .metric = runs.metric,
        .schedule = experiment->schedule,
        .mode = experiment->mode,
        .paired = model_schedule_is_paired(experiment->schedule),
        .has_runs = !answer_is_sample(experiment),
        .origins = {experiment},
        .origin_count = 1,
        .folders = {planned ? sides[MODEL_OLD].folder : NULL,
                    planned ? sides[MODEL_NEW].folder : NULL},
        .next = answer_stored_next,
        .context = &runs};
    enum duet_code code = store_runs_open(store, experiment->id, &runs.reader, reterr);
    if (code == DUET_OK) {
        code =
            store_experiment_elapsed(store, experiment->id, &source.elapsed_ns, reterr);
    }
    if (code == DUET_OK) {
        code = answer_from(&source, analysis, &answer->comparison, reterr);
    }
    if (code == DUET_OK) {
        code = warn_of_regions(store, experiment->id, &answer->comparison, reterr);
        (void)snprintf(answer->comparison.region, sizeof answer->comparison.region,
                       "%s", experiment->region);
    }
    store_runs_close(runs.reader);
    if (planned) {
        store_plan_release(&plan);
    }
    return code;
}

/* Whether options say something else. */
static bool is_another(const struct model_analysis *a, const struct model_analysis *b)
{
    for (size_t i = 0; i < model_analysis_fields(); i++) {
        if (model_analysis_option(i) != NULL && model_analysis_differs(a, b, i)) {
            return true;
        }
    }
    return false;
}

enum duet_code answer_add_companions(struct store *store, struct answer *answer,
                                     struct duet_error *reterr)
{
    struct model_comparison *comparison = &answer->comparison;
    const struct store_experiment *experiment = &answer->experiment;
    bool is_region = experiment->region_of != 0;
    int64_t whole = is_region ? experiment->region_of : experiment->id;
    enum duet_code code =
        store_companion_role(store, whole, &comparison->role, &comparison->of, reterr);
    if (code == DUET_OK && is_region && comparison->of != 0) {
        code = store_region_find(store, comparison->of, experiment->region,
                                 &comparison->of, reterr);
    }
    return code == DUET_OK
               ? store_acceptance_load(store, whole, &comparison->acceptance, reterr)
               : code;
}

enum duet_code answer_make(struct store *store, int64_t id,
                           const struct model_analysis *analysis,
                           struct answer *ret_answer, struct duet_error *reterr)
{
    return answer_make_slowed(store, id, analysis, 0.0, ret_answer, reterr);
}

enum duet_code answer_make_slowed(struct store *store, int64_t id,
                                  const struct model_analysis *analysis,
                                  double slowdown, struct answer *ret_answer,
                                  struct duet_error *reterr)
{
    struct answer answer = {0};
    enum duet_code code = store_experiment_load(store, id, &answer.experiment, reterr);
    if (code == DUET_OK) {
        code = answer_needs_runs(&answer.experiment, reterr);
    }
    if (code == DUET_OK) {
        const struct model_analysis *stored = &answer.experiment.analysis;
        answer.drop = answer_drop(&answer.experiment);
        code = answer_experiment(store, analysis != NULL ? analysis : stored, slowdown,
                                 &answer, reterr);
        answer.comparison.stored = *stored;
        for (int side = 0; side < MODEL_SIDES; side++) {
            answer.comparison.commands[side] = answer.experiment.commands[side];
        }
        answer.comparison.overridden = is_another(&answer.comparison.analysis, stored);
    }
    if (code == DUET_OK) {
        code = answer_add_companions(store, &answer, reterr);
    }
    if (code == DUET_OK) {
        code = same_program_note(store, &answer, reterr);
        if (answer.comparison.role == MODEL_ROLE_CONTROL) {
            same_program_meant(&answer.comparison);
        }
    }
    if (code == DUET_OK) {
        *ret_answer = answer;
    } else {
        answer_release(&answer);
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

void answers_free(struct answer *answers, size_t count)
{
    for (size_t i = 0; i < count && answers != NULL; i++) {
        answer_release(&answers[i]);
    }
    free(answers);
}
