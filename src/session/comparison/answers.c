#include "session/comparison/answers.h"

#include "analysis/family.h"
#include "analysis/gate.h"
#include "analysis/overall.h"
#include "base/alloc.h"
#include "base/day.h"
#include "base/version.h"
#include "session/comparison/answer_done.h"
#include "session/comparison/id_list.h"
#include "store/store_companion.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct model_comparison *comparison_ref;

/* ---- Just measured ---- */

static bool has_failed(const struct answer *answer)
{
    return answer->comparison.verdict == MODEL_VERDICT_FAILED;
}

/* Whether it has a verdict of its own among others. */
static bool is_judged(const struct answer *answer)
{
    return model_comparison_is_measured(&answer->comparison) &&
           answer->comparison.role == MODEL_ROLE_COMPARISON;
}

size_t answers_judged(const struct answer *answers, size_t count, int64_t *ret_ids)
{
    size_t judged = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_judged(&answers[i])) {
            ret_ids[judged++] = answers[i].experiment.id;
        }
    }
    return judged;
}

/* The answers that have a verdict; *ret_count of them. NULL: no memory. */
static comparison_ref *judgeable(struct answer *answers, size_t count,
                                 size_t *ret_count)
{
    comparison_ref *comparisons = alloc_array(count, sizeof(comparison_ref));
    *ret_count = 0;
    for (size_t i = 0; i < count && comparisons != NULL; i++) {
        if (is_judged(&answers[i])) {
            comparisons[(*ret_count)++] = &answers[i].comparison;
        }
    }
    return comparisons;
}

static enum duet_code judge(struct answer *answers, size_t count,
                            struct duet_error *reterr)
{
    size_t judged = 0;
    comparison_ref *comparisons = judgeable(answers, count, &judged);
    if (comparisons == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = DUET_OK;
    if (judged > 1) {
        const struct model_analysis *first = &comparisons[0]->analysis;
        code = analysis_family_judge(first->multiplicity, first->confidence,
                                     comparisons, judged, reterr);
    }
    free(comparisons);
    return code;
}

static struct answer *find(struct answer *answers, size_t count, int64_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (answers[i].experiment.id == id) {
            return &answers[i];
        }
    }
    return NULL;
}

/* What was judged together; alone is no family. */
static enum duet_code keep_family(struct store *store, struct answer *answers,
                                  size_t count, struct duet_error *reterr)
{
    struct store_family family = {.members = alloc_array(count, sizeof(int64_t))};
    int64_t id = 0;
    enum duet_code code = DUET_OK;
    if (family.members == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_judged(&answers[i])) {
            family.multiplicity = answers[i].comparison.analysis.multiplicity;
            family.confidence = answers[i].comparison.analysis.confidence;
            family.members[family.count++] = answers[i].experiment.id;
        }
    }
    if (family.count > 1) {
        code = store_family_save(store, &family, &id, reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK && id != 0; i++) {
        if (is_judged(&answers[i])) {
            answers[i].experiment.family = id;
            answers[i].comparison.family.id = id;
        }
    }
    store_family_release(&family);
    return code;
}

void answers_judge_gates(struct answer *answers, size_t count)
{
    char today[DAY_BYTES];
    day_today(today);
    for (size_t i = 0; i < count; i++) {
        analysis_gate_judge(&answers[i].comparison, today);
    }
    for (size_t i = 0; i < count; i++) {
        const struct model_comparison *other = &answers[i].comparison;
        struct answer *of = other->role == MODEL_ROLE_COMPARISON || other->of == 0 ||
                                    !model_comparison_is_measured(other)
                                ? NULL
                                : find(answers, count, other->of);
        if (of != NULL && other->role == MODEL_ROLE_CONFIRMATION) {
            analysis_gate_confirm(&of->comparison, other, today);
        } else if (of != NULL) {
            analysis_gate_control(&of->comparison, other);
        }
    }
}

enum duet_code answers_judge(struct answer *answers, size_t count,
                             struct duet_error *reterr)
{
    enum duet_code code = count > 1 ? judge(answers, count, reterr) : DUET_OK;
    answers_judge_gates(answers, count);
    return code;
}

enum duet_code answers_conclude(struct store *store, struct answer *answers,
                                size_t count, struct duet_error *reterr)
{
    enum duet_code code = answers_judge(answers, count, reterr);
    if (code == DUET_OK && count > 1) {
        code = keep_family(store, answers, count, reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        if (!has_failed(&answers[i])) {
            code = store_comparison_save(store, answers[i].experiment.id,
                                         &answers[i].comparison, BASE_VERSION, reterr);
        }
    }
    return code;
}

/* ---- Stored ---- */

static enum duet_code error_failed(const struct store_experiment *experiment,
                                   const char *reason, struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_WORKLOAD,
                     "experiment %" PRId64
                     " (%s) failed before its first run had ended: %s",
                     experiment->id, experiment->name, reason);
}

/* Of an experiment that failed before its first run had ended there is nothing but the
 * reason: a row of a table or of a file, the error of one alone. */
static enum duet_code recall_failed(struct store *store,
                                    const struct store_experiment *experiment, bool row,
                                    struct answer *ret_answer,
                                    struct duet_error *reterr)
{
    const char *reason = experiment->message != NULL ? experiment->message : "";
    return row ? failed_answer(store, experiment->id, experiment->name, reason,
                               ret_answer, reterr)
               : error_failed(experiment, reason, reterr);
}

enum duet_code answers_check_measured(const struct answer *answers, size_t count,
                                      struct duet_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        if (answers[i].comparison.verdict != MODEL_VERDICT_FAILED) {
            return DUET_OK;
        }
    }
    return error_failed(&answers[0].experiment, answers[0].comparison.failure, reterr);
}

/* rows: one that failed is a row, no error. together: how many are to be judged with a
 * rule of the overrides; 0: none such. */
static enum duet_code recall_one(struct store *store, int64_t id,
                                 const struct analysis_overrides *overrides, bool rows,
                                 size_t together, struct answer *ret_answer,
                                 struct duet_error *reterr)
{
    struct store_experiment experiment;
    enum duet_code code = store_experiment_load(store, id, &experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (experiment.state == STORE_FAILED && experiment.runs == 0 &&
        experiment.dataset.trials == 0) {
        code = recall_failed(store, &experiment, rows, ret_answer, reterr);
        store_experiment_release(&experiment);
        return code;
    }
    struct model_analysis analysis = experiment.analysis;
    bool paired = model_schedule_is_paired(experiment.schedule);
    store_experiment_release(&experiment);
    code = analysis_overrides_apply(overrides, paired, &analysis, reterr);
    if (together > 0) {
        analysis.family = together;
    }
    if (code == DUET_OK) {
        code = answer_done(store, id, &analysis, ret_answer, reterr);
    }
    return code;
}

/* One family's comparisons: those among the answers, and the others. */
struct members {
    comparison_ref *all;
    struct answer *others;
    size_t count;
    size_t other_count;
};

static enum duet_code all_members(struct store *store,
                                  const struct store_family *family,
                                  const struct analysis_overrides *overrides,
                                  struct answer *answers, size_t count,
                                  struct members *members, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    members->all = alloc_array(family->count, sizeof(comparison_ref));
    members->others = alloc_array(family->count, sizeof *members->others);
    if (members->all == NULL || members->others == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < family->count && code == DUET_OK; i++) {
        struct answer *answer = find(answers, count, family->members[i]);
        if (answer == NULL) {
            answer = &members->others[members->other_count];
            code = recall_one(store, family->members[i], overrides, true, 0, answer,
                              reterr);
            members->other_count += code == DUET_OK;
        }
        members->all[members->count++] = &answer->comparison;
    }
    return code;
}

/* Two words may name the same experiment: what was judged once is copied. */
static void copy_judgement(struct answer *answers, size_t count, int64_t family)
{
    for (size_t i = 0; i < count; i++) {
        const struct answer *judged = find(answers, i, answers[i].experiment.id);
        if (judged != NULL) {
            answers[i].comparison = judged->comparison;
        }
        if (answers[i].experiment.family == family) {
            answers[i].comparison.family.id = family;
        }
    }
}

static enum duet_code judge_family(struct store *store, int64_t id,
                                   const struct analysis_overrides *overrides,
                                   struct answer *answers, size_t count,
                                   struct duet_error *reterr)
{
    struct store_family family = {.count = 0};
    struct members members = {.count = 0};
    enum duet_code code = store_family_load(store, id, &family, reterr);
    if (code == DUET_OK) {
        code = all_members(store, &family, overrides, answers, count, &members, reterr);
    }
    if (code == DUET_OK) {
        double confidence = analysis_overrides_have(overrides, "confidence")
                                ? members.all[0]->analysis.confidence
                                : family.confidence;
        code = analysis_family_judge(family.multiplicity, confidence, members.all,
                                     members.count, reterr);
    }
    if (code == DUET_OK) {
        copy_judgement(answers, count, id);
    }
    answers_free(members.others, members.other_count);
    free(members.all);
    store_family_release(&family);
    return code;
}

static enum duet_code judge_families(struct store *store,
                                     const struct analysis_overrides *overrides,
                                     struct answer *answers, size_t count,
                                     struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        int64_t id = answers[i].experiment.family;
        if (id != 0 && answers[i].comparison.family.id == 0) {
            code = judge_family(store, id, overrides, answers, count, reterr);
        }
    }
    return code;
}

static enum duet_code recall(struct store *store, const int64_t *ids, size_t count,
                             const struct analysis_overrides *overrides, bool rows,
                             struct answer *ret_answers, struct duet_error *reterr)
{
    bool together = analysis_overrides_have(overrides, "multiplicity");
    enum duet_code code = DUET_OK;
    size_t made = 0;
    while (made < count && code == DUET_OK) {
        code = recall_one(store, ids[made], overrides, rows, together ? count : 0,
                          &ret_answers[made], reterr);
        made += code == DUET_OK;
    }
    if (code == DUET_OK && together && count > 1) {
        code = judge(ret_answers, count, reterr);
    } else if (code == DUET_OK && !together) {
        code = judge_families(store, overrides, ret_answers, count, reterr);
    }
    answers_judge_gates(ret_answers, made);
    for (size_t i = 0; i < made && code != DUET_OK; i++) {
        answer_release(&ret_answers[i]);
    }
    return code;
}

enum duet_code answers_recall(struct store *store, const int64_t *ids, size_t count,
                              const struct analysis_overrides *overrides,
                              struct answer *ret_answers, struct duet_error *reterr)
{
    return recall(store, ids, count, overrides, count > 1, ret_answers, reterr);
}

enum duet_code answers_recall_rows(struct store *store, const int64_t *ids,
                                   size_t count,
                                   const struct analysis_overrides *overrides,
                                   struct answer *ret_answers,
                                   struct duet_error *reterr)
{
    return recall(store, ids, count, overrides, true, ret_answers, reterr);
}

/* Whether its verdict has to be computed. */
static bool is_open(const struct store_experiment *experiment,
                    const struct analysis_overrides *overrides)
{
    const struct store_verdict *kept = &experiment->verdict;
    bool as_stored = overrides == NULL || overrides->count == 0;
    bool fresh =
        kept->known && (kept->verdict == MODEL_VERDICT_IDENTICAL ||
                        (as_stored && strcmp(kept->duet_version, BASE_VERSION) == 0));
    return !fresh && experiment->has_analysis && experiment->runs > 0 &&
           experiment->state != STORE_RUNNING;
}

enum duet_code answers_expect(struct store *store,
                              const struct store_experiment *experiments, size_t count,
                              const struct analysis_overrides *overrides,
                              struct duet_error *reterr)
{
    size_t open = 0;
    int64_t *ids = alloc_array(count + 1, sizeof *ids);
    if (ids == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_open(&experiments[i], overrides)) {
            ids[open++] = experiments[i].id;
        }
    }
    enum duet_code code = store_expect(store, ids, open, reterr);
    free(ids);
    return code;
}

enum duet_code answers_verdict(struct store *store,
                               const struct store_experiment *experiment,
                               const struct analysis_overrides *overrides,
                               struct store_verdict *ret_verdict,
                               struct duet_error *reterr)
{
    const struct store_verdict *kept = &experiment->verdict;
    struct answer answer;
    struct duet_error error;
    bool as_stored = overrides == NULL || overrides->count == 0;
    *ret_verdict = (struct store_verdict){.known = false};
    if (!is_open(experiment, overrides)) {
        bool counts = experiment->has_analysis && experiment->runs > 0 &&
                      experiment->state != STORE_RUNNING;
        if (kept->known && (counts || kept->verdict == MODEL_VERDICT_IDENTICAL)) {
            *ret_verdict = *kept;
        }
        return DUET_OK;
    }
    enum duet_code code =
        answers_recall(store, &experiment->id, 1, overrides, &answer, &error);
    if (code == DUET_E_NOMEM || code == DUET_E_IO || code == DUET_E_SYSTEM ||
        code == DUET_E_FORMAT) {
        return error_set(reterr, code, "%s", error.message);
    }
    if (code != DUET_OK) {
        return DUET_OK; /* it has none */
    }
    *ret_verdict = (struct store_verdict){.known = true,
                                          .verdict = answer.comparison.verdict,
                                          .ratio = answer.comparison.ratio};
    if (as_stored) { /* a store may be read-only */
        (void)!store_comparison_save(store, experiment->id, &answer.comparison,
                                     BASE_VERSION, &error);
    }
    answer_release(&answer);
    return DUET_OK;
}

/* The experiments of these words, in their order. */
static enum duet_code find_named(struct store *store, char *const *which, size_t count,
                                 int64_t *ret_ids, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct store_experiment experiment;
        code = store_experiment_find(store, which[i], &experiment, reterr);
        if (code == DUET_OK) {
            ret_ids[i] = experiment.id;
            store_experiment_release(&experiment);
        }
    }
    return code;
}

enum duet_code answers_with_companions(struct store *store, const int64_t *named,
                                       size_t count, int64_t **ret_ids,
                                       size_t *ret_count, struct duet_error *reterr)
{
    struct id_list all = {.count = 0};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        int64_t *others = NULL;
        size_t found = 0;
        code = id_list_add(&all, named[i], reterr);
        if (code == DUET_OK) {
            code = store_companions(store, named[i], &others, &found, reterr);
        }
        for (size_t j = 0; j < found && code == DUET_OK; j++) {
            if (!id_is_among(named, count, others[j])) {
                code = id_list_add(&all, others[j], reterr);
            }
        }
        free(others);
    }
    if (code != DUET_OK) {
        free(all.ids);
        return code;
    }
    *ret_ids = all.ids;
    *ret_count = all.count;
    return DUET_OK;
}

enum duet_code answers_find(struct store *store, char *const *which, size_t count,
                            int64_t **ret_ids, size_t *ret_count,
                            struct duet_error *reterr)
{
    int64_t *named = alloc_array(count, sizeof *named);
    enum duet_code code = named == NULL
                              ? error_no_memory(reterr)
                              : find_named(store, which, count, named, reterr);
    if (code == DUET_OK) {
        code = answers_with_companions(store, named, count, ret_ids, ret_count, reterr);
    }
    free(named);
    return code;
}

/* ---- Together ---- */

enum duet_code answers_sum_up(const struct answer *answers, size_t count,
                              struct answers_overall *ret_overall,
                              struct duet_error *reterr)
{
    struct answers_overall overall = {
        .comparisons = alloc_array(count, sizeof *overall.comparisons), .count = count};
    if (overall.comparisons == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        overall.comparisons[i] = answers[i].comparison;
        overall.took_s += answers[i].comparison.took_s;
    }
    overall.has_geomean =
        analysis_geomean(overall.comparisons, count, &overall.geomean);
    *ret_overall = overall;
    return DUET_OK;
}

void answers_overall_release(struct answers_overall *overall)
{
    free(overall->comparisons);
    *overall = (struct answers_overall){.comparisons = NULL};
}
