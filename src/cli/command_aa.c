/* duet aa CMD: a command against itself */
#include "analysis/against_itself.h"
#include "cli/answer.h"
#include "cli/benchmark.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/export.h"
#include "cli/file.h"
#include "cli/interrupt.h"
#include "cli/option.h"
#include "cli/pilot_read.h"
#include "cli/run_options.h"
#include "cli/storage.h"
#include "report/spending.h"

#include <stdio.h>

enum { WINDOW_RUNS = 16 }; /* as many as `duet run` does at least */
static const double decided_budget_ns = 60e9;

/* Measures; what was finished is in the store, even when it was interrupted. */
static enum duet_code measure(const struct run_options *options,
                              const struct machine *machine, struct store *store,
                              int cancel_fd, int64_t *ret_experiment,
                              struct duet_error *reterr)
{
    struct benchmark benchmark;
    struct measure_result result = {0};
    enum duet_code code = benchmark_make(options, 0, &benchmark, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = benchmark_place(options, machine, &benchmark.plan, reterr);
    if (code == DUET_OK) {
        code = benchmark_measure(&benchmark, options, machine, store, cancel_fd,
                                 ret_experiment, &result, reterr);
    }
    benchmark_release(&benchmark);
    return code;
}

static enum duet_code show(const struct run_options *options,
                           const struct answer *answer,
                           const struct model_self_comparison *self,
                           struct duet_error *reterr)
{
    const struct output_options *output = &options->output;
    struct report_style style = output_style(output);
    enum duet_code code = DUET_OK;
    if (!output_takes_stdout(output)) {
        struct text text = {0};
        report_self_terminal(&text, self, &answer->comparison, &style);
        code = file_write_text("-", &text, reterr);
    }
    if (code == DUET_OK && output->json != NULL) {
        code = file_write_json(
            output->json,
            report_self_json(document_context(answer), self, &answer->comparison),
            reterr);
    }
    if (code == DUET_OK && output->csv != NULL) {
        code = export_csv(output->csv, answer, 1, reterr);
    }
    if (code == DUET_OK && output->markdown != NULL) {
        code = export_markdown(output->markdown, answer, 1, &style, reterr);
    }
    return code;
}

/* What the stored runs say. */
static enum duet_code answer_all(const struct run_options *options, struct store *store,
                                 int64_t experiment, struct duet_error *reterr)
{
    struct answer answer = {0};
    struct model_pilot pilot = {0};
    struct model_self_comparison self = {0};
    enum duet_code code =
        answer_make(store, experiment, &options->analysis, &answer, reterr);
    if (code != DUET_OK) {
        return code;
    }
    code = store_comparison_save(store, experiment, &answer.comparison, reterr);
    if (code == DUET_OK) {
        code = pilot_read(store, &answer.experiment, &pilot, reterr);
    }
    if (code == DUET_OK) {
        code = analysis_self_comparison(&pilot, &options->analysis, WINDOW_RUNS,
                                        decided_budget_ns, &self, reterr);
    }
    if (code == DUET_OK) {
        code = show(options, &answer, &self, reterr);
    }
    model_pilot_release(&pilot);
    answer_release(&answer);
    return code;
}

static int run_and_answer(const struct run_options *options,
                          const struct machine *machine, struct store *store,
                          int cancel_fd)
{
    struct duet_error error = {0};
    struct duet_error wrong = {0};
    int64_t experiment = 0;
    int status = CLI_EXIT_OK;
    enum duet_code code =
        measure(options, machine, store, cancel_fd, &experiment, &error);
    if (code != DUET_OK) {
        status = cli_fail(&error);
    }
    if (code == DUET_OK || code == DUET_E_INTERRUPTED) {
        enum duet_code answered = answer_all(options, store, experiment, &wrong);
        if (answered != DUET_OK && code == DUET_OK) {
            status = cli_fail(&wrong);
        }
    }
    return status;
}

static int aa_main(const struct cli_command *command, int argc, char **argv)
{
    struct run_options options;
    int status = run_options_parse(command, argc, argv, true, &options);
    if (status >= 0) {
        run_options_release(&options);
        return status;
    }
    struct machine *machine = NULL;
    struct store *store = NULL;
    int cancel_fd = -1;
    struct duet_error error;
    enum duet_code code = machine_open(NULL, &machine, &error);
    if (code == DUET_OK) {
        code = output_check(&options.output, &error);
    }
    if (code == DUET_OK) {
        code = storage_open(options.store, true, &store, &error);
    }
    if (code == DUET_OK) {
        code = interrupt_open(&cancel_fd, &error);
    }
    if (code == DUET_OK) {
        status = run_and_answer(&options, machine, store, cancel_fd);
        interrupt_close(cancel_fd);
    } else {
        status = cli_fail(&error);
    }
    store_close(store);
    machine_free(machine);
    run_options_release(&options);
    return status;
}

const struct cli_command command_aa = {
    .name = "aa",
    .synopsis = "[OPTIONS] COMMAND",
    .summary = "a command against itself: false alarms, and what can be seen here",
    .description =
        "Compares COMMAND with itself, in many short runs for 20 seconds (--until "
        "time=T), and tells for this machine and this program: how many experiments of "
        "16 runs raised a false alarm, the smallest change that such an experiment "
        "shows, and how long it takes to see one of 0.5, 1 and 2 %.\n"
        "\n"
        "The options are those of 'duet run', but for rules that stop at a verdict. "
        "'duet plan' afterwards tells how many iterations a run are cheapest.",
    .options = run_option_rows,
    .main = aa_main,
};
