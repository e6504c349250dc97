#include "session/fleet/fleet_collect.h"

#include "base/alloc.h"
#include "measure/cancel.h"
#include "model/name_table.h"
#include "session/fleet/fleet_candidates.h"
#include "session/fleet/fleet_result.h"
#include "store/store_older.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A collection under way. */
struct collecting {
    const struct fleet *fleet;
    struct fleet_candidates candidates;
    struct model_words taken; /* names, of earlier times; "": it counts no more */
    const char **before;      /* by the fleet's tasks, the first of these; NULL: none */
    struct fleet_collection *into;
    size_t capacity; /* of into->tasks, without a fleet */
    int cancel_fd;
};

/* ---- One task ---- */

static enum duet_code index_taken(struct collecting *collecting,
                                  struct duet_error *reterr)
{
    struct fleet_result_name name;
    size_t tasks = collecting->into->count;
    collecting->before = alloc_array(tasks, sizeof(const char *));
    if (collecting->before == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < collecting->taken.count; i++) {
        const char *taken = collecting->taken.list[i];
        if (fleet_result_parse(taken, &name) && name.task <= tasks &&
            collecting->before[name.task - 1] == NULL) {
            collecting->before[name.task - 1] = taken;
        }
    }
    return DUET_OK;
}

/* The name of a result of this task that was taken before; NULL: none was. */
static const char *taken_before(const struct collecting *collecting, uint64_t task)
{
    const char *before =
        collecting->fleet != NULL ? collecting->before[task - 1] : NULL;
    return before != NULL && before[0] != '\0' ? before : NULL;
}

/* The task's result of earlier times is no result any more: another may be chosen. */
static void forget(struct collecting *collecting, uint64_t task)
{
    struct fleet_result_name name;
    for (size_t i = 0; i < collecting->taken.count; i++) {
        char *taken = collecting->taken.list[i];
        if (fleet_result_parse(taken, &name) && name.task == task) {
            taken[0] = '\0';
        }
    }
}

static enum duet_code note(struct model_words *words, const char *path,
                           const char *what, struct duet_error *reterr)
{
    char *line = what == NULL ? alloc_string(path) : alloc_format("%s: %s", path, what);
    enum duet_code code =
        line == NULL ? error_no_memory(reterr) : model_words_add(words, line, reterr);
    free(line);
    return code;
}

/* What is wrong with a file is a note, what is wrong with this machine an error. */
static bool is_of_file(enum duet_code code)
{
    return code != DUET_OK && code != DUET_E_NOMEM && code != DUET_E_INTERRUPTED;
}

static bool is_of_study(const struct collecting *collecting)
{
    return collecting->fleet != NULL && collecting->fleet->plan.study;
}

/* Whether the candidate is whole; its ratios and hosts. */
static enum duet_code judge(const struct collecting *collecting,
                            const struct fleet_candidate *candidate,
                            struct model_fleet_state *ret_state,
                            struct duet_error *reterr)
{
    struct model_fleet_state state = {.phase = MODEL_FLEET_DONE};
    enum duet_code code = fleet_candidate_check(candidate, reterr);
    if (code == DUET_OK && !is_of_study(collecting)) {
        code = fleet_result_read(candidate->path, &state, reterr);
    }
    if (code != DUET_OK) {
        model_fleet_state_release(&state);
        return code;
    }
    text_copy(state.result, sizeof state.result, candidate->name);
    *ret_state = state;
    return DUET_OK;
}

/* Of the fleet what its files say of the task, else a new one. */
static enum duet_code state_of(struct collecting *collecting,
                               const struct fleet_candidate *candidate,
                               struct model_fleet_state **ret_known,
                               struct duet_error *reterr)
{
    struct fleet_collection *into = collecting->into;
    if (collecting->fleet != NULL) {
        *ret_known = &into->tasks[candidate->parsed.task - 1];
        return DUET_OK;
    }
    void *grown = alloc_grow(into->tasks, into->count, &collecting->capacity,
                             sizeof *into->tasks);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    into->tasks = grown;
    *ret_known = &into->tasks[into->count++];
    **ret_known = (struct model_fleet_state){.task = into->count};
    return DUET_OK;
}

/* The state of the file in place of what was known, of which times and node stay when
 * they are of the same result. */
static enum duet_code put(struct collecting *collecting,
                          const struct fleet_candidate *candidate,
                          struct model_fleet_state *take_state,
                          struct duet_error *reterr)
{
    struct model_fleet_state *known = NULL;
    enum duet_code code = state_of(collecting, candidate, &known, reterr);
    if (code == DUET_OK) {
        code = model_words_add(&collecting->into->chosen, candidate->path, reterr);
    }
    if (code != DUET_OK) {
        model_fleet_state_release(take_state);
        return code;
    }
    take_state->task = known->task;
    if (strcmp(known->result, take_state->result) == 0) {
        text_copy(take_state->node, sizeof take_state->node, known->node);
        text_copy(take_state->message, sizeof take_state->message, known->message);
        text_copy(take_state->attempt, sizeof take_state->attempt, known->attempt);
        take_state->began_utc_ms = known->began_utc_ms;
        take_state->ended_utc_ms = known->ended_utc_ms;
    }
    model_fleet_state_release(known);
    *known = *take_state;
    collecting->into->results++;
    return DUET_OK;
}

static enum duet_code note_absent(struct collecting *collecting, const char *name,
                                  struct duet_error *reterr)
{
    static const char *const merged[] = {" and '" FLEET_STORE "' beside it", ""};
    char *what = alloc_format(
        "it was taken before, and its file is not here: name its folder, too, or "
        "remove '%s/" FLEET_TAKEN "'%s to choose again",
        collecting->fleet->path, merged[is_of_study(collecting)]);
    enum duet_code code = what == NULL
                              ? error_no_memory(reterr)
                              : note(&collecting->into->damaged, name, what, reterr);
    free(what);
    return code;
}

/* The candidates of one task, the earliest first: the one that was taken before, else
 * the first that is whole. */
static enum duet_code choose(struct collecting *collecting,
                             const struct fleet_candidate *of_task, size_t count,
                             struct duet_error *reterr)
{
    struct fleet_collection *into = collecting->into;
    const char *before = taken_before(collecting, of_task->parsed.task);
    const struct fleet_candidate *chosen = NULL;
    bool seen = false; /* `before` is among them: what is wrong with it is noted */
    bool spoiled = false;
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        const struct fleet_candidate *candidate = &of_task[i];
        bool wanted =
            chosen == NULL && (before == NULL || strcmp(before, candidate->name) == 0);
        seen = seen || (before != NULL && strcmp(before, candidate->name) == 0);
        bool copy = chosen != NULL && strcmp(chosen->name, candidate->name) == 0;
        struct model_fleet_state state;
        struct duet_error wrong;
        enum duet_code judged = DUET_OK;
        if (wanted) {
            judged = judge(collecting, candidate, &state, &wrong);
        }
        if (copy) {
            continue;
        }
        if (!wanted) {
            code = note(&into->doubled, candidate->path, NULL, reterr);
        } else if (judged == DUET_OK) {
            chosen = candidate;
            code = put(collecting, candidate, &state, reterr);
        } else if (is_of_file(judged)) {
            spoiled = spoiled || judged == DUET_E_FORMAT;
            code = note(&into->damaged, candidate->path, wrong.message, reterr);
        } else {
            code = error_set(reterr, judged, "%s", wrong.message);
        }
    }
    if (code != DUET_OK || before == NULL || chosen != NULL) {
        return code;
    }
    if (spoiled) {
        forget(collecting, of_task->parsed.task);
    }
    return seen ? DUET_OK : note_absent(collecting, before, reterr);
}

/* ---- All of them ---- */

static enum duet_code choose_all(struct collecting *collecting,
                                 struct duet_error *reterr)
{
    const struct fleet_candidates *all = &collecting->candidates;
    enum duet_code code = DUET_OK;
    size_t next = 0;
    for (size_t i = 0; i < all->count && code == DUET_OK; i = next) {
        const struct fleet_candidate *first = &all->list[i];
        for (next = i + 1; next < all->count; next++) {
            if (!fleet_candidate_same_task(first, &all->list[next])) {
                break;
            }
        }
        if (cancel_count(collecting->cancel_fd) > 0) {
            return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
        }
        bool ours = collecting->fleet == NULL ||
                    (first->named &&
                     strncmp(first->parsed.id, collecting->fleet->plan.id,
                             FLEET_RESULT_ID_DIGITS) == 0 &&
                     first->parsed.task <= collecting->fleet->plan.tasks);
        code = ours ? choose(collecting, first, next - i, reterr)
                    : note(&collecting->into->foreign, first->path, NULL, reterr);
    }
    return code;
}

/* Before anything is merged: what was taken stays what is taken, also where its file is
 * not among those of this time. */
static enum duet_code keep_taken(const struct collecting *collecting,
                                 struct duet_error *reterr)
{
    struct text text = {.bytes = NULL};
    struct fleet_result_name name;
    for (size_t i = 0; i < collecting->taken.count; i++) {
        const char *taken = collecting->taken.list[i];
        if (fleet_result_parse(taken, &name) && name.task <= collecting->into->count &&
            collecting->into->tasks[name.task - 1].phase != MODEL_FLEET_DONE) {
            text_append_format(&text, "%s\n", taken);
        }
    }
    for (size_t i = 0; i < collecting->into->count; i++) {
        const struct model_fleet_state *task = &collecting->into->tasks[i];
        if (task->phase == MODEL_FLEET_DONE) {
            text_append_format(&text, "%s\n", task->result);
        }
    }
    enum duet_code code = text_failed(&text)
                              ? error_no_memory(reterr)
                              : fleet_write(collecting->fleet, NULL, FLEET_TAKEN,
                                            text_string(&text), text.length, reterr);
    text_release(&text);
    return code;
}

/* What cannot be merged is no result. Without a fleet the tasks are those chosen, and
 * their files may have equal names. */
static enum duet_code drop(struct collecting *collecting, size_t chosen,
                           const char *message, struct duet_error *reterr)
{
    struct fleet_collection *into = collecting->into;
    const char *path = into->chosen.list[chosen];
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < into->count; i++) {
        struct model_fleet_state *task = &into->tasks[i];
        if (task->phase == MODEL_FLEET_DONE && strcmp(task->result, name) == 0 &&
            (collecting->fleet != NULL || i == chosen)) {
            uint64_t number = task->task;
            model_fleet_state_release(task);
            *task =
                (struct model_fleet_state){.task = number, .phase = MODEL_FLEET_LOST};
            into->results--;
            forget(collecting, number);
        }
    }
    return note(&into->damaged, path, message, reterr);
}

/* chosen: which of into->chosen. */
static enum duet_code merge_one(struct collecting *collecting, size_t chosen,
                                struct store *store, struct duet_error *reterr)
{
    struct fleet_collection *into = collecting->into;
    const char *path = into->chosen.list[chosen];
    struct store_merged merged = {.added = 0};
    struct duet_error wrong;
    char *copy = NULL;
    enum duet_code code = fleet_result_copy(path, &copy, &wrong);
    if (code == DUET_OK) {
        code = store_merge(store, copy != NULL ? copy : path, NULL, 0, &merged, &wrong);
    }
    store_older_remove(copy);
    into->merged.added += merged.added;
    into->merged.grown += merged.grown;
    into->merged.known += merged.known;
    into->merged.apart += merged.apart;
    into->merged.measured += merged.measured;
    if (code == DUET_E_FORMAT) {
        return drop(collecting, chosen, wrong.message, reterr);
    }
    return code == DUET_OK ? DUET_OK : error_set(reterr, code, "%s", wrong.message);
}

static enum duet_code merge_all(struct collecting *collecting, struct store *store,
                                struct duet_error *reterr)
{
    size_t before = collecting->into->results;
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < collecting->into->chosen.count && code == DUET_OK; i++) {
        if (cancel_count(collecting->cancel_fd) > 0) {
            return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
        }
        code = merge_one(collecting, i, store, reterr);
    }
    return code == DUET_OK && collecting->fleet != NULL &&
                   collecting->into->results < before
               ? keep_taken(collecting, reterr)
               : code;
}

static enum duet_code count_hosts(struct fleet_collection *into,
                                  struct duet_error *reterr)
{
    struct model_name_table table = {.names = NULL};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < into->count && code == DUET_OK; i++) {
        uint32_t number = 0;
        const char *name = into->tasks[i].instance;
        if (into->tasks[i].phase == MODEL_FLEET_DONE) {
            code = model_name_table_find(&table, name, strlen(name), &number, reterr);
        }
    }
    into->hosts = table.count;
    model_name_table_release(&table);
    return code;
}

/* What the fleet's files say of its tasks, and what was taken before. A result that is
 * not found any more is no result. */
static enum duet_code begin(struct collecting *collecting, struct duet_error *reterr)
{
    struct fleet_survey survey;
    struct fleet_collection *into = collecting->into;
    if (collecting->fleet == NULL) {
        return DUET_OK;
    }
    enum duet_code code = fleet_survey_make(collecting->fleet, &survey, reterr);
    if (code != DUET_OK) {
        return code;
    }
    into->tasks = survey.tasks;
    into->count = survey.count;
    for (size_t i = 0; i < into->count; i++) {
        if (into->tasks[i].phase == MODEL_FLEET_DONE) {
            into->tasks[i].phase = MODEL_FLEET_LOST;
        }
    }
    code = fleet_taken_read(collecting->fleet, &collecting->taken, reterr);
    return code == DUET_OK ? index_taken(collecting, reterr) : code;
}

enum duet_code fleet_collect(const struct fleet *fleet, const char *const *paths,
                             size_t path_count, struct store *store, int cancel_fd,
                             struct fleet_collection *ret_collection,
                             struct duet_error *reterr)
{
    struct fleet_collection collection = {.tasks = NULL};
    struct collecting collecting = {
        .fleet = fleet, .into = &collection, .cancel_fd = cancel_fd};
    enum duet_code code = begin(&collecting, reterr);
    if (code == DUET_OK) {
        code = fleet_candidates_find(fleet, paths, path_count, &collecting.candidates,
                                     reterr);
    }
    if (code == DUET_OK) {
        code = choose_all(&collecting, reterr);
    }
    if (code == DUET_OK && fleet != NULL) {
        code = keep_taken(&collecting, reterr);
    }
    if (code == DUET_OK && !is_of_study(&collecting)) {
        code = merge_all(&collecting, store, reterr);
    }
    if (code == DUET_OK) {
        code = count_hosts(&collection, reterr);
    }
    fleet_candidates_release(&collecting.candidates);
    free((void *)collecting.before);
    model_words_release(&collecting.taken);
    if (code != DUET_OK) {
        fleet_collection_release(&collection);
        return code;
    }
    *ret_collection = collection;
    return DUET_OK;
}

void fleet_collection_release(struct fleet_collection *collection)
{
    for (size_t i = 0; i < collection->count; i++) {
        model_fleet_state_release(&collection->tasks[i]);
    }
    free(collection->tasks);
    model_words_release(&collection->doubled);
    model_words_release(&collection->damaged);
    model_words_release(&collection->foreign);
    model_words_release(&collection->chosen);
    *collection = (struct fleet_collection){.tasks = NULL};
}
