#include "session/fleet/fleet_state.h"

#include "base/alloc.h"
#include "formats/fleet/fleet_json.h"
#include "session/fleet/fleet_result.h"
#include "stats/rank/order.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".json";

enum duet_code fleet_state_save(const struct fleet *fleet,
                                const struct model_fleet_state *state,
                                struct duet_error *reterr)
{
    struct text text = {.bytes = NULL};
    char name[MODEL_FLEET_ATTEMPT_BYTES + 32];
    (void)snprintf(name, sizeof name, "%06" PRIu64 "-%s%s", state->task, state->attempt,
                   ending);
    enum duet_code code = formats_fleet_state_write(state, &text, reterr);
    if (code == DUET_OK) {
        code = fleet_write(fleet, FLEET_STATES, name, text_string(&text), text.length,
                           reterr);
    }
    text_release(&text);
    return code;
}

/* Whether `state` says more of its task than `known`: a result counts before none, the
 * first of several results, and otherwise the attempt that began last. */
static bool counts_more(const struct model_fleet_state *state,
                        const struct model_fleet_state *known)
{
    bool done = state->phase == MODEL_FLEET_DONE;
    bool known_done = known->phase == MODEL_FLEET_DONE;
    if (done != known_done) {
        return done;
    }
    return done ? state->ended_utc_ms < known->ended_utc_ms
                : state->began_utc_ms >= known->began_utc_ms;
}

/* What is damaged, gone by now, or no file is left out. What the machine could not read
 * may be of a task that is done. path: NULL: no memory was left for it. */
static enum duet_code unless_left_out(const char *path, const struct duet_error *wrong,
                                      struct duet_error *reterr)
{
    struct stat status;
    bool unread = wrong->code == DUET_E_IO && path != NULL &&
                  (stat(path, &status) != 0 || S_ISREG(status.st_mode));
    return unread || wrong->code == DUET_E_NOMEM
               ? error_set(reterr, wrong->code, "%s", wrong->message)
               : DUET_OK;
}

static enum duet_code add_state(const struct fleet *fleet, const char *name,
                                struct fleet_survey *survey, struct duet_error *reterr)
{
    struct model_fleet_state state;
    struct duet_error wrong;
    char *path = fleet_path_in(fleet, FLEET_STATES, name);
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    if (formats_fleet_state_read(path, &state, &wrong) != DUET_OK) {
        enum duet_code code = unless_left_out(path, &wrong, reterr);
        free(path);
        return code;
    }
    free(path);
    struct model_fleet_state *known =
        state.task <= survey->count ? &survey->tasks[state.task - 1] : NULL;
    survey->attempts++;
    if (known != NULL && (known->attempt[0] == '\0' || counts_more(&state, known))) {
        model_fleet_state_release(known);
        *known = state;
    } else {
        model_fleet_state_release(&state);
    }
    return DUET_OK;
}

/* A task whose result was taken away, such as a damaged one, has none. */
static void lose_results(const struct fleet *fleet, struct fleet_survey *survey)
{
    for (size_t i = 0; i < survey->count; i++) {
        struct model_fleet_state *task = &survey->tasks[i];
        char *path = task->phase == MODEL_FLEET_DONE
                         ? fleet_path_in(fleet, FLEET_RESULTS, task->result)
                         : NULL;
        if (path != NULL && access(path, F_OK) != 0 && errno == ENOENT) {
            task->phase = MODEL_FLEET_LOST;
        }
        free(path);
    }
}

/* A task that ended between its result and its state. */
static enum duet_code add_result(const struct fleet *fleet, const char *file,
                                 struct fleet_survey *survey, struct duet_error *reterr)
{
    struct fleet_result_name name;
    struct duet_error wrong;
    if (!fleet_result_parse(file, &name) || name.task > survey->count ||
        strncmp(name.id, fleet->plan.id, FLEET_RESULT_ID_DIGITS) != 0 ||
        survey->tasks[name.task - 1].phase == MODEL_FLEET_DONE) {
        return DUET_OK;
    }
    char *path = fleet_path_in(fleet, FLEET_RESULTS, file);
    struct model_fleet_state state = {.phase = MODEL_FLEET_DONE};
    enum duet_code code = path == NULL ? error_no_memory(&wrong) : DUET_OK;
    if (code == DUET_OK && !fleet->plan.study) {
        code = fleet_result_read(path, &state, &wrong);
    }
    if (code == DUET_OK) {
        text_copy(state.attempt, sizeof state.attempt, name.attempt);
        text_copy(state.result, sizeof state.result, file);
        model_fleet_state_release(&survey->tasks[name.task - 1]);
        survey->tasks[name.task - 1] = state;
    } else {
        model_fleet_state_release(&state);
        code = unless_left_out(path, &wrong, reterr);
    }
    free(path);
    return code;
}

static enum duet_code
add_all(const struct fleet *fleet, const char *folder, const char *tail,
        enum duet_code (*add)(const struct fleet *fleet, const char *name,
                              struct fleet_survey *survey, struct duet_error *reterr),
        struct fleet_survey *survey, struct duet_error *reterr)
{
    struct model_words names = {.list = NULL};
    enum duet_code code = fleet_list(fleet, folder, tail, &names, reterr);
    for (size_t i = 0; i < names.count && code == DUET_OK; i++) {
        code = add(fleet, names.list[i], survey, reterr);
    }
    model_words_release(&names);
    return code;
}

enum duet_code fleet_survey_make(const struct fleet *fleet,
                                 struct fleet_survey *ret_survey,
                                 struct duet_error *reterr)
{
    struct fleet_survey survey = {.count = (size_t)fleet->plan.tasks};
    enum duet_code code = fleet_ended(fleet, survey.ended, reterr);
    if (code != DUET_OK) {
        return code;
    }
    survey.tasks = alloc_array(survey.count, sizeof *survey.tasks);
    code = survey.tasks == NULL
               ? error_no_memory(reterr)
               : add_all(fleet, FLEET_STATES, ending, add_state, &survey, reterr);
    if (code == DUET_OK) {
        lose_results(fleet, &survey);
        code = add_all(fleet, FLEET_RESULTS, fleet_result_ending(fleet), add_result,
                       &survey, reterr);
    }
    if (code != DUET_OK) {
        fleet_survey_release(&survey);
        return code;
    }
    for (size_t i = 0; i < survey.count; i++) {
        survey.tasks[i].task = i + 1;
        survey.phases[survey.tasks[i].phase]++;
    }
    *ret_survey = survey;
    return DUET_OK;
}

void fleet_survey_set(struct fleet_survey *survey, size_t index,
                      enum model_fleet_phase phase)
{
    survey->phases[survey->tasks[index].phase]--;
    survey->tasks[index].phase = phase;
    survey->phases[phase]++;
}

void fleet_survey_release(struct fleet_survey *survey)
{
    for (size_t i = 0; survey->tasks != NULL && i < survey->count; i++) {
        model_fleet_state_release(&survey->tasks[i]);
    }
    free(survey->tasks);
    *survey = (struct fleet_survey){.tasks = NULL};
}

void fleet_survey_list(const struct fleet_survey *survey, unsigned phases,
                       struct text *text)
{
    size_t begun = text->length;
    for (size_t i = 0; i < survey->count; i++) {
        size_t first = i;
        while (i < survey->count && (phases >> survey->tasks[i].phase & 1U) != 0) {
            i++;
        }
        if (i == first) {
            continue;
        }
        text_append_format(text, "%s%zu", text->length > begun ? "," : "", first + 1);
        if (i > first + 1) {
            text_append_format(text, "-%zu", i);
        }
    }
}

double fleet_survey_left_ms(const struct fleet_survey *survey, size_t working)
{
    double *took = alloc_array(survey->count, sizeof *took);
    size_t known = 0;
    size_t open = 0;
    double median = (double)NAN;
    for (size_t i = 0; took != NULL && i < survey->count; i++) {
        const struct model_fleet_state *task = &survey->tasks[i];
        if (task->phase == MODEL_FLEET_DONE && task->ended_utc_ms == 0) {
            continue; /* only its result is here, which does not say how long it took */
        }
        if (task->phase == MODEL_FLEET_DONE) {
            took[known++] = (double)(task->ended_utc_ms - task->began_utc_ms);
        } else if (task->phase != MODEL_FLEET_FAILED) {
            open++;
        }
    }
    struct duet_error ignored;
    if (known > 0 &&
        stats_quantile_type7(took, known, 0.5, &median, &ignored) != DUET_OK) {
        median = (double)NAN;
    }
    free(took);
    size_t at_a_time = working > 0 ? working : 1;
    size_t rounds = (open + at_a_time - 1) / at_a_time;
    return open == 0 ? 0.0 : median * (double)rounds;
}
