/* duet study planning, and duet plan --like: the cheapest measurement that finds a
 * wanted slowdown */
#include "base/alloc.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/dataset_names.h"
#include "cli/dataset_option.h"
#include "cli/plan_like.h"
#include "cli/study_records.h"
#include "study/study_planning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum planning_option {
    OPTION_EFFECT = CLI_OPTION_FIRST,
    OPTION_FOUND,
    OPTION_SAMPLING,
    OPTION_TEST,
    OPTION_INSTANCE_COST,
    OPTION_TRIAL_COST,
    OPTION_DRAWS,
    OPTION_REPLICATES
};

static const struct cli_option planning_rows[] = {
    {"effect", 0, "P", OPTION_EFFECT, "The slowdown to be found. Default: 5%."},
    {"found", 0, "P", OPTION_FOUND,
     "Share of the draws that must find it. Default: 95%."},
    {"sampling", 0, "ibs|tbs|pairs", OPTION_SAMPLING,
     "How the two versions will be measured: on different instances, on the same, or "
     "side by side. Default: tbs, with pairs pairs."},
    {"test", 0, "wrs|ci|ratio", OPTION_TEST,
     "How they will be compared. Default: wrs, with pairs ratio."},
    {"instance-cost", 0, "N", OPTION_INSTANCE_COST,
     "What an instance costs beside its trials, in iterations. Default: 100."},
    {"trial-cost", 0, "N", OPTION_TRIAL_COST,
     "What a trial costs beside its iterations (such as warm-up), in iterations. "
     "Default: 10."},
    {"draws", 0, "N", OPTION_DRAWS, "Groups drawn for a size. Default: 100."},
    {"replicates", 0, "N", OPTION_REPLICATES, "Bootstrap replicates. Default: 200."},
    {"confidence", 0, "P", STUDY_OPTION_CONFIDENCE, "Of the test. Default: 0.95."},
    DATASET_OPTION_ROWS,
    STUDY_OPTION_ROWS,
    CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

struct planning_request {
    struct study_planning planning;
    bool has_sampling;
    bool has_test;
    struct study_common common;
    struct dataset_options data;
    char **words;
    int count;
};

static void append_planned(struct text *text, const struct study_planned *planned)
{
    if (!planned->found) {
        text_append(text, "  not within this data\n");
        return;
    }
    text_append_format(text, "%10zu%8zu%12zu%9.6g%8.0f%10.0f%8.0f\n",
                       planned->instances, planned->trials, planned->iterations,
                       planned->cost, 100.0 * planned->found_share,
                       100.0 * planned->held_out_found,
                       100.0 * planned->held_out_false);
}

static void append_record(struct study_records *records,
                          const struct model_dataset *dataset, size_t configuration,
                          const struct study_planning *planning,
                          const struct study_planned *planned)
{
    static const double unknown = (double)NAN;
    bool found = planned->found;
    study_records_text(records, model_dataset_benchmark(dataset, configuration));
    study_records_text(records, model_dataset_environment(dataset, configuration));
    study_records_text(records, study_sampling_name(planning->sampling));
    study_records_text(records, study_test_name(planning->test));
    study_records_number(records, 100.0 * planning->effect);
    study_records_number(records, found ? (double)planned->instances : unknown);
    study_records_number(records, found ? (double)planned->trials : unknown);
    study_records_number(records, found ? (double)planned->iterations : unknown);
    study_records_number(records, found ? planned->cost : unknown);
    study_records_number(records, found ? 100.0 * planned->found_share : unknown);
    study_records_number(records, found ? 100.0 * planned->held_out_found : unknown);
    study_records_number(records, found ? 100.0 * planned->held_out_false : unknown);
}

static enum duet_code plan_all(const struct planning_request *request,
                               const struct model_dataset *dataset,
                               struct study_session *session, struct duet_error *reterr)
{
    static const char *const names[] = {
        "benchmark", "environment",        "sampling",
        "test",      "effect_pct",         "instances",
        "trials",    "iterations",         "cost",
        "found_pct", "held_out_found_pct", "held_out_false_pct"};
    const struct study_planning *planning = &request->planning;
    size_t width = dataset_name_width(dataset);
    enum duet_code code = DUET_OK;
    struct study_records records;
    study_records_begin(&records, "planning", planning->seed, names,
                        sizeof names / sizeof names[0], &session->csv, &session->json);
    text_append_format(
        &session->table,
        "Cheapest group that finds a slowdown of %.4g %% (%s, %s) in "
        "%.4g %% of the draws; cost in\niterations; found, held out and "
        "false in %% of the draws\n\n%-*s %-12s%10s%8s%12s%9s%8s%10s%8s\n",
        100.0 * planning->effect, study_sampling_name(planning->sampling),
        study_test_name(planning->test), 100.0 * planning->found_least, (int)width,
        "benchmark", "environment", "instances", "trials", "iterations", "cost",
        "found", "held out", "false");
    for (size_t c = 0; c < dataset->configuration_count && code == DUET_OK; c++) {
        struct study_planned planned = {.found = false};
        if (!study_session_go_on(session, c, dataset->configuration_count)) {
            code = error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
            break;
        }
        code = study_planning_run(dataset, c, planning, &planned, reterr);
        if (code == DUET_OK) {
            dataset_name_append(&session->table, model_dataset_benchmark(dataset, c),
                                width);
            text_append_format(&session->table, " %-12.12s",
                               model_dataset_environment(dataset, c));
            append_planned(&session->table, &planned);
            append_record(&records, dataset, c, planning, &planned);
        }
    }
    study_records_end(&records);
    return code;
}

static enum duet_code study(void *context, struct study_session *session,
                            struct duet_error *reterr)
{
    struct planning_request *request = context;
    struct dataset_loaded loaded = {.cleaned = NULL};
    enum duet_code code =
        dataset_load(&request->data, request->words, request->count, &loaded, reterr);
    if (code != DUET_OK) {
        return code;
    }
    bool paired = loaded.dataset.olds != NULL;
    if (!request->has_sampling) {
        request->planning.sampling =
            paired ? STUDY_SAMPLING_PAIRS : STUDY_SAMPLING_TRIALS;
    }
    if (!request->has_test) {
        request->planning.test = request->planning.sampling == STUDY_SAMPLING_PAIRS
                                     ? STUDY_TEST_RATIO
                                     : STUDY_TEST_RANKSUM;
    }
    code = plan_all(request, &loaded.dataset, session, reterr);
    dataset_loaded_release(&loaded);
    return code;
}

static enum duet_code take_number(const char *value, const char *option, double *ret,
                                  struct duet_error *reterr)
{
    double number = 0;
    enum duet_code code = parse_number(value, option, &number, reterr);
    if (code == DUET_OK && number < 0) {
        code = error_set(reterr, DUET_E_USAGE, "%s %s: 0 or more", option, value);
    }
    *ret = code == DUET_OK ? number : *ret;
    return code;
}

static enum duet_code take_sampling(struct planning_request *request, const char *value,
                                    struct duet_error *reterr)
{
    for (int s = 0; s < STUDY_SAMPLINGS; s++) {
        if (strcmp(value, study_sampling_name((enum study_sampling)s)) == 0) {
            request->planning.sampling = (enum study_sampling)s;
            request->has_sampling = true;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE, "--sampling %s: ibs, tbs or pairs", value);
}

static enum duet_code take_test(struct planning_request *request, const char *value,
                                struct duet_error *reterr)
{
    for (int t = 0; t < STUDY_TESTS; t++) {
        if (strcmp(value, study_test_name((enum study_test)t)) == 0) {
            request->planning.test = (enum study_test)t;
            request->has_test = true;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE, "--test %s: wrs, ci or ratio", value);
}

static enum duet_code take_whole(const char *value, const char *option, uint64_t least,
                                 size_t *ret, struct duet_error *reterr)
{
    uint64_t number = 0;
    enum duet_code code = parse_whole(value, option, least, 10000, &number, reterr);
    *ret = code == DUET_OK ? (size_t)number : *ret;
    return code;
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct planning_request *request = context;
    struct study_planning *planning = &request->planning;
    const char *value = parsed->value;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_EFFECT:
        return parse_fraction(value, "--effect", &planning->effect, reterr);
    case OPTION_FOUND:
        return parse_fraction(value, "--found", &planning->found_least, reterr);
    case OPTION_SAMPLING:
        return take_sampling(request, value, reterr);
    case OPTION_TEST:
        return take_test(request, value, reterr);
    case OPTION_INSTANCE_COST:
        return take_number(value, "--instance-cost", &planning->instance_cost, reterr);
    case OPTION_TRIAL_COST:
        return take_number(value, "--trial-cost", &planning->trial_cost, reterr);
    case OPTION_DRAWS:
        return take_whole(value, "--draws", 1, &planning->draws, reterr);
    case OPTION_REPLICATES:
        return take_whole(value, "--replicates", 20, &planning->replicates, reterr);
    default:
        if (!dataset_option_take(&request->data, id, value, &code, reterr)) {
            (void)study_option_take(&request->common, id, value, &code, reterr);
        }
        return code;
    }
}

static struct planning_request usual_request(void)
{
    return (struct planning_request){
        .planning = {.effect = 0.05,
                     .delta_least = 0.33,
                     .found_least = 0.95,
                     .false_most = 0.05,
                     .instance_cost = 100,
                     .trial_cost = 10,
                     .draws = 100,
                     .replicates = 200},
        .common = {.confidence = 0.95, .seed = 1},
        .data = dataset_options_default(),
    };
}

static int run(struct planning_request *request)
{
    request->planning.confidence = request->common.confidence;
    request->planning.seed = request->common.seed;
    request->planning.threads = request->common.threads;
    return study_session_run(&request->common, "planning", study, request);
}

int plan_like(const char *word, const char *store, const double *effects, size_t count,
              double found_least)
{
    int status = CLI_EXIT_OK;
    for (size_t i = 0; i < count && status == CLI_EXIT_OK; i++) {
        char *copy = alloc_string(word);
        struct planning_request request = usual_request();
        request.planning.effect = effects[i];
        request.planning.found_least = found_least;
        request.data.store = store;
        request.words = &copy;
        request.count = 1;
        if (copy == NULL) {
            struct duet_error error;
            (void)error_set(&error, DUET_E_NOMEM, "out of memory");
            return cli_fail(&error);
        }
        status = run(&request);
        free(copy);
    }
    return status;
}

static int planning_main(const struct cli_command *command, int argc, char **argv)
{
    struct planning_request request = usual_request();
    int status = cli_options_parse(command, argc, argv, take, &request, &request.words,
                                   &request.count);
    if (status < 0 && request.count == 0) {
        status = cli_usage(command, "which data? Give a file");
    } else if (status < 0) {
        status = run(&request);
    }
    dataset_options_release(&request.data);
    return status;
}

const struct cli_command command_study_planning = {
    .name = "study planning",
    .synopsis = "[OPTIONS] [ENVIRONMENT=]DATA...",
    .summary = "the cheapest measurement that finds a slowdown",
    .description =
        "From measurements of each benchmark: which instances x trials x iterations "
        "of a version find a slowdown of --effect most cheaply? Sizes are tried from "
        "the cheapest on, on groups drawn from half of the instances; the one that "
        "suffices is tried on the other half as well (docs/variability.md).\n"
        "\n"
        "'duet plan --like FILE' is the same with the usual options.",
    .options = planning_rows,
    .main = planning_main,
};
