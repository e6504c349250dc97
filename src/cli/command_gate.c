/* duet gate [ID...]: the exit status of stored comparisons */
#include "base/alloc.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/gate_say.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "report/gate_words.h"
#include "session/comparison/gating.h"
#include "session/storage.h"

#include <math.h>
#include <stdlib.h>

enum gate_option { OPTION_SELF_TEST = CLI_OPTION_FIRST, OPTION_BY };

static const struct cli_option gate_rows[] = {
    SHARED_OPTION_GATE_ROWS_OF("what was asked when it was measured, else slower"),
    {"self-test", 0, NULL, OPTION_SELF_TEST,
     "Test whether the gate would fail if new were slower by --by, which is added "
     "to the stored times. Exit with 0 when it would, else with 1."},
    {"by", 0, "P", OPTION_BY,
     "Set the slowdown of --self-test. Default: twice --max-slowdown, else 5%."},
    SHARED_OPTION_MULTIPLICITY_ROW,
    SHARED_OPTION_STORE_READ_ROW,
    {"quiet", 'q', NULL, OUTPUT_OPTION_QUIET, "Print only why a gate failed."},
    CLI_OPTION_END_ROWS};

struct gate_request {
    struct model_analysis analysis;
    struct output_options output;
    struct analysis_overrides overrides;
    const char *store;
    bool self_test;
    double by; /* a fraction; NaN: not given */
};

/* A command that failed has a status of its own, and says why. */
static int say_broken(const struct answer *answers, size_t count, int status)
{
    for (size_t i = 0; i < count; i++) {
        const struct model_comparison *comparison = &answers[i].comparison;
        if (comparison->verdict == MODEL_VERDICT_FAILED) {
            cli_say("gate: %s was not measured: %s", comparison->name,
                    comparison->failure);
            status = CLI_EXIT_WORKLOAD;
        }
    }
    return status;
}

/* Of what did not come to its end the gate knows a part. */
static int say_left(size_t left, int status)
{
    if (left == 0) {
        return status;
    }
    cli_say(
        "gate: %zu benchmark%s %s not measured to the end: measure %s; a suite goes "
        "on with --resume",
        left, left == 1 ? "" : "s", left == 1 ? "was" : "were",
        left == 1 ? "it" : "them");
    return CLI_EXIT_WORKLOAD;
}

/* ---- Self-test ---- */

/* One answer, once more with the slowdown in it. */
static enum duet_code test_one(const struct gate_request *request, struct store *store,
                               const struct answer *answer, bool several,
                               bool *ret_failed, struct duet_error *reterr)
{
    struct answer slowed = {0};
    double by = request->by;
    enum duet_code code = gating_test(store, answer, &by, &slowed, ret_failed, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct text text = {0};
    gate_words_append(&text, &slowed.comparison, several);
    if (slowed.comparison.gate.state == MODEL_GATE_NONE) {
        cli_say("gate: self-test failed; '%s' has no gate: give --fail-on or "
                "--max-slowdown",
                slowed.comparison.name);
    } else if (!*ret_failed || request->output.verbosity > 0) {
        bool anyway = answer->comparison.gate.state == MODEL_GATE_FAILED;
        cli_say("gate: self-test %s; with new slower by %.6g %% the gate says '%s'%s",
                *ret_failed ? "passed" : "failed", 100 * by, text_string(&text),
                !*ret_failed ? "; measure for longer (--until decided,time=60s)"
                : anyway     ? "; it fails without that, too: also test it with a "
                               "comparison that passes"
                             : "");
    }
    text_release(&text);
    answer_release(&slowed);
    return DUET_OK;
}

/* The exit status: 0 when every gate would have failed. */
static int self_test(const struct gate_request *request, struct store *store,
                     const struct answer *answers, size_t count)
{
    struct duet_error error = {0};
    int status = CLI_EXIT_OK;
    bool tested = false;
    for (size_t i = 0; i < count; i++) {
        bool failed = false;
        bool whole = answers[i].experiment.region_of == 0;
        if (!model_comparison_is_measured(&answers[i].comparison) || !whole ||
            answers[i].comparison.role != MODEL_ROLE_COMPARISON) {
            continue;
        }
        if (test_one(request, store, &answers[i], count > 1, &failed, &error) !=
            DUET_OK) {
            return cli_fail(&error);
        }
        status = failed ? status : CLI_EXIT_FAILED;
        tested = true;
    }
    status = say_broken(answers, count, status);
    if (!tested && status == CLI_EXIT_OK) {
        cli_say("gate: self-test failed; nothing was measured (identical programs are "
                "not): test it with an experiment that was");
        status = CLI_EXIT_FAILED;
    }
    return status;
}

static int judge(struct gate_request *request, struct store *store, char *const *which,
                 size_t count)
{
    struct duet_error error = {0};
    int status = CLI_EXIT_OK;
    int64_t *ids = NULL;
    struct answer *answers = NULL;
    size_t left = 0;
    enum duet_code code = gating_find(store, which, count, &ids, &count, &left, &error);
    if (code == DUET_OK) {
        answers = alloc_array(count, sizeof *answers);
        code = answers == NULL ? error_no_memory(&error) : DUET_OK;
    }
    if (code == DUET_OK) {
        code = gating_recall(store, ids, count, &request->overrides, answers, &error);
    }
    if (code == DUET_OK && request->self_test) {
        status = self_test(request, store, answers, count);
    } else if (code == DUET_OK) {
        status = gate_say(answers, count, count > 1, request->output.verbosity == 0);
        status = say_left(left, say_broken(answers, count, status));
    }
    answers_free(answers, code == DUET_OK ? count : 0);
    free(ids);
    return code == DUET_OK ? status : cli_fail(&error);
}

static enum duet_code take_option(void *context, struct cli_options *parsed, int id,
                                  struct duet_error *reterr)
{
    struct gate_request *request = context;
    const struct shared_options shared = {.analysis = &request->analysis,
                                          .output = &request->output,
                                          .overrides = &request->overrides,
                                          .store = &request->store};
    enum duet_code code = DUET_OK;
    if (id == OPTION_SELF_TEST) {
        request->self_test = true;
        return DUET_OK;
    }
    if (id == OPTION_BY) {
        code = parse_change(parsed->value, "--by", &request->by, reterr);
        return code != DUET_OK || request->by > 0
                   ? code
                   : error_set(reterr, DUET_E_USAGE, "--by must be above 0 %%");
    }
    (void)shared_option_take(&shared, parsed, id, &code, reterr);
    return code;
}

static int gate_main(const struct cli_command *command, int argc, char **argv)
{
    struct gate_request request = {.analysis = model_analysis_default(),
                                   .output = {.verbosity = 1},
                                   .by = (double)NAN};
    char **operands = NULL;
    int count = 0;
    int status = cli_options_parse(command, argc, argv, take_option, &request,
                                   &operands, &count);
    if (status >= 0) {
        return status;
    }
    struct store *store = NULL;
    struct duet_error error;
    if (storage_open(request.store, false, &store, &error) != DUET_OK) {
        return cli_fail(&error);
    }
    status = judge(&request, store, operands, (size_t)count);
    store_close(store);
    return status;
}

const struct cli_command command_gate = {
    .name = "gate",
    .synopsis = "[OPTIONS] [ID...]",
    .summary = "pass or fail a CI job by stored comparisons",
    .description =
        "ID is a number from 'duet list', the beginning of a uuid, a name, or 'last'. Without ID all that was "
        "measured last is judged: every benchmark of a suite, every value of -L. "
        "Nothing is measured: a first step of a job compares and keeps its reports, and its last one fails it. "
        "The gate is the one of the measurement (--fail-on, --max-slowdown), unless one is given here. "
        "Without any, 'slower' fails. "
        "One line on standard error says what was asked, what was found, and why it passes or fails.\n"
        "\n"
        "--self-test answers whether the gate can fail: it puts a slowdown on the stored times of the new "
        "side, with all their noise, and judges them. A gate that would still pass sees too little.\n"
        "\n"
        "Exit status: 0 passed; 1 failed; 2 wrong usage, or no such experiment; "
        "3 unsure, and --fail-on names it; 4 a command had failed, or a suite did not come to its end.",
    .options = gate_rows,
    .examples = CLI_EXAMPLES(
        {"Fail when the last measurement found a new side slower:", "duet gate"},
        {"Find out whether the gate can fail at all:",
         "duet gate last --self-test --by 50%"},
        {"Judge two stored comparisons together:",
         "duet gate 1 2 --multiplicity holm"}),
    .operand = "last",
    .main = gate_main,
};
