/* duet study NAME: studies of the method itself */
#include "base/alloc.h"
#include "base/parse.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/option.h"
#include "cli/sequential_table.h"
#include "cli/study_table.h"
#include "cli/terminal.h"
#include "report/progress.h"
#include "study/study_coverage.h"
#include "study/study_sequential.h"

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
    OPTION_BLOCKS,
    OPTION_ITERATIONS,
    OPTION_EFFECT,
    OPTION_NOISE,
    OPTION_ESTIMATOR,
    OPTION_CONFIDENCE,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_CSV,
    OPTION_QUIET
};

static const struct cli_option study_rows[] = {
    {"data", 0, "NAME", OPTION_DATA,
     "Only this data: normal, lognormal, pareto, bimodal, ar1, twolevel or, sequential "
     "only, drift. Default: all."},
    {"samples", 0, "N", OPTION_SAMPLES,
     "Simulated experiments of a cell. Default: 2000; sequential 10000."},
    {"replicates", 0, "N", OPTION_REPLICATES,
     "coverage: bootstrap replicates. Default: 1000."},
    {"blocks", 0, "N", OPTION_BLOCKS,
     "sequential: blocks of two runs, with a look after each. Default: 60."},
    {"iterations", 0, "N", OPTION_ITERATIONS,
     "sequential: iterations of a run, up to 20. Default: 5."},
    {"effect", 0, "P", OPTION_EFFECT,
     "sequential: the new side takes so much longer (such as 1%). Default: 0."},
    {"noise", 0, "P", OPTION_NOISE,
     "sequential: standard deviation of an iteration's time; that of a run's is half "
     "as "
     "large. Default: 1%."},
    {"estimator", 0, "NAME", OPTION_ESTIMATOR,
     "sequential: of the ratios inside a run: geomean, trimmed or median. Default: "
     "median."},
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

enum study { STUDY_COVERAGE, STUDY_SEQUENTIAL, STUDIES };

struct study_request {
    struct study_coverage_plan coverage;
    struct study_sequential_plan sequential;
    const char *data; /* NULL: all */
    uint64_t samples; /* 0: the study's default */
    double confidence;
    uint64_t seed;
    int threads;
    const char *csv;
    bool quiet;
};

struct study_progress {
    const char *label;
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
    struct report_progress shown = {.label = progress->label,
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

/* The table to standard output, the CSV to where it was asked for. */
static enum duet_code show(const struct study_request *request, struct text *table,
                           struct text *csv, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (request->csv == NULL || strcmp(request->csv, "-") != 0) {
        code = write_text("-", table, reterr);
    }
    if (code == DUET_OK && request->csv != NULL) {
        code = write_text(request->csv, csv, reterr);
    }
    text_release(table);
    text_release(csv);
    return code;
}

static enum duet_code coverage(const struct study_request *request,
                               struct study_progress *progress, struct text *table,
                               struct text *csv, struct duet_error *reterr)
{
    const struct study_coverage_plan *plan = &request->coverage;
    size_t count = study_coverage_cells();
    struct study_coverage_cell *cells = alloc_array(count, sizeof *cells);
    if (cells == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    enum duet_code code = study_coverage_run(plan, go_on, progress, cells, reterr);
    study_table_append(table, cells, count, plan);
    study_table_append_csv(csv, cells, count, plan);
    free(cells);
    return code;
}

static enum duet_code sequential(const struct study_request *request,
                                 struct study_progress *progress, struct text *table,
                                 struct text *csv, struct duet_error *reterr)
{
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS] = {0};
    const struct study_sequential_plan *plan = &request->sequential;
    enum duet_code code = study_sequential_run(plan, go_on, progress, cells, reterr);
    sequential_table_append(table, cells, plan);
    sequential_table_append_csv(csv, cells, plan);
    return code;
}

static int run_study(const struct study_request *request, enum study study)
{
    struct duet_error error = {0};
    struct text table = {0};
    struct text csv = {0};
    struct study_progress progress = {.label = study == STUDY_COVERAGE ? "coverage"
                                                                       : "sequential",
                                      .cancel_fd = -1,
                                      .shown = !request->quiet && terminal_is(stderr),
                                      .started_ns = now_ns()};
    enum duet_code code = interrupt_open(&progress.cancel_fd, &error);
    if (code == DUET_OK) {
        code = study == STUDY_COVERAGE
                   ? coverage(request, &progress, &table, &csv, &error)
                   : sequential(request, &progress, &table, &csv, &error);
        interrupt_close(progress.cancel_fd);
        erase_line(&progress);
    }
    if (code == DUET_OK || code == DUET_E_INTERRUPTED) {
        struct duet_error wrong = {0};
        enum duet_code shown = show(request, &table, &csv, &wrong);
        if (shown != DUET_OK) {
            code = shown;
            error = wrong;
        }
    }
    text_release(&table);
    text_release(&csv);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

/* The number of the model called `name` among the first `models`; `models` for NULL. */
static enum duet_code find_data(const char *name, int models, int *ret_model,
                                struct duet_error *reterr)
{
    for (int model = 0; model < models && name != NULL; model++) {
        if (strcmp(name, study_sequential_model_name(model)) == 0) {
            *ret_model = model;
            return DUET_OK;
        }
    }
    if (name != NULL) {
        return error_set(reterr, DUET_E_USAGE,
                         "--data %s: there is normal, lognormal, pareto, bimodal, ar1, "
                         "twolevel%s",
                         name, models > STUDY_SEQUENTIAL_DRIFT ? ", drift" : "");
    }
    *ret_model = models;
    return DUET_OK;
}

static enum duet_code take_estimator(struct study_sequential_plan *plan,
                                     const char *value, struct duet_error *reterr)
{
    if (strcmp(value, "geomean") == 0) {
        plan->location = STATS_LOCATION_MEAN;
    } else if (strcmp(value, "trimmed") == 0) {
        plan->location = STATS_LOCATION_TRIMMED;
    } else if (strcmp(value, "median") == 0) {
        plan->location = STATS_LOCATION_MEDIAN;
    } else {
        return error_set(reterr, DUET_E_USAGE,
                         "--estimator %s: it is one of geomean, trimmed, median",
                         value);
    }
    return DUET_OK;
}

/* Options of `sequential` alone. */
static enum duet_code take_sequential(struct study_sequential_plan *plan, int id,
                                      const char *value, struct duet_error *reterr)
{
    uint64_t number = 0;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_BLOCKS:
        code = parse_whole(value, "--blocks", 1, STUDY_SEQUENTIAL_BLOCKS_MAX, &number,
                           reterr);
        plan->blocks = code == DUET_OK ? (size_t)number : plan->blocks;
        return code;
    case OPTION_ITERATIONS:
        code = parse_whole(value, "--iterations", 1, STUDY_SEQUENTIAL_ITERATIONS_MAX,
                           &number, reterr);
        plan->iterations = code == DUET_OK ? (size_t)number : plan->iterations;
        return code;
    case OPTION_EFFECT:
        return parse_fraction(value, "--effect", &plan->effect, reterr);
    case OPTION_NOISE:
        return parse_fraction(value, "--noise", &plan->noise, reterr);
    default:
        return take_estimator(plan, value, reterr);
    }
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct study_request *request = context;
    const char *value = parsed->value;
    uint64_t threads = 0;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_DATA:
        request->data = value;
        return DUET_OK;
    case OPTION_SAMPLES:
        return parse_whole(value, "--samples", 1, 100000000, &request->samples, reterr);
    case OPTION_REPLICATES:
        return parse_whole(value, "--replicates", 100, 10000000,
                           &request->coverage.replicates, reterr);
    case OPTION_CONFIDENCE:
        code = parse_fraction(value, "--confidence", &request->confidence, reterr);
        if (code == DUET_OK && !(request->confidence > 0 && request->confidence < 1)) {
            code = error_set(reterr, DUET_E_USAGE,
                             "--confidence %s: it must lie between 0 and 1", value);
        }
        return code;
    case OPTION_SEED:
        return parse_whole(value, "--seed", 0, INT64_MAX, &request->seed, reterr);
    case OPTION_THREADS:
        code = parse_whole(value, "--threads", 1, 1024, &threads, reterr);
        request->threads = code == DUET_OK ? (int)threads : request->threads;
        return code;
    case OPTION_CSV:
        request->csv = value;
        return DUET_OK;
    case OPTION_QUIET:
        request->quiet = true;
        return DUET_OK;
    default:
        return take_sequential(&request->sequential, id, value, reterr);
    }
}

/* What both studies take, into the plan of the one that was asked for. */
static enum duet_code complete_plan(struct study_request *request, enum study study,
                                    struct duet_error *reterr)
{
    int models =
        study == STUDY_COVERAGE ? (int)STUDY_MODELS : (int)STUDY_SEQUENTIAL_MODELS;
    int model = 0;
    enum duet_code code = find_data(request->data, models, &model, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct study_coverage_plan *covered = &request->coverage;
    struct study_sequential_plan *sequenced = &request->sequential;
    covered->confidence = sequenced->confidence = request->confidence;
    covered->seed = sequenced->seed = request->seed;
    covered->threads = sequenced->threads = request->threads;
    covered->samples = request->samples > 0 ? request->samples : 2000;
    sequenced->samples = request->samples > 0 ? request->samples : 10000;
    covered->model = (enum study_model)model;
    sequenced->model = model;
    return DUET_OK;
}

static int study_main(const struct cli_command *command, int argc, char **argv)
{
    static const char *const studies[STUDIES] = {"coverage", "sequential"};
    struct study_request request = {.coverage = {.replicates = 1000},
                                    .sequential = {.noise = 0.01,
                                                   .location = STATS_LOCATION_MEDIAN,
                                                   .iterations = 5,
                                                   .blocks = 60},
                                    .confidence = 0.99,
                                    .seed = 1};
    struct duet_error error = {0};
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count != 1) {
        return count == 0
                   ? cli_usage(command, "which study? There is: coverage, sequential")
                   : cli_usage(command, "'%s' is one word too many", operands[1]);
    }
    for (int study = 0; study < STUDIES; study++) {
        if (strcmp(operands[0], studies[study]) == 0) {
            return complete_plan(&request, (enum study)study, &error) == DUET_OK
                       ? run_study(&request, (enum study)study)
                       : cli_fail(&error);
        }
    }
    return cli_usage(command, "there is no study '%s'; there is: coverage, sequential",
                     operands[0]);
}

const struct cli_command command_study = {
    .name = "study",
    .synopsis = "[OPTIONS] coverage|sequential",
    .summary = "study the method itself, on simulated data",
    .description =
        "coverage: how often does each interval hold the truth, with 3, 5, 10, 20 and "
        "30 independent values? Simulates normal, log-normal, Pareto-tailed, bimodal, "
        "autocorrelated and two-level data and analyses it as measured data is.\n"
        "\n"
        "sequential: how often is a verdict wrong that is looked for after every "
        "block, "
        "and how soon is it there? Simulates the times of two positions, lets a coin "
        "assign the sides to them, and looks up to --blocks times. 'wrong' counts "
        "verdicts against the truth, 'missed' experiments whose interval ever lost it; "
        "both may be at most 1 - P.\n"
        "\n"
        "Interrupted, they print what is done. The tables of the documentation come "
        "from this command (docs/method.md).",
    .options = study_rows,
    .main = study_main,
};
