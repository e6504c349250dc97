#include "study/lab/study_measured.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum model_schedule schedules[STUDY_WAYS] = {
    MODEL_SCHEDULE_DUET, MODEL_SCHEDULE_INTERLEAVED, MODEL_SCHEDULE_TIMESLICE};

static void release(struct study_measured_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].name);
    }
    free(list->items);
    *list = (struct study_measured_list){0};
}

/* The workload's item, made when it is new; NULL when memory is short. */
static struct study_measured *item_of(struct study_measured_list *list,
                                      const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return &list->items[i];
        }
    }
    char *copy = alloc_string(name);
    struct study_measured *grown =
        alloc_resize(list->items, list->count + 1, sizeof *grown);
    list->items = grown != NULL ? grown : list->items;
    if (copy == NULL || grown == NULL) {
        free(copy);
        return NULL;
    }
    struct study_measured *item = &list->items[list->count++];
    *item = (struct study_measured){.name = copy};
    return item;
}

enum duet_code study_measure_all(struct study_lab *lab, const bool ways[STUDY_WAYS],
                                 const char *condition,
                                 struct study_measured_list *ret_list,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < lab->workload_count && code == DUET_OK; i++) {
        struct study_measured *item = item_of(ret_list, lab->workloads[i].name);
        code = item == NULL ? error_no_memory(reterr) : DUET_OK;
        for (int way = 0; way < STUDY_WAYS && code == DUET_OK; way++) {
            const struct study_measurement measurement = {.workload =
                                                              &lab->workloads[i],
                                                          .schedule = schedules[way],
                                                          .condition = condition};
            if (ways[way]) {
                code = study_lab_measure(lab, &measurement, &item->experiments[way],
                                         reterr);
            }
        }
    }
    return code;
}

double study_ways_parts(const bool ways[STUDY_WAYS])
{
    return (ways[STUDY_TOGETHER] ? 1 : 0) + (ways[STUDY_ALONE] ? 2 : 0) +
           (ways[STUDY_SLICED] ? 2 : 0);
}

enum duet_code study_measure_or_find(struct study_lab *lab, const bool ways[STUDY_WAYS],
                                     struct study_measured_list *ret_list,
                                     struct duet_error *reterr)
{
    if (lab->workload_count == 0) {
        return study_measured_stored(lab, false, ret_list, reterr);
    }
    for (int way = 0; way < STUDY_WAYS; way++) {
        lab->planned += ways[way] ? lab->workload_count : 0;
    }
    enum duet_code code = study_lab_fit(lab, study_ways_parts(ways), reterr);
    return code == DUET_OK ? study_measure_all(lab, ways, "", ret_list, reterr) : code;
}

/* Where a name says that its experiment was measured under load; its end: it was not.
 */
static size_t name_length(const char *name)
{
    const char *found = strstr(name, STUDY_LAB_BUSY);
    size_t length = strlen(name);
    return found != NULL && name[length - 1] == ')' ? (size_t)(found - name) : length;
}

/* Whether the experiment can be an A/A one of the condition. `length`: of the
 * workload's name in its own. */
static bool may_be_taken(const struct store_experiment *experiment, bool busy,
                         size_t length)
{
    const char *old_command = experiment->commands[MODEL_OLD];
    const char *new_command = experiment->commands[MODEL_NEW];
    bool same = old_command != NULL && new_command != NULL &&
                strcmp(old_command, new_command) == 0;
    bool loaded = experiment->name[length] != '\0';
    bool failed = experiment->state == STORE_FAILED;
    return same && loaded == busy && (experiment->runs >= 2 || failed);
}

static enum duet_code take_stored(struct store *store,
                                  const struct store_experiment *experiment, bool busy,
                                  struct study_measured_list *list,
                                  struct duet_error *reterr)
{
    size_t length = name_length(experiment->name);
    bool alike = false;
    if (!may_be_taken(experiment, busy, length)) {
        return DUET_OK;
    }
    /* The same words may be two commits, each in a folder of its own. */
    enum duet_code code = store_sides_alike(store, experiment->id, &alike, reterr);
    if (code != DUET_OK || !alike) {
        return code;
    }
    char *name = alloc_string_n(experiment->name, length);
    struct study_measured *item = name == NULL ? NULL : item_of(list, name);
    free(name);
    if (item == NULL) {
        return error_no_memory(reterr);
    }
    for (int way = 0; way < STUDY_WAYS; way++) {
        if (experiment->schedule == schedules[way]) { /* the newest comes last */
            bool failed = experiment->state == STORE_FAILED;
            item->experiments[way] = failed ? -experiment->id : experiment->id;
        }
    }
    return DUET_OK;
}

/* Notes the failed experiments among the newest, those below 0: one a workload. */
static void note_failures(struct study_lab *lab,
                          const struct store_experiment *experiments, size_t count,
                          struct study_measured *item)
{
    bool noted = false;
    for (int way = 0; way < STUDY_WAYS; way++) {
        for (size_t i = 0; i < count && !noted && item->experiments[way] < 0; i++) {
            if (experiments[i].id == -item->experiments[way]) {
                const char *message = experiments[i].message;
                text_append_format(&lab->failures, "%s: %s\n", item->name,
                                   message != NULL ? message : "it has failed");
                noted = true;
            }
        }
        if (item->experiments[way] < 0) {
            item->experiments[way] = 0;
        }
    }
}

enum duet_code study_measured_stored(struct study_lab *lab, bool busy,
                                     struct study_measured_list *ret_list,
                                     struct duet_error *reterr)
{
    struct store_experiment *experiments = NULL;
    size_t count = 0;
    enum duet_code code =
        store_experiment_list(lab->store, &experiments, &count, reterr);
    for (size_t i = count; i > 0; i--) {
        if (code == DUET_OK) {
            code = take_stored(lab->store, &experiments[i - 1], busy, ret_list, reterr);
        }
    }
    for (size_t i = 0; i < ret_list->count; i++) {
        note_failures(lab, experiments, count, &ret_list->items[i]);
    }
    for (size_t i = 0; i < count; i++) {
        store_experiment_release(&experiments[i]);
    }
    free(experiments);
    if (code == DUET_OK && ret_list->count == 0) {
        code = error_set(
            reterr, DUET_E_TOO_FEW,
            "the store has no comparison of a command with itself%s; name commands to measure, or --workload",
            busy ? " under load" : "");
    }
    return code;
}

/* ---- Their times ---- */

/* What is analysed of an experiment: without its warm-up. Of one that cannot be
 * analysed, for which the table has no width, everything. */
static enum duet_code load_analysed(struct study_lab *lab, int64_t experiment,
                                    struct model_values *ret_values,
                                    struct duet_error *reterr)
{
    struct study_accuracy_plan plan;
    struct model_values all = {0};
    struct duet_error unusable;
    enum duet_code code = study_lab_values(lab, experiment, &all, &plan, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (analysis_clean_copy(&plan.cleaning, &all, ret_values, &unusable) == DUET_OK) {
        model_values_release(&all);
    } else {
        *ret_values = all;
    }
    return DUET_OK;
}

static const char *sample_name(void *context, size_t workload)
{
    const struct study_measured_times *times = context;
    return times->list->items[workload].name;
}

static enum duet_code sample_load(void *context, size_t workload,
                                  struct model_values ret_values[2],
                                  struct duet_error *reterr)
{
    const struct study_measured_times *times = context;
    const struct study_measured *item = &times->list->items[workload];
    enum duet_code code = DUET_OK;
    for (int way = 0; way <= STUDY_ALONE && code == DUET_OK; way++) {
        if (item->experiments[way] != 0) {
            code = load_analysed(times->lab, item->experiments[way], &ret_values[way],
                                 reterr);
        }
    }
    return code;
}

struct study_samples study_measured_samples(struct study_measured_times *times)
{
    return (struct study_samples){.count = times->list->count,
                                  .name = sample_name,
                                  .load = sample_load,
                                  .context = times};
}

/* ---- What follows from them ---- */

struct finding {
    struct study_lab *lab;
    const struct study_measured *item;
    struct study_width row;
    struct stats_welch_group runs[STUDY_WAYS]; /* of a run's mean, ns */
};

static enum duet_code analyse(struct finding *finding, enum study_way way,
                              const struct study_accuracy_plan *plan,
                              const struct model_values *values,
                              struct duet_error *reterr)
{
    static const enum study_width_kind kinds[STUDY_WAYS] = {
        STUDY_WIDTH_DUET, STUDY_WIDTH_STANDARD, STUDY_WIDTH_TIMESLICE};
    static const enum study_width_kind trimmed_kinds[STUDY_WAYS] = {
        STUDY_WIDTH_DUET_TRIMMED, STUDY_WIDTH_STANDARD_TRIMMED, STUDY_WIDTH_KINDS};
    struct study_width *row = &finding->row;
    struct study_accuracy plain;
    struct study_accuracy trimmed;
    enum duet_code code =
        study_accuracy_of(plan, MODEL_ESTIMATOR_GEOMEAN, values, &plain, reterr);
    if (code == DUET_OK) {
        code =
            study_accuracy_of(plan, MODEL_ESTIMATOR_TRIMMED, values, &trimmed, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    row->widths[kinds[way]] = plain.width_pct;
    if (trimmed_kinds[way] < STUDY_WIDTH_KINDS) {
        row->widths[trimmed_kinds[way]] = trimmed.width_pct;
    }
    if (way == STUDY_TOGETHER) {
        row->widths[STUDY_WIDTH_SHUFFLED] = plain.shuffled_pct;
    }
    if (way == STUDY_TOGETHER || !isfinite(row->runs)) {
        row->runs = (double)plain.runs;
        row->iterations = plain.iterations;
    }
    struct model_values analysed = {0};
    code = study_analysed_copy(plan, values, &analysed, reterr);
    if (code == DUET_OK) {
        code = study_run_spread(&analysed, &finding->runs[way], reterr);
    }
    model_values_release(&analysed);
    return code;
}

/* How much slower together than alone, over all runs, with its interval where both have
 * runs enough. */
static void conclude_together(struct finding *finding)
{
    struct stats_welch welch;
    struct duet_error ignored;
    struct study_width *row = &finding->row;
    const struct stats_welch_group *alone = &finding->runs[STUDY_ALONE];
    const struct stats_welch_group *together = &finding->runs[STUDY_TOGETHER];
    if (alone->count > 0 && together->count > 0) {
        row->together_ratio = together->mean / alone->mean;
    }
    if (stats_welch_ratio(alone, together, finding->lab->options->analysis.confidence,
                          &welch, &ignored) == DUET_OK) {
        row->together_low = welch.ratio.low;
        row->together_high = welch.ratio.high;
    }
}

static enum duet_code study_one(struct finding *finding, enum study_way way,
                                struct duet_error *reterr)
{
    struct model_values values = {0};
    struct study_accuracy_plan plan;
    struct duet_error error = {0};
    if (finding->item->experiments[way] == 0) {
        return DUET_OK;
    }
    enum duet_code code = study_lab_values(
        finding->lab, finding->item->experiments[way], &values, &plan, &error);
    if (code == DUET_OK) {
        code = analyse(finding, way, &plan, &values, &error);
    }
    model_values_release(&values);
    return study_lab_forgive(finding->lab, finding->item->name, code, &error, reterr);
}

static void name_row(struct study_width *row, const struct study_lab *lab,
                     const char *platform, const char *workload)
{
    (void)snprintf(row->group, sizeof row->group, "measured");
    (void)snprintf(row->platform, sizeof row->platform, "%s", platform);
    (void)snprintf(row->suite, sizeof row->suite, "%s", lab->suite_name);
    (void)snprintf(row->workload, sizeof row->workload, "%s", workload);
    for (int kind = 0; kind < STUDY_WIDTH_KINDS; kind++) {
        row->widths[kind] = (double)NAN;
    }
    row->together_ratio = row->together_low = row->together_high = (double)NAN;
    row->runs = row->iterations = (double)NAN;
}

enum duet_code study_measured_widths(struct study_lab *lab,
                                     const struct study_measured_list *list,
                                     const char *platform, struct widths *widths,
                                     struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    double confidence = lab->options->analysis.confidence;
    bool alike = widths->count == 0 || widths->confidence == confidence;
    widths->confidence = alike ? confidence : 0.0;
    for (size_t i = 0; i < list->count && code == DUET_OK; i++) {
        struct finding finding = {.lab = lab, .item = &list->items[i]};
        name_row(&finding.row, lab, platform, list->items[i].name);
        lab->first_utc_ms = lab->last_utc_ms = 0;
        for (int way = 0; way < STUDY_WAYS && code == DUET_OK; way++) {
            code = study_one(&finding, (enum study_way)way, reterr);
        }
        conclude_together(&finding);
        finding.row.first_utc_ms = lab->first_utc_ms;
        finding.row.last_utc_ms = lab->last_utc_ms;
        if (code == DUET_OK) {
            code = widths_add(widths, &finding.row, reterr);
        }
    }
    return code;
}

static enum duet_code tell(const struct study_lab_work *work, struct study_lab *lab,
                           const struct study_measured_list lists[2],
                           struct duet_error *reterr)
{
    struct duet_error error;
    enum duet_code code = work->tell(work->context, lab, lists, reterr);
    enum duet_code failed = study_lab_conclude(lab, &error);
    return code != DUET_OK || failed == DUET_OK
               ? code
               : error_set(reterr, failed, "%s", error.message);
}

enum duet_code study_lab_carry_out(const struct study_lab_options *options,
                                   struct study_session *session,
                                   const struct study_lab_work *work,
                                   struct duet_error *reterr)
{
    struct study_lab lab;
    struct study_measured_list lists[2] = {{0}, {0}};
    struct duet_error ignored;
    enum duet_code code = study_lab_open(options, session, &lab, reterr);
    if (code == DUET_OK) {
        code = work->measure(work->context, &lab, lists, reterr);
    }
    if (code == DUET_OK) {
        code = tell(work, &lab, lists, reterr);
    } else if (code == DUET_E_INTERRUPTED) {
        (void)!tell(work, &lab, lists, &ignored);
    }
    release(&lists[0]);
    release(&lists[1]);
    study_lab_release(&lab);
    return code;
}
