/* duet fleet submit SUITE */
#include "base/alloc.h"
#include "base/field.h"
#include "cli/commands.h"
#include "cli/fleet/fleet_show.h"
#include "cli/fleet/sbatch_option.h"
#include "cli/interrupt.h"
#include "cli/options/option.h"
#include "cli/suite/suite_carry.h"
#include "formats/suite_file.h"
#include "session/fleet/fleet_submit.h"
#include "session/suite/suite_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum submit_option {
    OPTION_ONLY = CLI_OPTION_FIRST,
    OPTION_OLD,
    OPTION_NEW,
    OPTION_SHIP,
    OPTION_UNTIL,
    OPTION_SLURM,
    OPTION_SBATCH
};

static const struct cli_option submit_rows[] = {
    {"instances", 0, "N", CLI_OPTION_SETTING,
     "Make N tasks, one for each machine. Default: 10."},
    {"runs", 'r', "N", CLI_OPTION_SETTING,
     "Do N runs of each benchmark in a task. Default: 10."},
    {"engine", 0, "slurm|files|local", CLI_OPTION_SETTING,
     "Choose who executes the tasks: Slurm (the default), whoever calls 'duet fleet task' "
     "(files), or this machine in turns (local)."},
    {"to", 0, "DIR", CLI_OPTION_SETTING,
     "Make this folder for the fleet. With Slurm all nodes must see it. Default: "
     "fleet-ID in the current folder."},
    {"ship", 0, "PATH", OPTION_SHIP,
     "Add a copy of the suite and of this file or folder from the suite's folder into the fleet, and "
     "run the tasks there. May be repeated. Default: tasks use the current folder."},
    {"until", 0, "decided", OPTION_UNTIL,
     "Stop the fleet as soon as every verdict is certain, and cancel what is left."},
    {"limit", 0, "N", CLI_OPTION_SETTING,
     "Let Slurm execute at most N tasks at a time."},
    {"partition", 0, "NAME", OPTION_SLURM, "Use this partition of Slurm."},
    {"account", 0, "NAME", OPTION_SLURM, "Use this account of Slurm."},
    {"time", 0, "T", OPTION_SLURM,
     "Let Slurm end a task after T, as sbatch --time takes it: minutes, or 1:30:00."},
    {"sbatch", 0, "WORDS", OPTION_SBATCH,
     "Give sbatch these words, too, such as '--constraint=avx2'. May be repeated."},
    {"instance", 0, "machine|node|task", CLI_OPTION_SETTING,
     "Name the instance in stored results by its machine id (the default), by the node's "
     "name with it, or by the task with it, for clones that share an id."},
    {"only", 0, "PATTERN", OPTION_ONLY,
     "Measure only benchmarks whose name, alone or with its parameters, matches the "
     "shell pattern (* ? [...]). May be repeated."},
    {"old", 0, "VALUE", OPTION_OLD,
     "Replace {build} in the old side's commands by VALUE; NAME=VALUE replaces "
     "{NAME}. May be repeated."},
    {"new", 0, "VALUE", OPTION_NEW, "Do the same for the new side."},
    {"iterations", 'I', "N", CLI_OPTION_SETTING,
     "Do N iterations per run. Default: as the suite says."},
    {"warmup", 'w', "N", CLI_OPTION_SETTING,
     "Execute each command N times before the first run. Default: as the suite says."},
    {"schedule", 0, "auto|duet|interleaved|sequential|timeslice", CLI_OPTION_SETTING,
     "Choose how the sides share a machine, as in 'duet run'. Default: as the suite says."},
    {"timeout", 0, "T", CLI_OPTION_SETTING,
     "Kill a command when an execution takes longer than T. Default: as the suite says."},
    {"ignore-failure", 'i', NULL, CLI_OPTION_SETTING,
     "Also measure commands that exit non-zero."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the fleet's verdicts. Default: 0.99."},
    {"same-within", 0, "P", CLI_OPTION_SETTING,
     "Say 'same' when no change above P is left. Default: 1%."},
    {"seed", 0, "N", CLI_OPTION_SETTING,
     "Seed all random choices of all tasks. Default: drawn; kept in the plan."},
    {"quiet", 'q', NULL, CLI_OPTION_SETTING, "Draw no line of progress."},
    CLI_OPTION_END_ROWS};

struct submit {
    struct fleet_request request;
    struct suite_command suite; /* to judge its options before any machine does */
    struct fleet_show show;
};

#define AT struct submit
static const struct field submit_fields[] = {
    FIELD_WHOLE("--instances", AT, request.plan.tasks, 1, MODEL_FLEET_TASKS_MAX),
    FIELD_WHOLE("--runs", AT, request.plan.runs, 1, 100000),
    FIELD_NAMED("--engine", AT, request.plan.engine, model_fleet_engine_name,
                MODEL_FLEET_ENGINES),
    FIELD_NAMED("--instance", AT, request.plan.instance, model_fleet_instance_name,
                MODEL_FLEET_INSTANCES),
    FIELD_TEXT("--to", AT, request.to),
    FIELD_WHOLE("--limit", AT, request.plan.limit, 1, MODEL_FLEET_TASKS_MAX),
    FIELD_DOUBLE("--confidence", FIELD_IS_SHARE, AT, request.plan.confidence),
    FIELD_DOUBLE("--same-within", FIELD_IS_CHANGE, AT, request.plan.same_within),
    FIELD_WHOLE("--seed", AT, request.plan.seed, 1, INT64_MAX),
    FIELD_FLAG("--quiet", AT, show.quiet),
    FIELD_END};
#undef AT

/* "--old" and its value become words of the tasks' `duet suite`. */
static enum duet_code keep_words(struct submit *submit, const char *name,
                                 const char *value, struct duet_error *reterr)
{
    struct model_words *options = &submit->request.plan.options;
    char *word = value == NULL ? alloc_format("--%s", name)
                               : alloc_format("--%s=%s", name, value);
    enum duet_code code =
        word == NULL ? error_no_memory(reterr) : model_words_add(options, word, reterr);
    free(word);
    return code;
}

static enum duet_code take_ship(struct submit *submit, const char *value,
                                struct duet_error *reterr)
{
    struct fleet_request *request = &submit->request;
    const char **grown =
        alloc_resize((void *)request->ship, request->ship_count + 1, sizeof *grown);
    if (grown == NULL) {
        return error_no_memory(reterr);
    }
    grown[request->ship_count++] = value;
    request->ship = grown;
    return DUET_OK;
}

static enum duet_code take_slurm(struct submit *submit, const char *name,
                                 const char *value, struct duet_error *reterr)
{
    char *word = alloc_format("--%s=%s", name, value);
    enum duet_code code =
        word == NULL ? error_no_memory(reterr)
                     : model_words_add(&submit->request.plan.sbatch, word, reterr);
    free(word);
    return code;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct submit *submit = context;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_SHIP:
        return take_ship(submit, parsed->value, reterr);
    case OPTION_SLURM:
        return take_slurm(submit, parsed->name, parsed->value, reterr);
    case OPTION_SBATCH:
        return sbatch_option_take(&submit->request.plan.sbatch, parsed->value, reterr);
    case OPTION_UNTIL:
        submit->request.plan.until_decided = true;
        return strcmp(parsed->value, "decided") == 0
                   ? DUET_OK
                   : error_set(reterr, DUET_E_USAGE,
                               "--until '%s': a fleet knows only --until decided; "
                               "--instances and --runs say how much else",
                               parsed->value);
    case OPTION_ONLY:
        code = suite_carry_only(&submit->suite, parsed->value, reterr);
        break;
    case OPTION_OLD:
    case OPTION_NEW:
        code = suite_carry_set(&submit->suite, id == OPTION_OLD ? MODEL_OLD : MODEL_NEW,
                               parsed->value, reterr);
        break;
    default:
        code = suite_carry_take(&submit->suite, parsed, id, reterr);
        break;
    }
    return code == DUET_OK ? keep_words(submit, parsed->name, parsed->value, reterr)
                           : code;
}

/* What is wrong with the suite's file is found here, not by every machine. */
static enum duet_code check_suite(struct submit *submit, const char *path,
                                  struct duet_error *reterr)
{
    char here[] = ".";
    const struct suite_folders folders = {.suite = here, .scratch = "{scratch}"};
    struct model_suite suite;
    struct suite_plan plan;
    submit->suite.request.path = path;
    if (strcmp(path, "-") == 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "a fleet needs the suite as a file, not on standard input");
    }
    enum duet_code code = formats_suite_read(path, &suite, reterr);
    if (code == DUET_OK) {
        code = suite_plan_make(&submit->suite.request, &suite, &folders, &plan, reterr);
    }
    if (code == DUET_OK) {
        suite_plan_release(&plan);
    }
    return code;
}

static int create_and_start(struct submit *submit, int cancel_fd)
{
    struct fleet fleet;
    struct duet_error error = {.code = DUET_OK};
    char tasks[48];
    if (fleet_create(&submit->request, cancel_fd, &fleet, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    (void)snprintf(tasks, sizeof tasks, "1-%" PRIu64, fleet.plan.tasks);
    int status = fleet_show_start(&fleet, tasks, &submit->show, cancel_fd);
    fleet_close(&fleet);
    return status;
}

static int submit_all(struct submit *submit, const char *path)
{
    struct interrupt interrupt;
    struct duet_error error = {.code = DUET_OK};
    submit->request.suite = path;
    enum duet_code code = check_suite(submit, path, &error);
    if (code == DUET_OK) {
        code = interrupt_open(&interrupt, &error);
    }
    if (code != DUET_OK) {
        return cli_fail(&error);
    }
    int status = create_and_start(submit, interrupt.cancel_fd);
    interrupt_close(&interrupt);
    return status;
}

static int submit_main(const struct cli_command *command, int argc, char **argv)
{
    struct submit submit = {.request.plan = {.tasks = FLEET_TASKS_USUAL,
                                             .runs = 10,
                                             .engine = MODEL_FLEET_SLURM,
                                             .confidence = FLEET_CONFIDENCE,
                                             .same_within = FLEET_SAME_WITHIN},
                            .show = {.strata = FLEET_STRATA_CPU}};
    char **operands = NULL;
    int count = 0;
    run_request_init(&submit.suite.request.base);
    int status =
        cli_options_parse(command, argc, argv, take, &submit, &operands, &count);
    if (status < 0 && count != 1) {
        status =
            cli_usage(command,
                      count == 0 ? "expected a suite file: duet fleet submit FILE.yaml"
                                 : "expected one suite file, got %d",
                      count);
    }
    const struct model_fleet_plan *plan = &submit.request.plan;
    if (status < 0 && plan->engine != MODEL_FLEET_SLURM &&
        (plan->limit > 0 || plan->sbatch.count > 0)) {
        status = cli_usage(command, "--limit, --partition, --account, --time and "
                                    "--sbatch are for Slurm: leave them out, or "
                                    "--engine");
    }
    if (status < 0) {
        status = submit_all(&submit, operands[0]);
    }
    suite_request_release(&submit.suite.request);
    fleet_request_release(&submit.request);
    return status;
}

const struct cli_command command_fleet_submit = {
    .name = "fleet submit",
    .measures = true,
    .synopsis = "[OPTIONS] FILE.yaml",
    .summary = "begin to measure a suite on many machines",
    .description =
        "Makes a folder for the fleet, with its plan, a copy of this duet and, with --ship, of the suite. "
        "Then submits the tasks: an array of Slurm jobs on whole nodes (--exclusive), and a job that "
        "collects their results. Each task measures every benchmark in a random order.\n\n"
        "With --engine files nothing is started. Any machine that has a copy of the folder executes a task "
        "with 'duet fleet task', and 'duet fleet collect' merges what they leave. With --engine local this "
        "machine executes all tasks, one after the other, and collects.\n\n"
        "With --until decided the tasks count in the order of their numbers. A verdict takes 8 instances "
        "at least at 99 % confidence.",
    .options = submit_rows,
    .examples = CLI_EXAMPLES(
        {"Measure a suite on 50 nodes of a Slurm cluster, ten runs on each:",
         "duet fleet submit bench.yaml --old base --new head --instances 50"},
        {"Stop as soon as the verdicts are certain, at most 8 nodes at a time:",
         "duet fleet submit bench.yaml --until decided --limit 8"},
        {"Prepare a folder whose tasks the 20 jobs of a CI matrix execute:",
         "duet fleet submit bench.yaml --engine files --instances 20 --to fleet"}),
    .operand = "FILE",
    .fields = submit_fields,
    .main = submit_main,
};
