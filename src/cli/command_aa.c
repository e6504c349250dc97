/* duet aa CMD: a command against itself */
#include "analysis/remarks/against_itself.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/gate_say.h"
#include "cli/interrupt.h"
#include "cli/json_file.h"
#include "cli/next_command.h"
#include "cli/options/command_option_rows.h"
#include "cli/options/option.h"
#include "cli/options/run_options.h"
#include "cli/options/shared_option.h"
#include "cli/terminal_listener.h"
#include "report/spending.h"
#include "session/comparison/answers.h"
#include "session/comparison/controlled.h"
#include "session/comparison/leftovers.h"
#include "session/run/self_answer.h"
#include "session/storage.h"

#include <inttypes.h>
#include <string.h>

enum aa_option { OPTION_OF = 1900 };

static const struct cli_option aa_rows[] = {
    {"of", 0, "ID", OPTION_OF,
     "Execute nothing: answer from a stored comparison of a command with itself (ID "
     "as in 'duet show'), with another --estimator, --confidence and so on."},
    RUN_OPTION_AMOUNT_ROWS,
    RUN_OPTION_MANNER_ROWS,
    RUN_OPTION_COMMAND_ROWS,
    RUN_OPTION_ANSWER_ROWS,
    CLI_OPTION_END_ROWS};

struct aa_request {
    struct analysis_overrides overrides; /* with `of` */
    struct run_options run;
    const char *of;        /* NULL: measure */
    const char *measuring; /* an option that says what or how to; NULL: none */
};

/* The next `duet run`, and what else the same runs can tell. */
static enum duet_code append_next(struct text *text, const struct run_options *options,
                                  struct store *store, const struct answer *answer,
                                  const struct model_self_comparison *self,
                                  struct duet_error *reterr)
{
    const char *path = options->request.store;
    const struct next_command next = {.store = store,
                                      .store_option = path,
                                      .pilot = &answer->experiment,
                                      .amount = analysis_self_next(self)};
    size_t length = text->length;
    enum duet_code code = next_command_append(text, &next, reterr);
    if (code != DUET_OK || (path != NULL && strcmp(path, "none") == 0)) {
        return code;
    }
    text_append(text, text->length == length ? "\n" : "");
    bool trimmed = answer->comparison.estimator == MODEL_ESTIMATOR_TRIMMED;
    text_append_format(text,
                       "  the same runs with another estimator:\n"
                       "    duet aa --of %" PRId64 " --estimator %s",
                       answer->experiment.id, trimmed ? "median" : "trimmed");
    next_command_append_store(text, path);
    text_append_format(
        text, "\n  fewer or cheaper runs:\n    duet plan %" PRId64 " --effect %.6g%%",
        answer->experiment.id, 100.0 * next.amount.effect);
    next_command_append_store(text, path);
    text_append_char(text, '\n');
    return DUET_OK;
}

static enum duet_code show(const struct run_options *options, struct store *store,
                           const struct self_answer *shown, struct duet_error *reterr)
{
    const struct answer *answer = &shown->answer;
    const struct model_self_comparison *self = &shown->self;
    const struct output_options *output = &options->output;
    const struct report_style style = output_style(output);
    struct answers_overall overall = {.comparisons = NULL};
    enum duet_code code = answers_sum_up(answer, 1, &overall, reterr);
    if (code == DUET_OK && !output_takes_stdout(output)) {
        struct text text = {0};
        report_self_terminal(&text, self, &answer->comparison, &style);
        code = append_next(&text, options, store, answer, self, reterr);
        if (code == DUET_OK) {
            code = file_write_text("-", &text, reterr);
        }
        text_release(&text);
    }
    if (code == DUET_OK && output->json != NULL) {
        code = file_write_json(
            output->json,
            report_self_json(document_context(answer), self, &answer->comparison),
            reterr);
    }
    if (code == DUET_OK) {
        code = output_files(output, store, answer, &overall, reterr);
    }
    answers_overall_release(&overall);
    return code;
}

/* The exit status of the alarm that a gate was asked for. */
static int say_gate(const struct run_options *options, const struct self_answer *shown)
{
    return gate_say(&shown->answer, 1, false, options->output.verbosity == 0);
}

/* What was finished is in the store, even when it was interrupted. */
static int run_and_answer(const struct run_options *options,
                          const struct benchmark *benchmark,
                          const struct session *session)
{
    struct duet_error error = {0};
    struct duet_error wrong = {0};
    struct experiments made = {0};
    int status = CLI_EXIT_OK;
    enum duet_code code =
        controlled_carry_out(benchmark, session, false, &made, &error);
    leftovers_warn(session->listener, NULL, &made.result);
    if (code != DUET_OK) {
        status = cli_fail(&error);
    }
    if (code == DUET_OK || code == DUET_E_INTERRUPTED) {
        struct self_answer answer = {.answer = {.drop = 0}};
        enum duet_code answered =
            self_answer_make(session->store, made.experiment,
                             &options->request.analysis, true, &answer, &wrong);
        if (answered == DUET_OK) {
            answered = show(options, session->store, &answer, &wrong);
        }
        if (answered != DUET_OK && code == DUET_OK) {
            status = cli_fail(&wrong);
        } else if (code == DUET_OK) {
            status = say_gate(options, &answer);
        }
        answer_release(&answer.answer);
    }
    return status;
}

/* Returns the exit status. */
static int answer_again(const struct aa_request *request)
{
    struct store *store = NULL;
    struct duet_error error = {0};
    struct self_answer answer = {.answer = {.drop = 0}};
    enum duet_code code =
        storage_open(request->run.request.store, false, &store, &error);
    if (code == DUET_OK) {
        code = self_answer_recall(store, request->of, &request->overrides, &answer,
                                  &error);
    }
    if (code == DUET_OK) {
        code = show(&request->run, store, &answer, &error);
    }
    int status = code == DUET_OK ? say_gate(&request->run, &answer) : cli_fail(&error);
    answer_release(&answer.answer);
    store_close(store);
    return status;
}

/* With a descriptor that tells of signals. */
static int with_session(const struct run_options *options, int cancel_fd)
{
    struct benchmark benchmark = {.name = NULL};
    struct session session = {.cancel_fd = cancel_fd,
                              .listener =
                                  terminal_listener(options->output.verbosity > 0)};
    struct duet_error error;
    enum duet_code code = machine_open(NULL, &session.machine, &error);
    if (code == DUET_OK) {
        code =
            self_answer_prepare(&options->request, session.machine, &benchmark, &error);
    }
    if (code == DUET_OK) {
        code = storage_open(options->request.store, true, &session.store, &error);
    }
    int status = code == DUET_OK ? run_and_answer(options, &benchmark, &session)
                                 : cli_fail(&error);
    storage_close(session.store, session.listener);
    benchmark_release(&benchmark);
    machine_free(session.machine);
    return status;
}

static int answer_now(const struct run_options *options)
{
    struct interrupt interrupt;
    struct duet_error error;
    if (interrupt_open(&interrupt, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    int status = with_session(options, interrupt.cancel_fd);
    interrupt_close(&interrupt);
    return status;
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct aa_request *request = context;
    if (id == OPTION_OF) {
        request->of = parsed->value;
        return DUET_OK;
    }
    size_t analysing = request->overrides.count;
    const char *before = request->run.setting;
    request->run.setting = NULL;
    enum duet_code code = run_options_take(&request->run, parsed, id, reterr);
    if (request->run.setting == NULL) {
        request->run.setting = before;
    } else if (request->overrides.count == analysing) {
        request->measuring = parsed->name;
    }
    return code;
}

/* Returns -1 to go on, else an exit status. */
static int parse(const struct cli_command *command, int argc, char **argv,
                 struct aa_request *request)
{
    struct run_options *options = &request->run;
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take_option, request, &operands, &count);
    if (status >= 0) {
        return status;
    }
    struct duet_error error;
    if (run_request_settle(&options->request, &error) != DUET_OK) {
        return cli_refuse(command, &error);
    }
    if (request->of != NULL && count > 0) {
        return cli_usage(command, "unexpected argument '%s': --of executes nothing",
                         operands[0]);
    }
    if (request->of != NULL && request->measuring != NULL) {
        return cli_usage(command, "--of executes nothing: leave --%s out",
                         request->measuring);
    }
    if (request->of == NULL && count != 1) {
        return cli_usage(
            command,
            "expected one COMMAND, got %d words; quote it: duet %s 'command "
            "--option'",
            count, command->name);
    }
    for (int side = 0; side < MODEL_SIDES && count == 1; side++) {
        options->request.commands[side] = operands[0];
    }
    return -1;
}

static int aa_main(const struct cli_command *command, int argc, char **argv)
{
    struct aa_request request = {.of = NULL};
    run_options_init(&request.run);
    request.run.overrides = &request.overrides;
    request.run.request.self = true;
    int status = parse(command, argc, argv, &request);
    if (status < 0) {
        struct duet_error error;
        if (output_check(&request.run.output, request.run.request.store, &error) !=
            DUET_OK) {
            status = cli_fail(&error);
        } else {
            status =
                request.of != NULL ? answer_again(&request) : answer_now(&request.run);
        }
    }
    run_request_release(&request.run.request);
    return status;
}

const struct cli_command command_aa = {
    .name = "aa",
    .measures = true,
    .synopsis = "[OPTIONS] COMMAND | --of ID",
    .summary = "compare a command with itself: false alarms, and what can be seen",
    .description =
        "Compares COMMAND with itself in many short runs, for 20 seconds (--until "
        "time=T) and in 16 runs at least. Then reports how many experiments of 16 runs raised a false alarm "
        "on this machine, and the smallest change that such an experiment shows. A "
        "table says how long it takes to see a change of 0.5, 1 and 2 %.\n\n"
        "The options are those of 'duet run', except for rules that stop at a "
        "verdict. The output ends with commands to paste: the 'duet run' that sees "
        "1 %, the same runs with another estimator, and the 'duet plan' that finds "
        "the cheapest runs.\n\n"
        "Exit status: 0 fine; 1 an alarm that --fail-on names, or slower than "
        "--max-slowdown; 2 wrong usage; 3 unsure, and --fail-on names it; 4 the "
        "command failed.",
    .options = aa_rows,
    .examples = CLI_EXAMPLES({"See what can be shown with a program on this machine:",
                              "duet aa --until time=5s ./old"},
                             {"Answer from the same runs, with another confidence:",
                              "duet aa --of last --confidence 0.95"}),
    .operand = "CMD",
    .main = aa_main,
};
