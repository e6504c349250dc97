#include "session/fleet/fleet_answers.h"

#include "analysis/gate.h"
#include "analysis/instances.h"
#include "base/alloc.h"
#include "base/day.h"
#include "model/name_table.h"
#include "stats/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tasks that count, one a row, by benchmark, one a column. */
struct grid {
    const struct model_fleet_state *all;
    size_t *picked; /* indexes of those that count */
    size_t task_count;
    char **names; /* of benchmarks, sorted; owned */
    size_t name_count;
    double *logs;   /* [benchmark][task]: NaN: not there */
    double *old_ns; /* likewise */
    bool *has;      /* [benchmark][task]: the task has such a benchmark */
    bool *same;     /* [benchmark][task]: its sides are identical there */
    const struct model_acceptance *
        *accepted; /* [benchmark][task]; borrowed; NULL: none */
};

static const struct model_fleet_state *task_at(const struct grid *grid, size_t row)
{
    return &grid->all[grid->picked[row]];
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void grid_release(struct grid *grid)
{
    for (size_t i = 0; i < grid->name_count; i++) {
        free(grid->names[i]);
    }
    free((void *)grid->names);
    free(grid->picked);
    free(grid->logs);
    free(grid->old_ns);
    free(grid->has);
    free(grid->same);
    free((void *)grid->accepted);
}

static enum duet_code collect_names(struct grid *grid, struct duet_error *reterr)
{
    struct model_name_table table = {.names = NULL};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < grid->task_count; i++) {
        const struct model_fleet_state *task = task_at(grid, i);
        for (size_t k = 0; k < task->ratio_count && code == DUET_OK; k++) {
            uint32_t number = 0;
            const char *name = task->ratios[k].name;
            code = model_name_table_find(&table, name, strlen(name), &number, reterr);
        }
    }
    if (code == DUET_OK) {
        grid->names = model_name_table_take(&table, &grid->name_count);
        if (grid->name_count > 0) {
            qsort((void *)grid->names, grid->name_count, sizeof(char *), by_name);
        }
    }
    model_name_table_release(&table);
    return code;
}

static void put(struct grid *grid, size_t task, const struct model_fleet_ratio *ratio)
{
    char *name = ratio->name;
    char **found =
        bsearch(&name, (void *)grid->names, grid->name_count, sizeof(char *), by_name);
    size_t at = (size_t)(found - grid->names) * grid->task_count + task;
    grid->logs[at] = ratio->log_ratio;
    grid->old_ns[at] = ratio->old_ns;
    grid->has[at] = true;
    grid->same[at] = ratio->identical;
    grid->accepted[at] = ratio->acceptance;
}

static enum duet_code fill(struct grid *grid, struct duet_error *reterr)
{
    enum duet_code code = collect_names(grid, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t cells = grid->name_count * grid->task_count;
    grid->logs = alloc_array(cells, sizeof *grid->logs);
    grid->old_ns = alloc_array(cells, sizeof *grid->old_ns);
    grid->has = alloc_array(cells, sizeof *grid->has);
    grid->same = alloc_array(cells, sizeof *grid->same);
    grid->accepted = alloc_array(cells, sizeof(struct model_acceptance *));
    if (grid->logs == NULL || grid->old_ns == NULL || grid->has == NULL ||
        grid->same == NULL || grid->accepted == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < cells; i++) {
        grid->logs[i] = (double)NAN;
        grid->old_ns[i] = (double)NAN;
    }
    for (size_t i = 0; i < grid->task_count; i++) {
        for (size_t k = 0; k < task_at(grid, i)->ratio_count; k++) {
            put(grid, i, &task_at(grid, i)->ratios[k]);
        }
    }
    return DUET_OK;
}

/* Which tasks count. */
static enum duet_code choose(const struct fleet_question *question,
                             const struct model_fleet_state *tasks, size_t count,
                             struct grid *grid, struct fleet_answers *answers,
                             struct duet_error *reterr)
{
    bool open = true;
    grid->all = tasks;
    grid->picked = alloc_array(count, sizeof *grid->picked);
    if (grid->picked == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        bool done = tasks[i].phase == MODEL_FLEET_DONE;
        bool settled = done || tasks[i].phase == MODEL_FLEET_FAILED;
        open = open && (settled || !question->until_decided);
        if (done && open) {
            grid->picked[grid->task_count++] = i;
        } else if (done) {
            answers->waiting++;
        }
    }
    answers->used = grid->task_count;
    return DUET_OK;
}

/* ---- Answers ---- */

/* Whether its sides are identical on every instance where it did not fail. */
static bool is_identical(const struct grid *grid, size_t benchmark)
{
    size_t same = 0;
    size_t measured = 0;
    for (size_t i = 0; i < grid->task_count; i++) {
        size_t at = benchmark * grid->task_count + i;
        same += grid->same[at];
        measured += !grid->same[at] && !isnan(grid->logs[at]);
    }
    return same > 0 && measured == 0;
}

/* A regression is accepted where every instance that has the benchmark accepts it: a
 * result of before does not know of it. */
static void take_acceptance(const struct grid *grid, size_t benchmark,
                            struct model_fleet_answer *answer)
{
    const struct model_acceptance *lowest = NULL;
    for (size_t i = 0; i < grid->task_count; i++) {
        size_t at = benchmark * grid->task_count + i;
        const struct model_acceptance *own = grid->accepted[at];
        if (grid->has[at] && own == NULL) {
            return;
        }
        lowest = own != NULL && (lowest == NULL || own->limit < lowest->limit) ? own
                                                                               : lowest;
    }
    if (lowest != NULL) {
        answer->acceptance = *lowest;
    }
}

static enum duet_code answer_all(const struct fleet_question *question,
                                 const struct grid *grid, struct fleet_answers *answers,
                                 struct duet_error *reterr)
{
    const struct analysis_instances asked = {.confidence = question->confidence,
                                             .family = grid->name_count,
                                             .same_within = question->same_within,
                                             .anytime = question->until_decided};
    size_t open = 0;
    answers->list = alloc_array(grid->name_count, sizeof *answers->list);
    if (answers->list == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < grid->name_count && code == DUET_OK; i++) {
        struct model_fleet_answer *answer = &answers->list[answers->count];
        text_copy(answer->name, sizeof answer->name, grid->names[i]);
        code = analysis_instances(&asked, &grid->logs[i * grid->task_count],
                                  grid->task_count, answer, reterr);
        answers->count += code == DUET_OK;
        take_acceptance(grid, i, answer);
        /* Machines to come may build something else: it is open for as long as the
         * interval says. */
        open += answer->verdict == MODEL_VERDICT_UNSURE;
        if (code == DUET_OK && is_identical(grid, i)) {
            answer->verdict = MODEL_VERDICT_IDENTICAL;
        }
    }
    answers->decided = question->until_decided && grid->name_count > 0 && open == 0;
    return code;
}

/* ---- Strata ---- */

static const char *stratum_of(const struct model_fleet_state *task,
                              enum fleet_strata strata)
{
    const char *name = strata == FLEET_STRATA_CPU ? task->cpu_model : task->node;
    return name[0] == '\0' ? "unknown" : name;
}

static enum duet_code answer_stratum(const struct fleet_question *question,
                                     const struct grid *grid, size_t benchmark,
                                     const char *name,
                                     struct model_fleet_stratum *stratum,
                                     struct duet_error *reterr)
{
    const struct analysis_instances asked = {
        .confidence = question->confidence, .family = 1, .same_within = (double)NAN};
    struct model_fleet_answer answer = {.instances = 0};
    double *logs = alloc_array(grid->task_count, sizeof *logs);
    double *times = alloc_array(grid->task_count, sizeof *times);
    double old_ns = (double)NAN;
    size_t count = 0;
    size_t known = 0;
    bool room = logs != NULL && times != NULL;
    for (size_t i = 0; i < grid->task_count && room; i++) {
        size_t at = benchmark * grid->task_count + i;
        if (grid->has[at] &&
            strcmp(stratum_of(task_at(grid, i), question->strata), name) == 0) {
            logs[count++] = grid->logs[at];
            times[known] = grid->old_ns[at];
            known += grid->old_ns[at] > 0;
        }
    }
    enum duet_code code = room
                              ? analysis_instances(&asked, logs, count, &answer, reterr)
                              : error_no_memory(reterr);
    if (code == DUET_OK && known > 0) {
        code = stats_mean_geometric(times, known, &old_ns, reterr);
    }
    free(logs);
    free(times);
    if (code == DUET_OK) {
        text_copy(stratum->name, sizeof stratum->name, name);
        text_copy(stratum->benchmark, sizeof stratum->benchmark,
                  grid->names[benchmark]);
        stratum->instances = answer.instances;
        stratum->ratio = answer.ratio;
        stratum->interval = (struct model_interval){.low = answer.low,
                                                    .high = answer.high,
                                                    .confidence = answer.confidence,
                                                    .method = answer.method};
        stratum->old_ns = old_ns;
    }
    return code;
}

static enum duet_code stratify(const struct fleet_question *question,
                               const struct grid *grid, struct fleet_answers *answers,
                               struct duet_error *reterr)
{
    struct model_name_table table = {.names = NULL};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < grid->task_count && code == DUET_OK; i++) {
        uint32_t number = 0;
        const char *name = stratum_of(task_at(grid, i), question->strata);
        code = model_name_table_find(&table, name, strlen(name), &number, reterr);
    }
    answers->strata =
        alloc_array(table.count * grid->name_count, sizeof *answers->strata);
    if (code == DUET_OK && answers->strata == NULL) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK && table.count > 0) {
        qsort((void *)table.names, table.count, sizeof(char *), by_name);
    }
    for (size_t i = 0; i < grid->name_count; i++) {
        for (size_t k = 0; k < table.count && code == DUET_OK; k++) {
            struct model_fleet_stratum *stratum =
                &answers->strata[answers->stratum_count];
            code = answer_stratum(question, grid, i, table.names[k], stratum, reterr);
            answers->stratum_count += code == DUET_OK && stratum->instances > 0;
        }
    }
    model_name_table_release(&table);
    return code;
}

enum duet_code fleet_answers_make(const struct fleet_question *question,
                                  const struct model_fleet_state *tasks, size_t count,
                                  struct fleet_answers *ret_answers,
                                  struct duet_error *reterr)
{
    struct grid grid = {.all = NULL};
    struct fleet_answers answers = {.list = NULL};
    enum duet_code code = choose(question, tasks, count, &grid, &answers, reterr);
    if (code == DUET_OK) {
        code = fill(&grid, reterr);
    }
    if (code == DUET_OK) {
        code = answer_all(question, &grid, &answers, reterr);
    }
    if (code == DUET_OK && question->strata != FLEET_STRATA_NONE) {
        code = stratify(question, &grid, &answers, reterr);
    }
    grid_release(&grid);
    if (code != DUET_OK) {
        fleet_answers_release(&answers);
        return code;
    }
    *ret_answers = answers;
    return DUET_OK;
}

void fleet_answer_judge(const struct model_fleet_answer *answer,
                        const struct model_gate *gate,
                        struct model_comparison *ret_comparison,
                        struct model_gate_summary *summary)
{
    char today[DAY_BYTES];
    day_today(today);
    model_fleet_comparison(answer, ret_comparison);
    ret_comparison->analysis.gate = *gate;
    analysis_gate_judge(ret_comparison, today);
    analysis_gate_add(ret_comparison, summary);
}

void fleet_answers_release(struct fleet_answers *answers)
{
    free(answers->list);
    free(answers->strata);
    *answers = (struct fleet_answers){.list = NULL};
}
