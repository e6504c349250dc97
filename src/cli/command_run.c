/* duet [run] OLD NEW */
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/gate_say.h"
#include "cli/history/baseline_carry.h"
#include "cli/interrupt.h"
#include "cli/options/option.h"
#include "cli/options/run_carry.h"
#include "cli/options/run_options.h"
#include "cli/terminal_listener.h"
#include "machine/counters.h"
#include "session/comparison/answers.h"
#include "session/comparison/braces.h"
#include "session/comparison/confirm.h"
#include "session/comparison/controlled.h"
#include "session/comparison/failed.h"
#include "session/comparison/leftovers.h"
#include "session/comparison/regions.h"
#include "session/comparison/resume.h"
#include "session/comparison/same_program.h"
#include "session/comparison/self_calibrating.h"
#include "session/comparison/skip.h"
#include "session/storage.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the combinations of the parameters have yielded so far. */
struct run_session {
    const struct run_request *request;
    const struct output_options *output;
    const struct baseline_options *baseline;
    struct session session;
    struct answer *answers; /* room for three a combination */
    size_t count;
    int64_t *experiments; /* of the combinations; 0: none */
    int64_t cut_short;    /* the experiment that did not end well; 0: none */
    uint64_t kept;        /* its finished runs */
    struct resume resume;
    int speed; /* what the comparisons say, for --exit-codes git-bisect */
};

/* Analyses what is stored of an experiment and adds it to the answers. An experiment
 * that was cut short may have nothing to say: then `code` is all there is. */
static enum duet_code add_answer(struct run_session *run, int64_t experiment,
                                 struct duet_error *reterr)
{
    struct answer *answer = &run->answers[run->count];
    enum duet_code code =
        answer_done(run->session.store, experiment, NULL, answer, reterr);
    run->count += code == DUET_OK;
    return code;
}

static void say_kept(const struct run_session *run)
{
    const char *store = run->request->store;
    if (run->cut_short == 0 || run->kept == 0 || store_is_gone(run->session.store) ||
        (store != NULL && strcmp(store, "none") == 0)) {
        return;
    }
    cli_say("%" PRIu64 " finished run%s %s kept: duet show %" PRId64
            "%s%s; go on with: duet run --resume=%" PRId64 "%s%s",
            run->kept, run->kept == 1 ? "" : "s", run->kept == 1 ? "is" : "are",
            run->cut_short, store != NULL ? " --store " : "",
            store != NULL ? store : "", run->cut_short,
            store != NULL ? " --store " : "", store != NULL ? store : "");
}

static enum duet_code make(const struct run_session *run, size_t index,
                           struct benchmark *ret_benchmark, struct duet_error *reterr)
{
    struct benchmark benchmark;
    enum duet_code code = benchmark_make(run->request, index, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = benchmark_pick_cpus(run->request, run->session.machine, &benchmark.plan,
                               reterr);
    if (code != DUET_OK) {
        benchmark_release(&benchmark);
        return code;
    }
    *ret_benchmark = benchmark;
    return DUET_OK;
}

/* The experiment that goes on, which must be the one that was asked for. */
static enum duet_code restore(struct run_session *run, struct benchmark *ret_benchmark,
                              struct duet_error *reterr)
{
    const struct run_request *request = run->request;
    struct benchmark asked = {0};
    enum duet_code code =
        resume_open(&run->session, request->resumed, &run->resume, reterr);
    if (code == DUET_OK && request->commands[MODEL_OLD] != NULL) {
        code = make(run, 0, &asked, reterr);
        if (code == DUET_OK) {
            code = resume_check(&run->session, &run->resume, request, &asked, reterr);
        }
        benchmark_release(&asked);
    }
    if (code == DUET_OK) {
        *ret_benchmark = run->resume.benchmark;
        run->resume.benchmark = (struct benchmark){0};
    }
    return code;
}

/* With its control, where that was asked for. */
static enum duet_code measure_controlled(struct run_session *run,
                                         const struct benchmark *benchmark,
                                         int64_t *ret_experiment, int64_t *ret_control,
                                         struct measure_result *ret_result,
                                         struct duet_error *reterr)
{
    struct controlled controlled;
    bool ended = false;
    enum duet_code code = controlled_begin(benchmark, &run->session,
                                           run->request->control, &controlled, reterr);
    *ret_experiment = controlled.experiment;
    if (code == DUET_OK) {
        code = controlled_measure(&controlled, 0, &ended, reterr);
        *ret_result = *ongoing_result(controlled.main);
        *ret_control = controlled.control_experiment;
        code = controlled_end(&controlled, code, reterr);
    }
    controlled_close(&controlled);
    return code;
}

static enum duet_code skip_or_measure(struct run_session *run,
                                      const struct benchmark *benchmark,
                                      int64_t *ret_experiment, int64_t *ret_control,
                                      struct measure_result *ret_result,
                                      struct duet_error *reterr)
{
    enum duet_code code = run->request->resume
                              ? DUET_OK
                              : skip_identical(run->request, benchmark, &run->session,
                                               ret_experiment, reterr);
    return code == DUET_OK && *ret_experiment == 0
               ? measure_controlled(run, benchmark, ret_experiment, ret_control,
                                    ret_result, reterr)
               : code;
}

static enum duet_code measure_one(struct run_session *run, size_t index,
                                  struct duet_error *reterr)
{
    struct benchmark benchmark;
    struct measure_result result = {0};
    int64_t experiment = 0;
    int64_t control = 0;
    enum duet_code code = run->request->resume ? restore(run, &benchmark, reterr)
                                               : make(run, index, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = skip_or_measure(run, &benchmark, &experiment, &control, &result, reterr);
    run->experiments[index] = experiment;
    uint64_t kept = result.runs + run->resume.experiment.runs;
    leftovers_warn(run->session.listener, NULL, &result);
    if (code == DUET_OK) {
        code = add_answer(run, experiment, reterr);
        if (code == DUET_OK && control != 0) {
            code = add_answer(run, control, reterr);
        }
    } else {
        struct duet_error ignored;
        if (kept > 0 && code == DUET_E_INTERRUPTED) {
            (void)!add_answer(run, experiment, &ignored);
        } else if (cli_exit_of(code) == CLI_EXIT_WORKLOAD &&
                   (parameter_combinations(&run->request->parameters) > 1 ||
                    ci_export_wanted(&run->output->ci))) {
            struct answer *answer = &run->answers[run->count];
            run->count += failed_answer(run->session.store, experiment, benchmark.name,
                                        reterr->message, answer, &ignored) == DUET_OK;
        }
        run->cut_short = experiment;
        run->kept = kept;
    }
    benchmark_release(&benchmark);
    return code;
}

/* With -v: whether this machine counts cycles and instructions. Many virtual machines
 * do not, and nothing depends on it. */
static void say_counters(const struct run_session *run)
{
    const struct output_options *output = run->output;
    struct counters_target target = {.pid = 0};
    struct counters counters = {0};
    struct duet_error error;
    if (output->verbosity < 2 || output_has_export(output) ||
        counters_open(NULL, &target, &counters, &error) != DUET_OK) {
        return;
    }
    (void)printf("  hardware counters: %s\n",
                 counters_available(&counters) ? "available" : counters.reason);
    counters_release(&counters);
}

/* The status with the gate's. A failure's wins, but does not hide what the gate says.
 */
static int judge_all(struct run_session *run, int status)
{
    for (size_t i = 0; i < run->count; i++) {
        run->speed =
            exit_codes_worse(run->speed, exit_codes_judge(&run->answers[i].comparison));
    }
    int judged =
        gate_say(run->answers, run->count, run->count > 1, run->output->verbosity == 0);
    return status != CLI_EXIT_OK ? status : judged;
}

static enum duet_code make_again(void *context, int64_t experiment, bool *ret_wanted,
                                 struct benchmark *ret_benchmark,
                                 struct duet_error *reterr)
{
    const struct run_session *run = context;
    size_t index = 0;
    while (run->experiments[index] != experiment) {
        index++;
    }
    *ret_wanted = true;
    return make(run, index, ret_benchmark, reterr);
}

/* Judges them together, and measures again what fails its gate. */
static enum duet_code conclude(struct run_session *run, bool whole,
                               struct duet_error *reterr)
{
    const struct confirm_source source = {.make = make_again, .context = run};
    enum duet_code code =
        answers_conclude(run->session.store, run->answers, run->count, reterr);
    return code == DUET_OK && whole && run->request->confirm
               ? confirm_failing(&run->session, &source, run->answers, &run->count,
                                 reterr)
               : code;
}

/* Every combination; an error ends the session, but what was answered is shown. */
static int run_all(struct run_session *run)
{
    struct duet_error error = {0};
    size_t combinations = parameter_combinations(&run->request->parameters);
    run->answers = alloc_array(MODEL_ROLES * combinations, sizeof *run->answers);
    run->experiments = alloc_array(combinations, sizeof *run->experiments);
    enum duet_code code = run->answers == NULL || run->experiments == NULL
                              ? error_no_memory(&error)
                              : DUET_OK;
    for (size_t i = 0; i < combinations && code == DUET_OK; i++) {
        code = measure_one(run, i, &error);
    }
    int status = CLI_EXIT_OK;
    if (code != DUET_OK) {
        status = cli_fail(&error);
        say_kept(run);
    }
    struct duet_error wrong = {0};
    if (conclude(run, code == DUET_OK, &wrong) != DUET_OK ||
        regions_conclude(run->session.store, &run->answers, &run->count, &wrong) !=
            DUET_OK) {
        status = cli_fail(&wrong);
    }
    if (run->count > 0) {
        enum duet_code shown = output_answers(run->output, run->session.store,
                                              run->answers, run->count, &error);
        if (shown != DUET_OK) {
            int failed = cli_fail(&error);
            status = status == CLI_EXIT_OK ? failed : status;
        }
    }
    if (run->count > 0) {
        say_counters(run);
    }
    status = code == DUET_E_INTERRUPTED ? status : judge_all(run, status);
    if (code == DUET_OK) {
        status = baseline_carry(run->baseline, run->output, run->session.store,
                                run->answers, run->count, status);
    }
    for (size_t i = 0; i < run->count; i++) {
        answer_release(&run->answers[i]);
    }
    free(run->answers);
    free(run->experiments);
    return status;
}

/* Of one side is enough. */
static void warn_self_calibrating(const struct model_plan *plan)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        const char *advice = self_calibrating_advice(plan->sides[side].argv);
        if (advice != NULL) {
            cli_warn(
                "'%s' chooses its number of iterations itself, so its duration says "
                "little about the code; %s",
                plan->sides[side].command, advice);
            return;
        }
    }
}

/* Finds what is wrong with any combination before the first is measured, and warns of
 * what is probably not meant. */
static enum duet_code check_all(const struct run_request *options,
                                const struct session *session,
                                struct duet_error *reterr)
{
    size_t combinations = options->commands[MODEL_OLD] == NULL
                              ? 0
                              : parameter_combinations(&options->parameters);
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < combinations && code == DUET_OK; i++) {
        struct benchmark benchmark;
        code = benchmark_make(options, i, &benchmark, reterr);
        if (code == DUET_OK) {
            code =
                benchmark_pick_cpus(options, session->machine, &benchmark.plan, reterr);
            if (code == DUET_OK) {
                code = measure_check(&benchmark.plan, reterr);
            }
            if (code == DUET_OK && i == 0) {
                braces_warn(options, session->listener);
                if (!options->skip_identical) {
                    same_program_warn(&benchmark.plan, session->listener);
                }
                warn_self_calibrating(&benchmark.plan);
            }
            benchmark_release(&benchmark);
        }
    }
    return code;
}

/* The store last: where something else is wrong, none is made. */
static enum duet_code open_session(struct run_session *run,
                                   const struct run_options *options,
                                   struct duet_error *reterr)
{
    struct session *session = &run->session;
    enum duet_code code = machine_open(NULL, &session->machine, reterr);
    if (code == DUET_OK) {
        code = check_all(&options->request, session, reterr);
    }
    if (code == DUET_OK) {
        code = output_check(&options->output, reterr);
    }
    if (code == DUET_OK) {
        code = baseline_check(&options->baseline, options->request.store, reterr);
    }
    if (code == DUET_OK) {
        code = storage_open(options->request.store, !options->request.resume,
                            &session->store, reterr);
    }
    return code;
}

/* With a descriptor that tells of signals. */
static int run_watched(struct run_session *run, const struct run_options *options)
{
    struct duet_error error;
    enum duet_code code = open_session(run, options, &error);
    int status = code == DUET_OK ? run_all(run) : cli_fail(&error);
    resume_release(&run->resume);
    storage_close(run->session.store, run->session.listener);
    machine_free(run->session.machine);
    return status;
}

int run_carry_out(const struct run_options *options, int cancel_fd, int *ret_speed)
{
    struct run_session run = {
        .request = &options->request,
        .output = &options->output,
        .baseline = &options->baseline,
        .session = {.cancel_fd = cancel_fd,
                    .listener = terminal_listener(options->output.verbosity > 0)}};
    struct interrupt interrupt;
    struct duet_error error;
    int status = CLI_EXIT_OK;
    if (cancel_fd >= 0) {
        status = run_watched(&run, options);
    } else if (interrupt_open(&interrupt, &error) == DUET_OK) {
        run.session.cancel_fd = interrupt.cancel_fd;
        status = run_watched(&run, options);
        interrupt_close(&interrupt);
    } else {
        status = cli_fail(&error);
    }
    *ret_speed = run.speed;
    return status;
}

static int run_main(const struct cli_command *command, int argc, char **argv)
{
    struct run_options options;
    int speed = EXIT_CODES_FAST;
    int status = run_options_parse(command, argc, argv, &options);
    bool help = status == CLI_EXIT_OK;
    if (status < 0) {
        status = run_carry_out(&options, -1, &speed);
    }
    run_request_release(&options.request);
    if (help || !(options.git_bisect || exit_codes_asked(argc, argv))) {
        return status;
    }
    return exit_codes_of(cli_finish(status), speed);
}

static const struct cli_example run_examples[] = {
    {"Compare two programs until the verdict is certain, for 10 seconds at most:",
     "duet ./old ./new"},
    {"Exit with 1 when new is surely slower, and take up to a minute to know:",
     "duet --fail-on slower --until decided,time=60s ./old ./new"},
    {"Compare two command lines in 8 runs each, for two levels:",
     "duet -r 8 -L level 1,6 'xz -{level} -kc old.txt' 'xz -{level} -kc new.txt'"},
    {NULL, NULL}};

const struct cli_command command_run = {
    .name = "run",
    .measures = true,
    .synopsis = "[OPTIONS] OLD NEW",
    .summary = "compare two commands, or two benchmark programs",
    .description =
        "Runs OLD and NEW at the same time, each on its own CPU, and releases both "
        "together before every iteration. Compares the ratios of the paired times: "
        "interference hits both sides of a pair and cancels. The word 'run' may be "
        "left out.\n\n"
        "OLD and NEW are command lines, quoted. A program that includes "
        "<duet/duet.h> is measured from within, iteration by iteration; any other "
        "one is executed again and again.\n\n"
        "Exit status: 0 fine; 1 a verdict of --fail-on, or slower than "
        "--max-slowdown; 2 wrong usage; 3 unsure, and --fail-on names it; 4 a "
        "command failed, whatever the others' verdicts are; 5 unsuitable machine; "
        "130 interrupted. --exit-codes git-bisect has others. A line on standard "
        "error says why a gate (--fail-on, --max-slowdown) passed or failed.",
    .options = run_option_rows,
    .examples = run_examples,
    .operand = "CMD",
    .main = run_main,
};
