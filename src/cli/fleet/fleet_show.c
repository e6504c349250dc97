#include "cli/fleet/fleet_show.h"

#include "base/alloc.h"
#include "base/file.h"
#include "cli/gate_say.h"
#include "cli/json_file.h"
#include "cli/options/option.h"
#include "cli/terminal.h"
#include "cli/terminal_listener.h"
#include "report/fleet_report.h"
#include "report/gate_words.h"
#include "report/quote.h"
#include "session/fleet/fleet_local.h"
#include "session/fleet/fleet_slurm.h"
#include "session/fleet/fleet_task.h"
#include "session/storage.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const char *const fleet_strata_words[] = {"none", "cpu", "node", NULL};

int fleet_show_open(const struct cli_command *command, int argc, char **argv,
                    struct fleet_show *show, struct fleet *ret_fleet)
{
    char **operands = NULL;
    int count = 0;
    struct duet_error error = {.code = DUET_OK};
    int status = cli_options_parse(command, argc, argv, NULL, show, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count != 1) {
        return cli_usage(command, "expected a fleet's folder");
    }
    return fleet_open(operands[0], ret_fleet, &error) == DUET_OK ? -1
                                                                 : cli_fail(&error);
}

static enum duet_code print(const struct model_fleet_view *view,
                            const struct fleet_show *show, struct duet_error *reterr)
{
    if (show->json) {
        json_t *document = report_fleet_json(view);
        return document == NULL ? error_no_memory(reterr)
                                : file_write_json("-", document, reterr);
    }
    const struct report_style style = {.color = terminal_has_color(stdout) &&
                                                !show->no_color,
                                       .unicode = terminal_is_utf8(),
                                       .verbosity = 1,
                                       .width = terminal_width(stdout)};
    struct text text = {.bytes = NULL};
    report_fleet_terminal(&text, view, &style);
    return file_write_text("-", &text, reterr);
}

static void take_answers(struct model_fleet_view *view,
                         const struct fleet_answers *answers)
{
    view->answers = answers->list;
    view->answer_count = answers->count;
    view->strata = answers->strata;
    view->stratum_count = answers->stratum_count;
    view->used = answers->used;
    view->waiting = answers->waiting;
    view->decided = answers->decided;
}

/* ---- Status ---- */

static enum duet_code show_survey(const struct fleet *fleet,
                                  const struct fleet_survey *survey,
                                  const char *trouble, const struct fleet_show *show,
                                  struct duet_error *reterr)
{
    struct fleet_answers answers = {.list = NULL};
    const struct fleet_question question = fleet_question_of(fleet, show->strata);
    struct model_fleet_view view = {
        .path = fleet->path,
        .plan = &fleet->plan,
        .tasks = survey->tasks,
        .count = survey->count,
        .left_ms = fleet_survey_left_ms(survey, survey->phases[MODEL_FLEET_RUNNING]),
        .ended = survey->ended,
        .trouble = trouble,
        .confidence = question.confidence};
    enum duet_code code =
        fleet_answers_make(&question, survey->tasks, survey->count, &answers, reterr);
    if (code == DUET_OK) {
        take_answers(&view, &answers);
        code = print(&view, show, reterr);
    }
    fleet_answers_release(&answers);
    return code;
}

int fleet_show_status(const struct fleet *fleet, const struct fleet_show *show,
                      int cancel_fd)
{
    struct fleet_survey survey;
    struct duet_error error = {.code = DUET_OK};
    struct duet_error silent = {.code = DUET_OK};
    enum duet_code code = fleet_survey_make(fleet, &survey, &error);
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    enum duet_code looked = fleet->plan.engine == MODEL_FLEET_SLURM
                                ? fleet_slurm_look(fleet, cancel_fd, &survey, &silent)
                                : DUET_OK;
    code = show_survey(fleet, &survey, looked == DUET_OK ? NULL : silent.message, show,
                       &error);
    fleet_survey_release(&survey);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

/* ---- Collection ---- */

/* Where a gate was asked for: what has no verdict cannot have passed it. */
static int check_gated(const struct fleet_answers *answers)
{
    struct duet_error error;
    size_t failed = 0;
    for (size_t i = 0; i < answers->count; i++) {
        failed += answers->list[i].verdict == MODEL_VERDICT_FAILED;
    }
    if (failed > 0) {
        (void)error_set(&error, DUET_E_WORKLOAD,
                        "gate: %zu of %zu benchmarks failed on every machine", failed,
                        answers->count);
    } else if (answers->count == 0) {
        (void)error_set(&error, DUET_E_UNSUITABLE,
                        "gate: there is no result to judge: collect again when a task "
                        "has one");
    }
    return failed > 0 || answers->count == 0 ? cli_fail(&error) : CLI_EXIT_OK;
}

/* By the exit status of the worst of them. */
static int say_gates(const struct fleet_answers *answers, const struct model_gate *gate,
                     bool quiet)
{
    struct model_gate_summary summary = {.state = MODEL_GATE_NONE};
    struct model_comparison *comparison = alloc_array(1, sizeof *comparison);
    if (comparison == NULL) {
        struct duet_error error;
        (void)error_no_memory(&error);
        return cli_fail(&error);
    }
    for (size_t i = 0; i < answers->count; i++) {
        fleet_answer_judge(&answers->list[i], gate, comparison, &summary);
        gate_say_one(comparison, true, quiet);
    }
    free(comparison);
    int status = gate->fail_on != 0 || !isnan(gate->max_slowdown) ? check_gated(answers)
                                                                  : CLI_EXIT_OK;
    return status != CLI_EXIT_OK ? status : gate_say_exit(summary.state);
}

static int say_failed(const struct fleet_collection *collection)
{
    struct duet_error error;
    size_t failed = 0;
    for (size_t i = 0; i < collection->count; i++) {
        failed += collection->tasks[i].phase == MODEL_FLEET_FAILED;
    }
    if (failed == 0) {
        return CLI_EXIT_OK;
    }
    (void)error_set(&error, DUET_E_WORKLOAD, "%zu of %zu tasks failed", failed,
                    collection->count);
    return cli_fail(&error);
}

static int show_collected(const struct fleet_collection_request *wanted,
                          struct store *store,
                          const struct fleet_collection *collection,
                          const struct fleet_show *show)
{
    char ended[32] = "";
    struct fleet_answers answers = {.list = NULL};
    struct duet_error error = {.code = DUET_OK};
    const struct fleet *fleet = wanted->fleet;
    struct model_fleet_view view = {.path = fleet != NULL ? fleet->path : NULL,
                                    .plan = fleet != NULL ? &fleet->plan : NULL,
                                    .tasks = collection->tasks,
                                    .count = collection->count,
                                    .left_ms = (double)NAN,
                                    .ended = ended,
                                    .confidence = wanted->question.confidence,
                                    .doubled = &collection->doubled,
                                    .damaged = &collection->damaged,
                                    .foreign = &collection->foreign,
                                    .store = store_path(store),
                                    .results = collection->results,
                                    .hosts = collection->hosts,
                                    .added = collection->merged.added,
                                    .known = collection->merged.known};
    enum duet_code code = fleet != NULL ? fleet_ended(fleet, ended, &error) : DUET_OK;
    if (code == DUET_OK) {
        code = fleet_answers_make(&wanted->question, collection->tasks,
                                  collection->count, &answers, &error);
    }
    if (code == DUET_OK) {
        take_answers(&view, &answers);
        code = print(&view, show, &error);
    }
    int status = code == DUET_OK ? say_gates(&answers, wanted->gate, show->quiet)
                                 : cli_fail(&error);
    if (status == CLI_EXIT_OK && wanted->tasks_judged) {
        status = say_failed(collection);
    }
    fleet_answers_release(&answers);
    return status;
}

int fleet_show_collection(const struct fleet_collection_request *wanted,
                          const struct fleet_show *show, int cancel_fd)
{
    struct store *store = NULL;
    struct fleet_collection collection = {.tasks = NULL};
    struct duet_error error = {.code = DUET_OK};
    const struct fleet *fleet = wanted->fleet;
    bool is_own = wanted->store == NULL && fleet != NULL;
    char *own = is_own ? fleet_path(fleet, FLEET_STORE) : NULL;
    enum duet_code code =
        is_own && own == NULL
            ? error_no_memory(&error)
            : storage_open(is_own ? own : wanted->store, true, &store, &error);
    if (code == DUET_OK) {
        code = fleet_collect(fleet, wanted->paths, wanted->path_count, store, cancel_fd,
                             &collection, &error);
    }
    int status = code == DUET_OK ? show_collected(wanted, store, &collection, show)
                                 : cli_fail(&error);
    fleet_collection_release(&collection);
    store_close(store);
    free(own);
    return status;
}

/* ---- Start ---- */

static int start_local(const struct fleet *fleet, const struct fleet_show *show,
                       int cancel_fd)
{
    struct duet_error error = {.code = DUET_OK};
    const struct model_gate gate = {.max_slowdown = (double)NAN};
    if (fleet_local(fleet, cancel_fd, terminal_listener(!show->quiet), &error) !=
        DUET_OK) {
        int status = cli_fail(&error);
        struct text path = {.bytes = NULL};
        quote_append_shell(&path, fleet->path);
        cli_say("finished tasks are kept; go on with: duet fleet resume %s",
                text_string(&path));
        text_release(&path);
        return status;
    }
    if (fleet->plan.study) { /* collected by whoever has started it */
        return CLI_EXIT_OK;
    }
    const struct fleet_collection_request wanted = {
        .fleet = fleet,
        .question = fleet_question_of(fleet, show->strata),
        .gate = &gate,
        .tasks_judged = true};
    return fleet_show_collection(&wanted, show, cancel_fd);
}

static enum duet_code say_next(const struct fleet *fleet, const char *first,
                               struct duet_error *reterr)
{
    struct text text = {.bytes = NULL};
    text_append(&text, first);
    text_append(&text, "  status   duet fleet status ");
    quote_append_shell(&text, fleet->path);
    text_append(&text, "\n  results  duet fleet collect ");
    quote_append_shell(&text, fleet->path);
    text_append_char(&text, '\n');
    return file_write_text("-", &text, reterr);
}

static enum duet_code start_files(const struct fleet *fleet, const char *tasks,
                                  struct duet_error *reterr)
{
    struct text text = {.bytes = NULL};
    text_append_format(&text,
                       "fleet %.8s: execute tasks %s, each on a machine of its own\n"
                       "  task I   ",
                       fleet->plan.id, tasks);
    char *program = fleet_path(fleet, FLEET_PROGRAM);
    if (program == NULL) {
        text_release(&text);
        return error_no_memory(reterr);
    }
    quote_append_shell(&text, program);
    text_append(&text, " fleet task ");
    quote_append_shell(&text, fleet->path);
    text_append(&text, " I\n");
    free(program);
    char *first = text_take(&text);
    enum duet_code code =
        first == NULL ? error_no_memory(reterr) : say_next(fleet, first, reterr);
    free(first);
    return code;
}

static enum duet_code start_slurm(const struct fleet *fleet, const char *tasks,
                                  int cancel_fd, struct duet_error *reterr)
{
    char job[32];
    enum duet_code code = fleet_slurm_submit(fleet, tasks, cancel_fd, job, reterr);
    char *first = code != DUET_OK ? NULL
                                  : alloc_format("fleet %.8s: tasks %s are job %s\n",
                                                 fleet->plan.id, tasks, job);
    if (code == DUET_OK) {
        code = first == NULL ? error_no_memory(reterr) : say_next(fleet, first, reterr);
    }
    free(first);
    return code;
}

int fleet_show_start(const struct fleet *fleet, const char *tasks,
                     const struct fleet_show *show, int cancel_fd)
{
    struct duet_error error = {.code = DUET_OK};
    enum duet_code code = DUET_OK;
    switch (fleet->plan.engine) {
    case MODEL_FLEET_LOCAL:
        return start_local(fleet, show, cancel_fd);
    case MODEL_FLEET_FILES:
        code = start_files(fleet, tasks, &error);
        break;
    case MODEL_FLEET_SLURM:
        code = start_slurm(fleet, tasks, cancel_fd, &error);
        break;
    case MODEL_FLEET_ENGINES:
        break;
    }
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}
