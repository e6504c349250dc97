/* duet [run] OLD NEW */
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/gate_say.h"
#include "cli/history/baseline_carry.h"
#include "cli/interrupt.h"
#include "cli/next_command.h"
#include "cli/options/option.h"
#include "cli/options/run_carry.h"
#include "cli/options/run_options.h"
#include "cli/terminal_listener.h"
#include "machine/counters.h"
#include "session/run/combinations.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct run_session {
    const struct run_request *request;
    const struct output_options *output;
    const struct baseline_options *baseline;
    struct session session;
    struct combinations all;
    int speed; /* what the comparisons say, for --exit-codes git-bisect */
};

/* What --drop-warmup leaves nothing of is not to go on, and has an answer without it.
 */
static void say_kept(const struct run_session *run, enum duet_code code)
{
    const char *store = run->request->store;
    int64_t id = run->all.cut_short;
    uint64_t kept = run->all.kept;
    if (id == 0 || kept == 0 || store_is_gone(run->session.store) ||
        (store != NULL && strcmp(store, "none") == 0)) {
        return;
    }
    struct text shown = {0};
    text_append_format(&shown, "%" PRIu64 " finished run%s %s kept: duet show %" PRId64,
                       kept, kept == 1 ? "" : "s", kept == 1 ? "is" : "are", id);
    next_command_append_store(&shown, store);
    if (code == DUET_E_TOO_FEW && run->request->analysis.cleaning.warmup_asked) {
        text_append(&shown, " --drop-warmup none");
    } else {
        text_append_format(&shown, "; go on with: duet run --resume=%" PRId64, id);
        next_command_append_store(&shown, store);
    }
    cli_say("%s", text_string(&shown));
    text_release(&shown);
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

/* The gates' status, too. A failure's wins, but does not hide what a gate says. */
static int say_gates(struct run_session *run, int status)
{
    const struct combinations *all = &run->all;
    for (size_t i = 0; i < all->count; i++) {
        run->speed =
            exit_codes_worse(run->speed, exit_codes_judge(&all->answers[i].comparison));
    }
    int judged =
        gate_say(all->answers, all->count, all->count > 1, run->output->verbosity == 0);
    return status != CLI_EXIT_OK ? status : judged;
}

/* An error ends the session, but what was answered is shown. */
static int answer_and_show(struct run_session *run)
{
    struct combinations *all = &run->all;
    struct store *store = run->session.store;
    struct duet_error error = {0};
    struct duet_error wrong = {0};
    int status = CLI_EXIT_OK;
    enum duet_code code = combinations_answer(all, &error);
    if (code != DUET_OK) {
        status = cli_fail(&error);
        say_kept(run, code);
    }
    if (combinations_conclude(all, code == DUET_OK, &wrong) != DUET_OK) {
        status = cli_fail(&wrong);
    }
    if (all->count > 0) {
        if (output_answers(run->output, store, all->answers, all->count, &error) !=
            DUET_OK) {
            int failed = cli_fail(&error);
            status = status == CLI_EXIT_OK ? failed : status;
        }
        say_counters(run);
    }
    status = code == DUET_E_INTERRUPTED ? status : say_gates(run, status);
    return code == DUET_OK ? baseline_carry(run->baseline, run->output, store,
                                            all->answers, all->count, status)
                           : status;
}

/* The store last: where something else is wrong, none is made. */
static enum duet_code open_session(struct run_session *run,
                                   const struct run_options *options,
                                   struct duet_error *reterr)
{
    struct session *session = &run->session;
    enum duet_code code = machine_open(NULL, &session->machine, reterr);
    if (code == DUET_OK) {
        code = combinations_check(&options->request, session, reterr);
    }
    if (code == DUET_OK) {
        code = output_check(&options->output, options->request.store, reterr);
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
static int run_with_signals(struct run_session *run, const struct run_options *options)
{
    struct duet_error error;
    enum duet_code code = open_session(run, options, &error);
    int status = code == DUET_OK ? answer_and_show(run) : cli_fail(&error);
    combinations_release(&run->all);
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
    run.all = (struct combinations){.request = run.request,
                                    .session = &run.session,
                                    .tells_failure = ci_export_wanted(&run.output->ci)};
    struct interrupt interrupt;
    struct duet_error error;
    int status = CLI_EXIT_OK;
    if (cancel_fd >= 0) {
        status = run_with_signals(&run, options);
    } else if (interrupt_open(&interrupt, &error) == DUET_OK) {
        run.session.cancel_fd = interrupt.cancel_fd;
        status = run_with_signals(&run, options);
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
    .examples = CLI_EXAMPLES(
        {"Compare two programs until the verdict is certain, for 10 seconds at most:",
         "duet ./old ./new"},
        {"Exit with 1 when new is surely slower, and take up to a minute to know:",
         "duet --fail-on slower --until decided,time=60s ./old ./new"},
        {"Compare two command lines in 8 runs each, for two levels:",
         "duet -r 8 -L level 1,6 'xz -{level} -kc old.txt' 'xz -{level} -kc new.txt'"}),
    .operand = "CMD",
    .main = run_main,
};
