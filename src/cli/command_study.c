/* duet study NAME: studies of the method itself */
#include "base/alloc.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/option.h"
#include "cli/study_table.h"
#include "cli/terminal.h"
#include "report/progress.h"
#include "study/study_coverage.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum study_option {
    OPTION_DATA = CLI_OPTION_FIRST,
    OPTION_SAMPLES,
    OPTION_REPLICATES,
    OPTION_CONFIDENCE,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_CSV,
    OPTION_QUIET
};

static const struct cli_option study_rows[] = {
    {"data", 0, "NAME", OPTION_DATA,
     "Only this data: normal, lognormal, pareto, bimodal, ar1 or twolevel. Default: "
     "all."},
    {"samples", 0, "N", OPTION_SAMPLES,
     "Simulated experiments of a cell. Default: 2000."},
    {"replicates", 0, "N", OPTION_REPLICATES, "Bootstrap replicates. Default: 1000."},
    {"confidence", 0, "P", OPTION_CONFIDENCE,
     "Confidence of the intervals. Default: 0.99."},
    {"seed", 0, "N", OPTION_SEED, "For the simulated data. Default: 1."},
    {"threads", 0, "N", OPTION_THREADS,
     "Threads; the result does not depend on it. Default: one a CPU."},
    {"export-csv", 0, "FILE", OPTION_CSV,
     "Write the cells as CSV to FILE ('-': standard output, instead of the table)."},
    {"quiet", 'q', NULL, OPTION_QUIET, "No progress."},
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct study_request {
    struct study_coverage_plan plan;
    const char *csv;
    bool quiet;
};

struct study_progress {
    int cancel_fd;
    bool shown;
    uint64_t started_ns;
    uint64_t drawn_ns; /* when the line was drawn last */
};

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void draw_line(struct study_progress *progress, uint64_t done, uint64_t planned)
{
    uint64_t now = now_ns();
    if (now - progress->drawn_ns < 100000000U) {
        return;
    }
    progress->drawn_ns = now;
    double share = (double)done / (double)planned;
    double elapsed = (double)(now - progress->started_ns);
    struct report_progress shown = {.label = "coverage",
                                    .done_ratio = share,
                                    .runs = done,
                                    .runs_goal = planned,
                                    .elapsed_ns = now - progress->started_ns,
                                    .left_ns = done > 0 ? elapsed * (1 - share) / share
                                                        : (double)NAN,
                                    .ratio = (double)NAN,
                                    .low = (double)NAN,
                                    .high = (double)NAN};
    struct text line = {0};
    report_progress_line(&line, &shown, terminal_width(stderr), terminal_is_utf8());
    (void)fputs(text_string(&line), stderr);
    (void)fflush(stderr);
    text_release(&line);
}

static bool go_on(void *context, uint64_t done, uint64_t planned)
{
    struct study_progress *progress = context;
    if (progress->shown) {
        draw_line(progress, done, planned);
    }
    struct pollfd waiting = {.fd = progress->cancel_fd, .events = POLLIN};
    return poll(&waiting, 1, 0) == 0;
}

static void erase_line(const struct study_progress *progress)
{
    if (progress->shown && progress->drawn_ns > 0) {
        struct text line = {0};
        report_progress_erase(&line);
        (void)fputs(text_string(&line), stderr);
        text_release(&line);
    }
}

static enum duet_code write_text(const char *path, const struct text *text,
                                 struct duet_error *reterr)
{
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdout : fopen(path, "we");
    if (text_failed(text)) {
        if (file != NULL && !standard) {
            (void)fclose(file);
        }
        return error_set(reterr, DUET_E_NOMEM, "no memory for the table");
    }
    bool written = file != NULL &&
                   fwrite(text_string(text), 1, text->length, file) == text->length;
    int errnum = errno;
    if (file != NULL && !standard && fclose(file) != 0) {
        written = false;
        errnum = errno;
    }
    return written
               ? DUET_OK
               : error_set_errno(reterr, DUET_E_IO, errnum, "cannot write '%s'", path);
}

static enum duet_code show(const struct study_request *request,
                           const struct study_coverage_cell *cells,
                           struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    struct text text = {0};
    if (request->csv == NULL || strcmp(request->csv, "-") != 0) {
        study_table_append(&text, cells, study_coverage_cells(), &request->plan);
        code = write_text("-", &text, reterr);
    }
    text_release(&text);
    if (code == DUET_OK && request->csv != NULL) {
        study_table_append_csv(&text, cells, study_coverage_cells(), &request->plan);
        code = write_text(request->csv, &text, reterr);
        text_release(&text);
    }
    return code;
}

static int coverage(const struct study_request *request)
{
    struct duet_error error = {0};
    struct study_coverage_cell *cells =
        alloc_array(study_coverage_cells(), sizeof *cells);
    struct study_progress progress = {.cancel_fd = -1,
                                      .shown = !request->quiet && terminal_is(stderr),
                                      .started_ns = now_ns()};
    enum duet_code code = cells == NULL
                              ? error_set(&error, DUET_E_NOMEM, "out of memory")
                              : interrupt_open(&progress.cancel_fd, &error);
    if (code == DUET_OK) {
        code = study_coverage_run(&request->plan, go_on, &progress, cells, &error);
        interrupt_close(progress.cancel_fd);
        erase_line(&progress);
    }
    if (code == DUET_OK || code == DUET_E_INTERRUPTED) {
        struct duet_error wrong = {0};
        enum duet_code shown = show(request, cells, &wrong);
        if (shown != DUET_OK) {
            code = shown;
            error = wrong;
        }
    }
    free(cells);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

static enum duet_code take_data(struct study_coverage_plan *plan, const char *value,
                                struct duet_error *reterr)
{
    for (int model = 0; model < STUDY_MODELS; model++) {
        if (strcmp(value, study_model_name((enum study_model)model)) == 0) {
            plan->model = (enum study_model)model;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE,
                     "--data %s: there is normal, lognormal, pareto, bimodal, ar1, "
                     "twolevel",
                     value);
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct study_request *request = context;
    const char *value = parsed->value;
    struct study_coverage_plan *plan = &request->plan;
    uint64_t threads = 0;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_DATA:
        return take_data(plan, value, reterr);
    case OPTION_SAMPLES:
        return parse_whole(value, "--samples", 1, 100000000, &plan->samples, reterr);
    case OPTION_REPLICATES:
        return parse_whole(value, "--replicates", 100, 10000000, &plan->replicates,
                           reterr);
    case OPTION_CONFIDENCE:
        code = parse_fraction(value, "--confidence", &plan->confidence, reterr);
        if (code == DUET_OK && !(plan->confidence > 0 && plan->confidence < 1)) {
            code = error_set(reterr, DUET_E_USAGE,
                             "--confidence %s: it must lie between 0 and 1", value);
        }
        return code;
    case OPTION_SEED:
        return parse_whole(value, "--seed", 0, INT64_MAX, &plan->seed, reterr);
    case OPTION_THREADS:
        code = parse_whole(value, "--threads", 1, 1024, &threads, reterr);
        plan->threads = code == DUET_OK ? (int)threads : plan->threads;
        return code;
    case OPTION_CSV:
        request->csv = value;
        return DUET_OK;
    case OPTION_QUIET:
        request->quiet = true;
        return DUET_OK;
    default:
        return DUET_OK;
    }
}

static int study_main(const struct cli_command *command, int argc, char **argv)
{
    struct study_request request = {.plan = {.confidence = 0.99,
                                             .samples = 2000,
                                             .replicates = 1000,
                                             .seed = 1,
                                             .model = STUDY_MODELS}};
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count != 1) {
        return count == 0
                   ? cli_usage(command, "which study? There is: coverage")
                   : cli_usage(command, "'%s' is one word too many", operands[1]);
    }
    if (strcmp(operands[0], "coverage") != 0) {
        return cli_usage(command, "there is no study '%s'; there is: coverage",
                         operands[0]);
    }
    return coverage(&request);
}

const struct cli_command command_study = {
    .name = "study",
    .synopsis = "[OPTIONS] coverage",
    .summary = "study the method itself, on simulated data",
    .description =
        "coverage: how often does each interval hold the truth, with 3, 5, 10, 20 and "
        "30 independent values? Simulates normal, log-normal, Pareto-tailed, bimodal, "
        "autocorrelated and two-level data and analyses it as measured data is. "
        "Interrupted, it prints what is done.\n"
        "\n"
        "The table of the documentation comes from this command (docs/method.md).",
    .options = study_rows,
    .main = study_main,
};
