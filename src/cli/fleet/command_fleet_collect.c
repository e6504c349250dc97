/* duet fleet collect FOLDER|DIR... */
#include "base/field.h"
#include "cli/commands.h"
#include "cli/fleet/fleet_show.h"
#include "cli/fleet/fleet_study.h"
#include "cli/interrupt.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "session/comparison/analysis_setting.h"
#include "session/fleet/fleet_task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option collect_rows[] = {
    {"by", 0, "cpu|node|none", CLI_OPTION_SETTING,
     "Show each benchmark by CPU model (the default), by node, or not at all."},
    {"store", 0, "PATH", CLI_OPTION_SETTING,
     "Merge into this file, or a postgresql:// URL. Default: the fleet's results.db; without a fleet "
     ".duet/results.db in the nearest parent folder that has one, else in this one."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the verdicts. Default: the fleet's, else 0.99."},
    SHARED_OPTION_GATE_ROWS,
    {"json", 0, NULL, CLI_OPTION_SETTING,
     "Print everything as JSON (docs/schema/duet-fleet-1.schema.json)."},
    {"quiet", 'q', NULL, CLI_OPTION_SETTING, "Say nothing of gates that passed."},
    {"no-color", 0, NULL, CLI_OPTION_SETTING,
     "Print no colours, like the variable NO_COLOR. Default: colours on a terminal."},
    CLI_OPTION_END_ROWS};

struct collect_request {
    struct fleet_show show;
    struct model_analysis analysis; /* of which the gate is used */
    const char *store;
    double confidence; /* 0: the fleet's */
};

#define AT struct collect_request
static const struct field collect_fields[] = {
    FIELD_WORD("--by", AT, show.strata, fleet_strata_words),
    FIELD_TEXT("--store", AT, store),
    FIELD_DOUBLE("--confidence", FIELD_IS_SHARE, AT, confidence),
    FIELD_FLAG("--json", AT, show.json),
    FIELD_FLAG("--quiet", AT, show.quiet),
    FIELD_FLAG("--no-color", AT, show.no_color),
    FIELD_END};
#undef AT

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct collect_request *request = context;
    enum duet_code code = DUET_OK;
    (void)id;
    (void)analysis_setting_take(&request->analysis, parsed->name, parsed->value, &code,
                                reterr);
    return code;
}

/* The first path may be a fleet: its plan says what else is known. */
static int collect(const struct collect_request *request, char **paths, size_t count,
                   int cancel_fd)
{
    struct fleet fleet = {.path = NULL};
    struct duet_error error = {.code = DUET_OK};
    struct fleet_collection_request wanted = {
        .paths = (const char *const *)paths,
        .path_count = count,
        .store = request->store,
        .question = {.confidence = FLEET_CONFIDENCE,
                     .same_within = FLEET_SAME_WITHIN,
                     .strata = request->show.strata},
        .gate = &request->analysis.gate};
    if (fleet_is(paths[0])) {
        if (fleet_open(paths[0], &fleet, &error) != DUET_OK) {
            return cli_fail(&error);
        }
        wanted.fleet = &fleet;
        wanted.paths++;
        wanted.path_count--;
        wanted.question = fleet_question_of(&fleet, request->show.strata);
    }
    if (request->confidence > 0) {
        wanted.question.confidence = request->confidence;
    }
    int status = fleet_show_collection(&wanted, &request->show, cancel_fd);
    fleet_close(&fleet);
    return status;
}

/* The fleet of a study has none of the settings of a collection but its paths. */
static int collect_study(const struct cli_command *command, int argc, char **argv,
                         struct fleet *fleet, char **paths, size_t count)
{
    for (int i = 1; i < argc && argv[i] != paths[0]; i++) {
        if (argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
            return cli_usage(command,
                             "%s: the fleet computes a study, whose options were "
                             "given when it was submitted",
                             argv[i]);
        }
    }
    return fleet_study_collect(fleet, (const char *const *)paths + 1, count - 1);
}

static int collect_main(const struct cli_command *command, int argc, char **argv)
{
    struct collect_request request = {.show = {.strata = FLEET_STRATA_CPU},
                                      .analysis = model_analysis_default()};
    char **operands = NULL;
    int count = 0;
    struct interrupt interrupt;
    struct duet_error error = {.code = DUET_OK};
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count == 0) {
        return cli_usage(command,
                         "expected a fleet's folder, or files and folders with "
                         "results");
    }
    if (fleet_is(operands[0])) {
        struct fleet fleet;
        if (fleet_open(operands[0], &fleet, &error) != DUET_OK) {
            return cli_fail(&error);
        }
        bool study = fleet.plan.study;
        status = !study ? CLI_EXIT_OK
                        : collect_study(command, argc, argv, &fleet, operands,
                                        (size_t)count);
        fleet_close(&fleet);
        if (study) {
            return status;
        }
    }
    if (interrupt_open(&interrupt, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = collect(&request, operands, (size_t)count, interrupt.cancel_fd);
    interrupt_close(&interrupt);
    return status;
}

const struct cli_command command_fleet_collect = {
    .name = "fleet collect",
    .synopsis = "[OPTIONS] FOLDER|PATH...",
    .summary = "merge the results of many machines, one for each task",
    .description =
        "Takes exactly one result of each task: the first that was complete. Files that were cut or "
        "changed are refused and named, and so are further results of a task. Merges them into one store, "
        "where 'duet show', 'duet report' and 'duet study ... suites:NAME' find them. A second time adds "
        "nothing twice.\n\n"
        "The first PATH may be a fleet's folder; further ones, files and folders, hold results that were "
        "carried here. Without a fleet every store is a task of its own, such as those of 'duet run "
        "--export-store'; the same content counts once.\n\n"
        "Of a fleet that computes a study ('duet study NAME --engine'), gives the study's answer, the same "
        "as on one machine. It needs a result of every task.\n\n"
        "Each instance gives one value of each benchmark, and the verdicts rest on these. Exit status: 0 "
        "fine; 1 a verdict of --fail-on, or slower than --max-slowdown; 3 unsure, and --fail-on names "
        "it; 5 the store could not be written. With one of these options also: 4 a benchmark failed on "
        "every machine; 5 there is no result.",
    .options = collect_rows,
    .examples = CLI_EXAMPLES(
        {"Merge a fleet's results, and exit with 1 when a benchmark is surely slower:",
         "duet fleet collect fleet-1a2b3c4d --fail-on slower"},
        {"Merge a fleet's results that were downloaded elsewhere:",
         "duet fleet collect fleet downloads/"},
        {"Merge stores of any origin, each a machine:",
         "duet fleet collect --store all.db runner-1.db runner-2.db runner-3.db"}),
    .operand = "DIR",
    .fields = collect_fields,
    .main = collect_main,
};
