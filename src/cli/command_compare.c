/* duet compare A B: files of other programs, or stored experiments, side by side */
#include "base/alloc.h"
#include "cli/commands.h"
#include "cli/gate_say.h"
#include "cli/history/baseline_carry.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "session/comparison/analysis_setting.h"
#include "session/comparison/gating.h"
#include "session/comparison/recorded_several.h"
#include "session/storage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum compare_option { OPTION_SIDE = CLI_OPTION_FIRST };

static const struct cli_option compare_rows[] = {
    {"side", 0, "old|new", OPTION_SIDE,
     "Compare this side of two stored experiments: old or new. Default: new."},
    ANALYSIS_OPTION_ROWS,
    SHARED_OPTION_GATE_ROWS,
    BASELINE_OPTION_WITH_ROWS,
    {"seed", 0, "N", SHARED_OPTION_SEED,
     "Seed the random choices of the analysis. Default: the experiment's; 0 for "
     "files."},
    FOREIGN_OPTION_ROWS,
    SHARED_OPTION_STORE_READ_ROW,
    OUTPUT_OPTION_ROWS,
    CLI_OPTION_END_ROWS};

struct compare_request {
    struct model_analysis analysis;
    struct analysis_overrides overrides;
    struct output_options output;
    struct foreign_options foreign;
    struct baseline_options baseline;
    const char *store;
    enum model_side side;
    bool side_given;
    const char *of_files; /* an option that says how files are read; NULL: none */
    bool seed_given;
    char **operands;
    size_t count;
};

static enum duet_code take_side(struct compare_request *request, const char *value,
                                struct duet_error *reterr)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        if (strcmp(value, model_side_name((enum model_side)side)) == 0) {
            request->side = (enum model_side)side;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE, "--side %s: expected old or new", value);
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct compare_request *request = context;
    const struct shared_options shared = {.analysis = &request->analysis,
                                          .output = &request->output,
                                          .foreign = &request->foreign,
                                          .overrides = &request->overrides,
                                          .store = &request->store,
                                          .seed = &request->analysis.seed,
                                          .seed_given = &request->seed_given};
    enum duet_code code = DUET_OK;
    if (id == OPTION_SIDE) {
        request->side_given = true;
        return take_side(request, parsed->value, reterr);
    }
    if (id >= FOREIGN_OPTION_FORMAT && id <= FOREIGN_OPTION_SCHEDULE &&
        id != FOREIGN_OPTION_OLD && id != FOREIGN_OPTION_NEW) {
        request->of_files = parsed->name;
    }
    if (baseline_option_take(&request->baseline, parsed, id, &code, reterr)) {
        return code;
    }
    (void)shared_option_take(&shared, parsed, id, &code, reterr);
    return code;
}

/* What a word names that is no file is looked up in the store. */
static bool is_file(const char *operand)
{
    struct stat status;
    return strcmp(operand, "-") == 0 ||
           (stat(operand, &status) == 0 && !S_ISDIR(status.st_mode)) ||
           strchr(operand, '/') != NULL;
}

static enum duet_code check_operands(const struct compare_request *request,
                                     struct duet_error *reterr)
{
    bool first = is_file(request->operands[0]);
    if (request->count < 2 || is_file(request->operands[1]) == first) {
        return DUET_OK;
    }
    return error_set(reterr, DUET_E_USAGE,
                     "'%s' is a file and '%s' is not: compare two files, or two stored "
                     "experiments (duet import stores files as one)",
                     request->operands[first ? 0 : 1],
                     request->operands[first ? 1 : 0]);
}

/* One experiment's own sides, and what belongs to it: what `duet show` says. */
static enum duet_code recall(const struct compare_request *request, struct store *store,
                             int *ret_status, struct duet_error *reterr)
{
    struct answer *answers = NULL;
    int64_t *ids = NULL;
    size_t count = 0;
    size_t made = 0;
    size_t left = 0; /* of a suite: one alone is asked for */
    enum duet_code code =
        gating_find(store, request->operands, 1, &ids, &count, &left, reterr);
    if (code == DUET_OK) {
        answers = alloc_array(count, sizeof *answers);
        code = answers == NULL ? error_no_memory(reterr)
                               : answers_recall(store, ids, count, &request->overrides,
                                                answers, reterr);
        made = code == DUET_OK ? count : 0;
    }
    if (code == DUET_OK) {
        code = output_answers(&request->output, store, answers, count, reterr);
    }
    if (code == DUET_OK) {
        *ret_status =
            gate_say(answers, count, count > 1, request->output.verbosity == 0);
    }
    answers_free(answers, made);
    free(ids);
    return code;
}

/* Benchmarks that both files have; those of one file are named. */
static enum duet_code compare_files(struct compare_request *request, bool quiet,
                                    int *ret_status, struct duet_error *reterr)
{
    const struct formats_request *files = &request->foreign.request;
    request->output.scratch = true;
    struct formats_foreign foreign = {.count = 0};
    struct answer *answers = NULL;
    struct store *scratch = NULL;
    size_t count = 0;
    enum duet_code code = formats_foreign_read(files, &foreign, reterr);
    if (code == DUET_OK) {
        count = foreign.count;
        foreign_warn(&foreign);
    }
    if (code == DUET_OK && output_needs_store(&request->output)) {
        code = store_open_scratch(&scratch, reterr);
    }
    if (code == DUET_OK) {
        code = recorded_several(&foreign, formats_request_last(files),
                                foreign_options_schedule(&request->foreign),
                                &request->analysis, scratch, &answers, reterr);
    }
    if (code == DUET_OK) {
        code = output_answers(&request->output, scratch, answers, count, reterr);
    }
    if (code == DUET_OK) {
        *ret_status = gate_say(answers, count, foreign.several, quiet);
    }
    answers_free(answers, count);
    store_close(scratch);
    formats_foreign_release(&foreign);
    return code;
}

/* Sides that were not measured together. What holds the raw data reads it from a store:
 * one of its own. */
static enum duet_code compare_apart(struct compare_request *request,
                                    struct store *store, struct answer *answer,
                                    struct duet_error *reterr)
{
    struct recorded_apart apart = {.store = store,
                                   .which = request->operands,
                                   .side = request->side,
                                   .analysis = &request->analysis,
                                   .seed_given = request->seed_given};
    enum duet_code code = DUET_OK;
    request->output.scratch = true;
    if (output_needs_store(&request->output)) {
        code = store_open_scratch(&apart.scratch, reterr);
    }
    if (code == DUET_OK) {
        code = recorded_answer_apart(&apart, answer, reterr);
    }
    if (code == DUET_OK) {
        code = output_answers(&request->output, apart.scratch, answer, 1, reterr);
    }
    store_close(apart.scratch);
    return code;
}

/* A word with a dot was meant as a file, most likely. */
static enum duet_code say_no_file(const struct compare_request *request,
                                  enum duet_code code, struct duet_error *reterr)
{
    for (size_t i = 0; i < request->count && code == DUET_E_NOT_FOUND; i++) {
        if (strchr(request->operands[i], '.') != NULL) {
            struct duet_error found = *reterr;
            return error_set(reterr, code, "there is no file '%s' here, and %s",
                             request->operands[i], found.message);
        }
    }
    return code;
}

/* One stored experiment or two. */
static enum duet_code compare_stored(struct compare_request *request, bool quiet,
                                     int *ret_status, struct duet_error *reterr)
{
    struct answer answer = {0};
    struct store *store = NULL;
    bool apart = request->count > 1;
    enum duet_code code = storage_open(request->store, false, &store, reterr);
    if (code == DUET_OK) {
        code = apart ? compare_apart(request, store, &answer, reterr)
                     : recall(request, store, ret_status, reterr);
    }
    code = say_no_file(request, code, reterr);
    if (code == DUET_OK && apart) {
        *ret_status = gate_say(&answer, 1, false, quiet);
    }
    answer_release(&answer);
    store_close(store);
    return code;
}

/* What would be ignored. Returns -1 where there is nothing such. */
static int refuse_ignored(const struct cli_command *command,
                          const struct compare_request *request)
{
    const char *first = request->count > 0 ? request->operands[0] : NULL;
    bool baseline = request->baseline.with != NULL;
    bool stored = !baseline && first != NULL && !is_file(first);
    if (request->of_files != NULL && baseline) {
        return cli_usage(command, "--%s is for files, and --baseline takes none",
                         request->of_files);
    }
    if (request->of_files != NULL && stored) {
        return cli_usage(command,
                         "--%s is for files, and there is no file '%s' here: leave it "
                         "out, or name a file",
                         request->of_files, first);
    }
    return request->side_given && !(stored && request->count > 1)
               ? cli_usage(command,
                           "--side is for two stored experiments: leave it out")
               : -1;
}

static int compare(struct compare_request *request)
{
    struct duet_error error = {0};
    int status = CLI_EXIT_OK;
    bool quiet = request->output.verbosity == 0;
    bool stored = request->count > 0 && !is_file(request->operands[0]);
    enum duet_code code =
        request->count > 0 ? check_operands(request, &error) : DUET_OK;
    if (code == DUET_OK && !(stored && request->count == 1)) {
        code = analysis_setting_check(&request->analysis, &error);
    }
    if (code == DUET_OK && !stored) {
        code = foreign_options_settle(&request->foreign, request->operands,
                                      request->count, &error);
    }
    if (code == DUET_OK) {
        code = stored ? compare_stored(request, quiet, &status, &error)
                      : compare_files(request, quiet, &status, &error);
    }
    return code == DUET_OK ? status : cli_fail(&error);
}

/* What was measured since of each benchmark of the baseline. */
static enum duet_code newest_of_each(const struct compare_request *request,
                                     struct store *store, int64_t **ret_ids,
                                     size_t *ret_count, struct duet_error *reterr)
{
    const char *name = request->baseline.with;
    struct text missing = {0};
    enum duet_code code =
        baseline_successors(store, name, ret_ids, ret_count, &missing, reterr);
    if (code == DUET_OK && missing.length > 0) {
        cli_warn("since baseline '%s' nothing was measured of %s: measure it, or name "
                 "experiments",
                 name, text_string(&missing));
    }
    text_release(&missing);
    return code;
}

/* An experiment, or what was measured since, with a baseline. */
static int compare_baseline(struct compare_request *request)
{
    struct store *store = NULL;
    struct duet_error error = {0};
    struct store_experiment experiment = {0};
    int64_t *ids = NULL;
    size_t count = 1;
    int status = CLI_EXIT_OK;
    enum duet_code code = storage_open(request->store, false, &store, &error);
    if (code == DUET_OK && request->count == 0) {
        code = newest_of_each(request, store, &ids, &count, &error);
    } else if (code == DUET_OK) {
        code = store_experiment_find(store, request->operands[0], &experiment, &error);
    }
    if (code == DUET_OK) {
        const int64_t one = experiment.id;
        request->baseline.overrides = &request->overrides;
        status = baseline_compare(&request->baseline, &request->output, store,
                                  ids != NULL ? ids : &one, count);
    }
    free(ids);
    store_experiment_release(&experiment);
    store_close(store);
    return code == DUET_OK ? status : cli_fail(&error);
}

static int compare_main(const struct cli_command *command, int argc, char **argv)
{
    struct compare_request request = {.analysis = analysis_setting_default(),
                                      .output = {.verbosity = 1},
                                      .side = MODEL_NEW};
    int count = 0;
    int status = cli_options_parse(command, argc, argv, take, &request,
                                   &request.operands, &count);
    request.count = (size_t)count;
    status = status >= 0 ? status : refuse_ignored(command, &request);
    if (status >= 0) {
        foreign_options_release(&request.foreign);
        return status;
    }
    bool files = foreign_options_has_files(&request.foreign);
    if (files && request.baseline.with != NULL) {
        status =
            cli_usage(command, "--baseline takes a stored experiment, and no files: "
                               "leave --old and --new out");
    } else if (files && request.count > 0) {
        status =
            cli_usage(command,
                      "'%s' is neither of --old nor of --new: name all files behind "
                      "one of them",
                      request.operands[0]);
    } else if (request.baseline.with != NULL) {
        status = request.count > 1
                     ? cli_usage(command,
                                 "--baseline is one side, and takes one experiment for "
                                 "the other: leave '%s' out",
                                 request.operands[1])
                     : compare_baseline(&request);
    } else if (request.count == 0 && !files) {
        status = cli_usage(
            command,
            "nothing to compare: name two files or experiments, or one that has both sides");
    } else if (request.count > 2) {
        status = cli_usage(command,
                           "unexpected argument '%s'; several files of a side: --old "
                           "FILE... --new FILE...",
                           request.operands[2]);
    } else {
        status = compare(&request);
    }
    foreign_options_release(&request.foreign);
    return status;
}

const struct cli_command command_compare = {
    .name = "compare",
    .synopsis = "[OPTIONS] {A [B] | --old FILE... --new FILE...}",
    .summary = "compare files of other programs, or stored experiments",
    .description =
        "A and B are files: plain numbers (one a line), CSV with named columns, or what "
        "a benchmark tool wrote. Tools are hyperfine, JMH, Google Benchmark, go test "
        "-bench, pytest-benchmark, pyperf, Criterion, divan, Catch2 and others. Files may "
        "be compressed (gzip, xz, zstd, bzip2, lz4); '-' is standard "
        "input. A is old and B is new. Benchmarks of both files are matched by "
        "name and judged together. One file is enough when it holds both sides (a "
        "side column, or two results).\n\n"
        "A and B may also be experiments in the store (number, beginning of the "
        "uuid, name, 'last'). Of two, the new sides are compared. Of one, its own "
        "sides, as 'duet show' does. Anything with a slash in it is a file.\n\n"
        "With --baseline NAME, the new side of one experiment, or of the newest of each "
        "benchmark of the baseline, is compared with what was saved under that name.\n\n"
        "Pairs are compared as pairs. Everything else is compared by Welch's t on "
        "the means of the runs, or on the values where there are no runs; these are "
        "assumed to be independent. Values of one process a side decide nothing, "
        "since it is unknown how processes differ. Several files of a side are "
        "different processes.\n\n"
        "Nothing is stored; for that, see duet import.\n\n"
        "Exit status: 0 fine; 1 a verdict of --fail-on, or slower than "
        "--max-slowdown; 2 wrong usage, or a file that cannot be read; 3 unsure, "
        "and --fail-on names it.",
    .options = compare_rows,
    .examples = CLI_EXAMPLES(
        {"Compare two files of numbers, one a line:", "duet compare old.txt new.txt"},
        {"Compare what two processes of each side wrote:",
         "duet compare --old old-1.json old-2.json --new new-1.json new-2.json"},
        {"Compare what was measured since a baseline was saved with it:",
         "duet compare --baseline main --fail-on slower"}),
    .operand = "FILE",
    .main = compare_main,
};
