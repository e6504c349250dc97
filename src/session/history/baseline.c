#include "session/history/baseline.h"

#include "base/alloc.h"
#include "base/day.h"
#include "session/comparison/recorded.h"
#include "session/storage.h"
#include "store/store_companion.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const baseline_reach_names[] = {"same", "alike", "any", NULL};

/* ---- Which one ---- */

static enum duet_code none_called(struct store *store, const char *name,
                                  struct duet_error *reterr)
{
    struct store_baseline *all = NULL;
    size_t count = 0;
    struct text names = {0};
    enum duet_code code = store_baselines_load(store, NULL, &all, &count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(all[i - 1].name, all[i].name) != 0) {
            text_append(&names, names.length > 0 ? ", " : "");
            text_append(&names, all[i].name);
        }
    }
    store_baselines_release(all, count);
    code = error_set(
        reterr, DUET_E_USAGE, "'%s' has no baseline '%s'%s%s", store_path(store), name,
        names.length > 0 ? "; there are: " : ": save one with --save-baseline",
        text_string(&names));
    text_release(&names);
    return code;
}

/* Those of a name; it is an error that there are none. */
static enum duet_code load(struct store *store, const char *name,
                           struct store_baseline **ret_list, size_t *ret_count,
                           struct duet_error *reterr)
{
    enum duet_code code =
        store_baselines_load(store, name, ret_list, ret_count, reterr);
    return code == DUET_OK && *ret_count == 0 ? none_called(store, name, reterr) : code;
}

enum duet_code baseline_require(const char *store, const char *name,
                                struct duet_error *reterr)
{
    struct store *opened = NULL;
    struct store_baseline *list = NULL;
    size_t count = 0;
    enum duet_code code = storage_open(store, false, &opened, reterr);
    if (code == DUET_OK) {
        code = load(opened, name, &list, &count, reterr);
    }
    store_baselines_release(list, count);
    store_close(opened);
    return code;
}

static enum duet_code none_of_benchmark(const struct store_baseline *list, size_t count,
                                        const char *benchmark,
                                        struct duet_error *reterr)
{
    struct text names = {0};
    for (size_t i = 0; i < count; i++) {
        text_append_format(&names, "%s'%s'", i > 0 ? ", " : "", list[i].benchmark);
    }
    enum duet_code code =
        error_set(reterr, DUET_E_USAGE, "baseline '%s' has no benchmark '%s', only %s",
                  list[0].name, benchmark, text_string(&names));
    text_release(&names);
    return code;
}

/* ---- Machines ---- */

/* As far as it says which kernel it is: "6.1" of "6.1.0-18-amd64". */
static bool same_kernel(const char *a, const char *b)
{
    size_t minor = strcspn(a, ".");
    minor += a[minor] == '.' ? 1 + strcspn(a + minor + 1, ".") : 0;
    return strncmp(a, b, minor) == 0 && (b[minor] == '.' || b[minor] == '\0');
}

static void note(struct text *text, const char *what, const char *old, const char *new)
{
    text_append_format(text, "%s%s '%s' instead of '%s'", text->length > 0 ? ", " : "",
                       what, *old != '\0' ? old : "unknown",
                       *new != '\0' ? new : "unknown");
}

/* The least reach that allows it; *ret_text: in what they differ. */
static enum baseline_reach reach_of(const struct model_host *old,
                                    const struct model_host *new, struct text *ret_text)
{
    const struct {
        const char *what;
        const char *old;
        const char *new;
    } facts[] = {{"CPU model", old->cpu_model, new->cpu_model},
                 {"architecture", old->arch, new->arch},
                 {"clock", old->clock_source, new->clock_source},
                 {"governor", old->governor, new->governor}};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        if (strcmp(facts[i].old, facts[i].new) != 0) {
            note(ret_text, facts[i].what, facts[i].old, facts[i].new);
        }
    }
    if (!same_kernel(old->kernel, new->kernel)) {
        note(ret_text, "kernel", old->kernel, new->kernel);
    }
    if (old->cpu_model[0] == '\0' && new->cpu_model[0] == '\0') {
        text_append(ret_text, "unknown machines");
    }
    if (ret_text->length > 0) {
        return BASELINE_ANY;
    }
    if (old->uuid[0] != '\0' && strcmp(old->uuid, new->uuid) == 0) {
        return BASELINE_SAME;
    }
    text_append(ret_text, "another machine of the same kind");
    return BASELINE_ALIKE;
}

struct choice {
    struct store_experiment experiment; /* of the baseline; owned */
    int64_t saved_utc_ms;
    enum baseline_reach reach;
    struct text differences;
};

static void choice_release(struct choice *choice)
{
    store_experiment_release(&choice->experiment);
    text_release(&choice->differences);
}

/* The nearest machine's, of these the newest, which comes first. */
static enum duet_code choose(struct store *store, const struct store_baseline *list,
                             size_t count, const char *benchmark,
                             const struct store_experiment *experiment,
                             struct choice *ret_choice, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    bool found = false;
    bool itself = false;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct choice one = {.saved_utc_ms = list[i].saved_utc_ms};
        itself = itself || list[i].experiment == experiment->id;
        if (strcmp(list[i].benchmark, benchmark) != 0 ||
            list[i].experiment == experiment->id) {
            continue;
        }
        code =
            store_experiment_load(store, list[i].experiment, &one.experiment, reterr);
        if (code != DUET_OK) {
            break;
        }
        one.reach = reach_of(&one.experiment.host, &experiment->host, &one.differences);
        if (!found || one.reach < ret_choice->reach) {
            choice_release(ret_choice);
            *ret_choice = one;
            found = true;
        } else {
            choice_release(&one);
        }
    }
    if (code == DUET_OK && !found && itself) {
        return error_set(
            reterr, DUET_E_USAGE,
            "experiment %" PRId64
            " is the baseline '%s' itself: measure again, and compare that",
            experiment->id, list[0].name);
    }
    return code != DUET_OK || found ? code
                                    : none_of_benchmark(list, count, benchmark, reterr);
}

/* ---- The answer ---- */

static void append_date(struct text *text, int64_t utc_ms)
{
    char date[DAY_MOMENT_BYTES];
    day_local(utc_ms, date);
    text_append_format(text, "%.16s", date); /* without the seconds */
}

static void warn(const char *name, const struct choice *choice,
                 const struct store_experiment *experiment,
                 struct model_comparison *comparison)
{
    struct text when = {0};
    append_date(&when, choice->experiment.started_utc_ms);
    text_append(&when, ", saved ");
    append_date(&when, choice->saved_utc_ms);
    model_comparison_warn(
        comparison, MODEL_WARNING_DATA,
        "not paired: baseline '%.50s' (experiment %" PRId64
        ") was measured apart, on %s, and what changed on the machine since is in the "
        "change; 'duet git --baseline' measures both together",
        name, choice->experiment.id, text_string(&when));
    text_release(&when);
    if (choice->experiment.schedule != experiment->schedule) {
        model_comparison_warn(comparison, MODEL_WARNING_DATA,
                              "the baseline was measured by --schedule %s, this by %s: "
                              "the sides had other company; measure both by the same",
                              model_schedule_name(choice->experiment.schedule),
                              model_schedule_name(experiment->schedule));
    }
    if (choice->reach != BASELINE_SAME) {
        model_comparison_warn(
            comparison, MODEL_WARNING_MACHINE, "%.130s%s; save the baseline here, too",
            text_string(&choice->differences),
            choice->reach == BASELINE_ANY
                ? ": the machines' difference is in the change, and there is no verdict"
                : "");
    }
    if (choice->reach == BASELINE_ANY) {
        comparison->verdict = MODEL_VERDICT_UNSURE;
        comparison->analysis.gate.max_slowdown = (double)NAN; /* nor by a limit */
    }
}

/* As the experiment is answered, but by the interval for sides measured apart. */
static struct model_analysis analysis_of(const struct store_experiment *experiment,
                                         size_t together)
{
    struct model_analysis analysis = model_analysis_default();
    const struct model_analysis *stored = &experiment->analysis;
    analysis.confidence = stored->confidence;
    analysis.same_within = stored->same_within;
    analysis.same_within_asked = stored->same_within_asked;
    analysis.gate = stored->gate;
    /* Where the data decided when to stop, Bonferroni's rule had to be: not here. */
    analysis.multiplicity = stored->multiplicity == MODEL_MULTIPLICITY_BONFERRONI
                                ? MODEL_MULTIPLICITY_HOLM
                                : stored->multiplicity;
    analysis.seed = stored->seed;
    analysis.replicates = stored->replicates;
    analysis.statistic = stored->statistic;
    analysis.family = together;
    return analysis;
}

/* A regression that is accepted beside the old side is accepted beside a baseline, too,
 * where there is a verdict. */
static enum duet_code take_acceptance(struct store *store, const struct choice *choice,
                                      const struct store_experiment *experiment,
                                      struct model_comparison *comparison,
                                      struct duet_error *reterr)
{
    int64_t whole = experiment->region_of != 0 ? experiment->region_of : experiment->id;
    return choice->reach == BASELINE_ANY
               ? DUET_OK
               : store_acceptance_load(store, whole, &comparison->acceptance, reterr);
}

static enum duet_code answer_against(struct store *store, const char *name,
                                     const char *benchmark, const struct choice *choice,
                                     const struct store_experiment *experiment,
                                     const struct baseline_manner *manner,
                                     struct answer *ret_answer,
                                     struct duet_error *reterr)
{
    struct recorded recorded = {0};
    struct model_analysis analysis = analysis_of(experiment, manner->together);
    char old_id[24];
    char new_id[24];
    char *which[] = {old_id, new_id};
    (void)snprintf(old_id, sizeof old_id, "%" PRId64, choice->experiment.id);
    (void)snprintf(new_id, sizeof new_id, "%" PRId64, experiment->id);
    enum duet_code code =
        manner->overrides == NULL
            ? DUET_OK
            : analysis_overrides_apply(manner->overrides, false, &analysis, reterr);
    if (code == DUET_OK) {
        code = recorded_from_store(store, which, MODEL_SIDES, MODEL_NEW, &recorded,
                                   reterr);
    }
    if (code == DUET_OK) {
        code = recorded_answer(&recorded, &analysis, &ret_answer->comparison, reterr);
    }
    if (code == DUET_OK) {
        code =
            take_acceptance(store, choice, experiment, &ret_answer->comparison, reterr);
    }
    if (code == DUET_OK) {
        struct model_comparison *comparison = &ret_answer->comparison;
        (void)snprintf(comparison->name, sizeof comparison->name,
                       "%.150s against baseline %.60s", benchmark, name);
        warn(name, choice, experiment, comparison);
    }
    recorded_release(&recorded);
    return code;
}

static enum duet_code check_reach(const char *name, enum baseline_reach reach,
                                  const struct choice *choice,
                                  struct duet_error *reterr)
{
    if (choice->reach <= reach) {
        return DUET_OK;
    }
    return error_set(
        reterr, DUET_E_UNSUITABLE,
        "baseline '%s' (experiment %" PRId64
        ") is of another machine: %s; save one here, or compare all the same with --baseline-from %s",
        name, choice->experiment.id, text_string(&choice->differences),
        baseline_reach_names[choice->reach]);
}

/* Elapsed and CPU time are not the same thing. */
static enum duet_code check_metric(const char *name, const struct choice *choice,
                                   const struct store_experiment *experiment,
                                   struct duet_error *reterr)
{
    enum model_schedule old = choice->experiment.schedule;
    if (strcmp(answer_metric(old), answer_metric(experiment->schedule)) == 0) {
        return DUET_OK;
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "baseline '%s' was measured by --schedule %s and experiment %" PRId64
        " by %s, one in elapsed and one in CPU time: measure again with --schedule %s",
        name, model_schedule_name(old), experiment->id,
        model_schedule_name(experiment->schedule), model_schedule_name(old));
}

enum duet_code baseline_answer(struct store *store, const char *name,
                               const struct baseline_manner *manner, int64_t experiment,
                               struct answer *ret_answer, struct duet_error *reterr)
{
    struct answer answer = {0};
    struct choice choice = {0};
    struct store_baseline *list = NULL;
    size_t count = 0;
    char *benchmark = NULL;
    enum duet_code code =
        store_experiment_load(store, experiment, &answer.experiment, reterr);
    if (code == DUET_OK) {
        code = store_benchmark_name(store, experiment, &benchmark, reterr);
    }
    if (code == DUET_OK) {
        code = load(store, name, &list, &count, reterr);
    }
    if (code == DUET_OK) {
        code =
            choose(store, list, count, benchmark, &answer.experiment, &choice, reterr);
    }
    if (code == DUET_OK) {
        code = check_reach(name, manner->reach, &choice, reterr);
    }
    if (code == DUET_OK) {
        code = check_metric(name, &choice, &answer.experiment, reterr);
    }
    if (code == DUET_OK) {
        code = answer_against(store, name, benchmark, &choice, &answer.experiment,
                              manner, &answer, reterr);
    }
    choice_release(&choice);
    store_baselines_release(list, count);
    free(benchmark);
    if (code != DUET_OK) {
        answer_release(&answer);
        return code;
    }
    *ret_answer = answer;
    return DUET_OK;
}

/* ---- Commits and successors ---- */

enum duet_code baseline_commit(struct store *store, const char *name, char **ret_commit,
                               struct duet_error *reterr)
{
    struct store_baseline *list = NULL;
    size_t count = 0;
    enum duet_code code = load(store, name, &list, &count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (list[i].commit[0] == '\0' || list[i].changed) {
            code = error_set(
                reterr, DUET_E_USAGE,
                "baseline '%s' is no commit (experiment %" PRId64
                " measured %s): name a BASE, or compare apart with duet compare --baseline %s",
                name, list[i].experiment,
                list[i].changed ? "uncommitted changes" : "commands", name);
        } else if (strcmp(list[i].commit, list[0].commit) != 0) {
            code = error_set(reterr, DUET_E_USAGE,
                             "baseline '%s' has experiments of several commits, %.12s "
                             "and %.12s: name a BASE",
                             name, list[0].commit, list[i].commit);
        }
    }
    if (code == DUET_OK) {
        *ret_commit = alloc_string(list[0].commit);
        code = *ret_commit == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    store_baselines_release(list, count);
    return code;
}

/* Once for all machines. */
static void note_missing(const struct store_baseline *list, size_t at,
                         struct text *missing)
{
    for (size_t i = 0; i < at; i++) {
        if (strcmp(list[i].benchmark, list[at].benchmark) == 0) {
            return;
        }
    }
    text_append_format(missing, "%s'%s'", missing->length > 0 ? ", " : "",
                       list[at].benchmark);
}

enum duet_code baseline_successors(struct store *store, const char *name,
                                   int64_t **ret_list, size_t *ret_count,
                                   struct text *missing, struct duet_error *reterr)
{
    struct store_baseline *list = NULL;
    size_t count = 0;
    size_t found = 0;
    int64_t *ids = NULL;
    enum duet_code code = load(store, name, &list, &count, reterr);
    if (code == DUET_OK) {
        ids = alloc_array(count, sizeof *ids);
        code = ids == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    for (size_t i = 0; i < count && code == DUET_OK && ids != NULL; i++) {
        int64_t id = 0;
        bool seen = false;
        code = store_benchmark_newest(store, list[i].benchmark, name, &id, reterr);
        for (size_t k = 0; k < found; k++) {
            seen = seen || ids[k] == id;
        }
        if (code == DUET_OK && id != 0 && !seen) {
            ids[found++] = id;
        } else if (code == DUET_OK && id == 0) {
            note_missing(list, i, missing);
        }
    }
    store_baselines_release(list, count);
    if (code == DUET_OK && found == 0) {
        code = error_set(reterr, DUET_E_USAGE,
                         "nothing was measured since baseline '%s' was: measure, and "
                         "compare that",
                         name);
    }
    if (code != DUET_OK) {
        free(ids);
        return code;
    }
    *ret_list = ids;
    *ret_count = found;
    return DUET_OK;
}
