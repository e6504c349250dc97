#include "cli/study/study_sharing.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "cli/fleet/fleet_show.h"
#include "cli/fleet/fleet_study.h"
#include "cli/fleet/sbatch_option.h"
#include "cli/interrupt.h"
#include "session/fleet/fleet_submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As enum model_fleet_engine has them, and "here" behind them. */
const char *const study_engine_words[] = {"local", "files", "slurm", "here", NULL};

/* ---- Options ---- */

static enum duet_code add(const char ***list, size_t *count, const char *value,
                          struct duet_error *reterr)
{
    const char **grown = alloc_resize((void *)*list, *count + 1, sizeof *grown);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    grown[(*count)++] = value;
    *list = grown;
    return DUET_OK;
}

/* "3/20" */
static enum duet_code take_part(struct study_share *share, const char *value,
                                struct duet_error *reterr)
{
    const char *slash = strchr(value, '/');
    char *first = slash == NULL ? alloc_string("")
                                : alloc_string_n(value, (size_t)(slash - value));
    struct duet_error ignored;
    if (first == NULL) {
        return error_no_memory(reterr);
    }
    bool right = slash != NULL &&
                 parse_whole(slash + 1, "--part", 1, MODEL_FLEET_TASKS_MAX,
                             &share->parts, &ignored) == DUET_OK &&
                 parse_whole(first, "--part", 1, share->parts, &share->part,
                             &ignored) == DUET_OK;
    free(first);
    return right ? DUET_OK
                 : error_set(reterr, DUET_E_USAGE,
                             "--part %s: expected I/N with I from 1 to N, such as 3/20",
                             value);
}

bool study_share_take(struct study_sharing *sharing, int id, const char *value,
                      enum duet_code *ret_code, struct duet_error *reterr)
{
    struct study_share *share = &sharing->common.share;
    struct study_fleet *fleet = &sharing->fleet;
    switch (id) {
    case SHARE_OPTION_PART:
        *ret_code = take_part(share, value, reterr);
        return true;
    case SHARE_OPTION_PARTS:
        *ret_code = add(&share->paths, &share->path_count, value, reterr);
        return true;
    case SHARE_OPTION_SHIP:
        *ret_code = add(&fleet->ship, &fleet->ship_count, value, reterr);
        return true;
    case SHARE_OPTION_SBATCH:
        *ret_code = sbatch_option_take(&fleet->sbatch, value, reterr);
        return true;
    default:
        return false;
    }
}

void study_sharing_release(struct study_sharing *sharing)
{
    free((void *)sharing->common.share.paths);
    sharing->common.share = (struct study_share){.resume = NULL};
    free((void *)sharing->fleet.ship);
    model_words_release(&sharing->fleet.sbatch);
    sharing->fleet = (struct study_fleet){.engine = MODEL_FLEET_ENGINES};
}

/* What does not fit together; -1: all does. */
static int check(const struct cli_command *command, const struct study_sharing *sharing)
{
    const struct study_share *share = &sharing->common.share;
    const struct study_fleet *fleet = &sharing->fleet;
    bool here = fleet->engine == MODEL_FLEET_ENGINES;
    struct duet_error error = {.code = DUET_OK};
    if (study_common_check(&sharing->common, &error) != DUET_OK) {
        return cli_fail(&error); /* before there are tasks */
    }
    if (here && (fleet->tasks > 0 || fleet->to != NULL || fleet->ship_count > 0)) {
        return cli_usage(command,
                         "--tasks, --to and --ship need --engine slurm, files or "
                         "local");
    }
    if (fleet->engine != MODEL_FLEET_SLURM && fleet->sbatch.count > 0) {
        return cli_usage(command, "--sbatch needs --engine slurm");
    }
    if (!here && (share->part > 0 || share->path_count > 0 || share->resume != NULL)) {
        return cli_usage(command,
                         "--engine %s makes the parts itself: leave out --part, "
                         "--parts and --resume",
                         study_engine_words[fleet->engine]);
    }
    if (share->part > 0 && share->resume == NULL) {
        return cli_usage(command,
                         "--part %" PRIu64 "/%" PRIu64
                         " needs --resume FILE, which the part is written into",
                         share->part, share->parts);
    }
    return -1;
}

/* ---- As a fleet ---- */

static bool is_of_fleet(const char *name)
{
    static const char *const names[] = {"engine", "tasks",  "to",
                                        "ship",   "sbatch", "quiet"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static enum duet_code add_option(struct model_words *words,
                                 const struct cli_options *parsed,
                                 struct duet_error *reterr)
{
    char *word = parsed->value == NULL
                     ? alloc_format("--%s", parsed->name)
                     : alloc_format("--%s=%s", parsed->name, parsed->value);
    enum duet_code code =
        word == NULL ? error_no_memory(reterr) : model_words_add(words, word, reterr);
    free(word);
    return code;
}

/* The study's words without those that make the fleet, its name first. They were found
 * to be right. */
static enum duet_code keep_words(const struct cli_command *command, int argc,
                                 char **argv, struct fleet_request *request,
                                 struct duet_error *reterr)
{
    struct model_words *words = &request->plan.options;
    struct cli_options parsed;
    char **operands = NULL;
    enum duet_code code =
        model_words_add(words, strchr(command->name, ' ') + 1, reterr);
    cli_options_begin(&parsed, command, argc, argv);
    while (cli_options_next(&parsed) >= 0) {
        if (code == DUET_OK && !is_of_fleet(parsed.name)) {
            code = add_option(words, &parsed, reterr);
        }
    }
    int count = cli_options_operands(&parsed, &operands);
    request->no_data = count == 0;
    if (code == DUET_OK) {
        code = model_words_add(words, "--", reterr);
    }
    for (int i = 0; i < count && code == DUET_OK; i++) {
        code = model_words_add(words, operands[i], reterr);
    }
    return code;
}

static bool never(void *context, const struct study_progress *progress)
{
    (void)context;
    (void)progress;
    return false;
}

/* Reads the data, so that what is wrong is found here and not by every task. */
static enum duet_code
count_units(enum duet_code (*study)(void *context, struct study_session *session,
                                    struct duet_error *reterr),
            void *context, uint64_t *ret_units, struct duet_error *reterr)
{
    const struct study_share share = {.counting = true};
    struct study_session session = {.cancel_fd = -1, .go_on = never, .share = &share};
    enum duet_code code = study(context, &session, reterr);
    text_release(&session.table);
    text_release(&session.csv);
    text_release(&session.json);
    if (code != DUET_E_INTERRUPTED) {
        return code;
    }
    *ret_units = session.wanted;
    return DUET_OK;
}

static int start(struct fleet_request *request, bool quiet, struct fleet *ret_fleet)
{
    struct interrupt interrupt;
    struct duet_error error = {.code = DUET_OK};
    const struct fleet_show show = {.quiet = quiet};
    char tasks[48];
    if (interrupt_open(&interrupt, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    int status = CLI_EXIT_OK;
    if (fleet_create(request, interrupt.cancel_fd, ret_fleet, &error) != DUET_OK) {
        status = cli_fail(&error);
    } else {
        (void)snprintf(tasks, sizeof tasks, "1-%" PRIu64, ret_fleet->plan.tasks);
        status = fleet_show_start(ret_fleet, tasks, &show, interrupt.cancel_fd);
    }
    interrupt_close(&interrupt);
    return status;
}

static int submit(const struct cli_command *command, int argc, char **argv,
                  struct study_sharing *sharing, uint64_t units)
{
    struct study_fleet *wish = &sharing->fleet;
    struct fleet fleet = {.path = NULL};
    struct duet_error error = {.code = DUET_OK};
    uint64_t tasks = wish->tasks > 0 ? wish->tasks : FLEET_TASKS_USUAL;
    if (units < 2) {
        return cli_usage(command,
                         "the study has %" PRIu64
                         " unit of work, which cannot be split: "
                         "leave out --engine",
                         units);
    }
    if (tasks > units) {
        cli_say("the study has %" PRIu64 " units of work: %" PRIu64 " tasks", units,
                units);
        tasks = units;
    }
    struct fleet_request request = {.to = wish->to,
                                    .ship = wish->ship,
                                    .ship_count = wish->ship_count,
                                    .plan = {.study = true,
                                             .suite = alloc_string(command->name),
                                             .tasks = tasks,
                                             .runs = 1,
                                             .engine = wish->engine,
                                             .confidence = FLEET_CONFIDENCE,
                                             .same_within = FLEET_SAME_WITHIN,
                                             .sbatch = wish->sbatch}};
    wish->ship = NULL; /* both are the request's from here on */
    wish->sbatch = (struct model_words){.list = NULL};
    int status = request.plan.suite == NULL ||
                         keep_words(command, argc, argv, &request, &error) != DUET_OK
                     ? cli_fail(&error)
                     : start(&request, sharing->common.quiet, &fleet);
    if (status == CLI_EXIT_OK && fleet.plan.engine == MODEL_FLEET_LOCAL) {
        status = fleet_study_collect(&fleet, NULL, 0);
    }
    fleet_close(&fleet);
    fleet_request_release(&request);
    return status;
}

int study_share_run(const struct cli_command *command, int argc, char **argv,
                    struct study_sharing *sharing, const char *label,
                    enum duet_code (*study)(void *context,
                                            struct study_session *session,
                                            struct duet_error *reterr),
                    void *context)
{
    uint64_t units = 0;
    struct duet_error error = {.code = DUET_OK};
    int status = check(command, sharing);
    if (status < 0 && sharing->fleet.engine == MODEL_FLEET_ENGINES) {
        status = study_run(&sharing->common, label, study, context);
    } else if (status < 0) {
        status = count_units(study, context, &units, &error) != DUET_OK
                     ? cli_fail(&error)
                     : submit(command, argc, argv, sharing, units);
    }
    return status;
}
