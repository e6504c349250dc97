/* duet [run] OLD NEW */
#include "cli/answers.h"
#include "cli/benchmark.h"
#include "cli/braces.h"
#include "cli/commands.h"
#include "cli/failed.h"
#include "cli/gate_words.h"
#include "cli/interrupt.h"
#include "cli/option.h"
#include "cli/run_options.h"
#include "cli/same_program.h"
#include "machine/counters.h"
#include "session/storage.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the combinations of the parameters have yielded so far. */
struct session {
    const struct run_options *options;
    struct machine *machine;
    struct store *store;
    int cancel_fd;
    struct answer *answers;
    size_t count;
    int64_t cut_short; /* the experiment that did not end well; 0: none */
    uint64_t kept;     /* its finished runs */
};

/* Analyses what is stored of an experiment and adds it to the answers. An experiment
 * that was cut short may have nothing to say: then `code` is all there is. */
static enum duet_code add_answer(struct session *session, int64_t experiment,
                                 struct duet_error *reterr)
{
    struct answer *answer = &session->answers[session->count];
    enum duet_code code = answer_make(session->store, experiment, NULL, answer, reterr);
    session->count += code == DUET_OK;
    return code;
}

static void say_kept(const struct session *session)
{
    const char *store = session->options->store;
    if (session->cut_short == 0 || session->kept == 0 ||
        (store != NULL && strcmp(store, "none") == 0)) {
        return;
    }
    (void)fprintf(
        stderr, "duet: %" PRIu64 " finished run%s %s kept: duet show %" PRId64 "%s%s\n",
        session->kept, session->kept == 1 ? "" : "s", session->kept == 1 ? "is" : "are",
        session->cut_short, store != NULL ? " --store " : "",
        store != NULL ? store : "");
}

static enum duet_code measure_one(struct session *session, size_t index,
                                  struct duet_error *reterr)
{
    struct benchmark benchmark;
    struct measure_result result = {0};
    int64_t experiment = 0;
    enum duet_code code = benchmark_make(session->options, index, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = benchmark_place(session->options, session->machine, &benchmark.plan, reterr);
    if (code == DUET_OK) {
        code = benchmark_measure(&benchmark, session->options, session->machine,
                                 session->store, session->cancel_fd, &experiment,
                                 &result, reterr);
    }
    if (result.leftovers > 0) {
        cli_warn("%" PRIu64 " process%s that the commands left running %s killed",
                 result.leftovers, result.leftovers == 1 ? "" : "es",
                 result.leftovers == 1 ? "was" : "were");
    }
    if (code == DUET_OK) {
        code = add_answer(session, experiment, reterr);
    } else {
        struct duet_error ignored;
        if (result.runs > 0 && code == DUET_E_INTERRUPTED) {
            (void)!add_answer(session, experiment, &ignored);
        } else if (cli_exit_of(code) == CLI_EXIT_WORKLOAD &&
                   parameter_combinations(&session->options->parameters) > 1) {
            struct answer *answer = &session->answers[session->count];
            session->count +=
                failed_answer(session->store, experiment, benchmark.name,
                              reterr->message, answer, &ignored) == DUET_OK;
        }
        session->cut_short = experiment;
        session->kept = result.runs;
    }
    benchmark_release(&benchmark);
    return code;
}

/* With -v: whether this machine counts cycles and instructions. Many virtual machines
 * do not, and nothing depends on it. */
static void say_counters(const struct session *session)
{
    const struct output_options *output = &session->options->output;
    struct counters_target target = {.pid = 0};
    struct counters counters = {0};
    struct duet_error error;
    bool to_files =
        output->json != NULL || output->csv != NULL || output->markdown != NULL;
    if (output->verbosity < 2 || to_files ||
        counters_open(NULL, &target, &counters, &error) != DUET_OK) {
        return;
    }
    (void)printf("  hardware counters: %s\n",
                 counters_available(&counters) ? "available" : counters.reason);
    counters_release(&counters);
}

/* The status with the gate's. A failure's wins, but does not hide what the gate says.
 */
static int judge_all(const struct session *session, int status)
{
    struct gate_tally tally = {.several = session->count > 1,
                               .quiet = session->options->output.verbosity == 0};
    int judged = CLI_EXIT_OK;
    for (size_t i = 0; i < session->count; i++) {
        judged = verdict_exit_worse(
            judged, gate_judge(&tally, &session->answers[i].comparison));
    }
    gate_close(&tally);
    return status != CLI_EXIT_OK ? status : judged;
}

/* Every combination; an error ends the session, but what was answered is shown. */
static int run_all(struct session *session)
{
    struct duet_error error = {0};
    size_t combinations = parameter_combinations(&session->options->parameters);
    session->answers = alloc_array(combinations, sizeof *session->answers);
    enum duet_code code = session->answers == NULL
                              ? error_set(&error, DUET_E_NOMEM, "out of memory")
                              : DUET_OK;
    for (size_t i = 0; i < combinations && code == DUET_OK; i++) {
        code = measure_one(session, i, &error);
    }
    int status = CLI_EXIT_OK;
    if (code != DUET_OK) {
        status = cli_fail(&error);
        say_kept(session);
    }
    struct duet_error wrong = {0};
    if (answers_conclude(session->store, session->answers, session->count, &wrong) !=
        DUET_OK) {
        status = cli_fail(&wrong);
    }
    if (session->count > 0) {
        enum duet_code shown = output_answers(&session->options->output, session->store,
                                              session->answers, session->count, &error);
        if (shown != DUET_OK) {
            int failed = cli_fail(&error);
            status = status == CLI_EXIT_OK ? failed : status;
        }
    }
    if (session->count > 0) {
        say_counters(session);
    }
    status = code == DUET_E_INTERRUPTED ? status : judge_all(session, status);
    for (size_t i = 0; i < session->count; i++) {
        answer_release(&session->answers[i]);
    }
    free(session->answers);
    return status;
}

/* Finds what is wrong with any combination before the first is measured, and warns of
 * what is probably not meant. */
static enum duet_code check_all(const struct run_options *options,
                                const struct machine *machine,
                                struct duet_error *reterr)
{
    size_t combinations = parameter_combinations(&options->parameters);
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < combinations && code == DUET_OK; i++) {
        struct benchmark benchmark;
        code = benchmark_make(options, i, &benchmark, reterr);
        if (code == DUET_OK) {
            code = benchmark_place(options, machine, &benchmark.plan, reterr);
            if (code == DUET_OK && i == 0) {
                braces_warn(options);
                same_program_warn(&benchmark);
            }
            benchmark_release(&benchmark);
        }
    }
    return code;
}

static int run_main(const struct cli_command *command, int argc, char **argv)
{
    struct run_options options;
    int status = run_options_parse(command, argc, argv, &options);
    if (status >= 0) {
        run_options_release(&options);
        return status;
    }
    struct session session = {.options = &options, .cancel_fd = -1};
    struct duet_error error;
    enum duet_code code = machine_open(NULL, &session.machine, &error);
    if (code == DUET_OK) {
        code = check_all(&options, session.machine, &error);
    }
    if (code == DUET_OK) {
        code = output_check(&options.output, &error);
    }
    if (code == DUET_OK) {
        code = storage_open(options.store, true, &session.store, &error);
    }
    if (code == DUET_OK) {
        code = interrupt_open(&session.cancel_fd, &error);
    }
    if (code == DUET_OK) {
        status = run_all(&session);
        interrupt_close(session.cancel_fd);
    } else {
        status = cli_fail(&error);
    }
    store_close(session.store);
    machine_free(session.machine);
    run_options_release(&options);
    return status;
}

const struct cli_command command_run = {
    .name = "run",
    .synopsis = "[OPTIONS] OLD NEW",
    .summary = "compare two commands, or two benchmark programs",
    .description =
        "Runs OLD and NEW at the same time, each on a CPU of its own, released "
        "together "
        "before every iteration, and compares the ratios of the paired times: what "
        "disturbs the machine disturbs both. The word 'run' may be left out.\n"
        "\n"
        "OLD and NEW are command lines, quoted. A program that includes <duet/duet.h> "
        "is "
        "measured from within, iteration by iteration; any other one is executed again "
        "and again.\n"
        "\n"
        "Exit status: 0 fine; 1 a verdict of --fail-on, or slower than --max-slowdown; "
        "2 "
        "wrong usage; 3 unsure, and --fail-on names it; 4 a command failed, whatever "
        "the "
        "others' verdicts are; 5 this "
        "machine cannot do it; 130 interrupted. Why a gate (--fail-on, --max-slowdown) "
        "failed or passed stands on standard error.",
    .options = run_option_rows,
    .main = run_main,
};
