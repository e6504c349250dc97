#include "cli/study/study_lab_option.h"

#include "base/parse.h"
#include "session/warmup_rule.h"

#include <string.h>

static const uint64_t default_budget_ns = UINT64_C(3600000000000);
static const uint64_t quick_budget_ns = UINT64_C(30000000000);
static const uint64_t default_duration_ns = UINT64_C(100000000);
static const uint64_t quick_duration_ns = UINT64_C(20000000);

struct study_lab_request study_lab_request_default(void)
{
    return (struct study_lab_request){
        .options = {.analysis = {.replicates = 10000, .sample_runs = 10},
                    .budget_ns = default_budget_ns,
                    .runs = 10,
                    .duration_ns = default_duration_ns},
        .common = {.confidence = 0.99, .seed = 1}};
}

/* Words that are kept as they are. */
static bool take_word(struct study_lab_request *request, int id, const char *value)
{
    struct study_lab_options *options = &request->options;
    switch (id) {
    case LAB_OPTION_STORE:
        options->store = value;
        return true;
    case LAB_OPTION_PLATFORM:
        options->platform = value;
        return true;
    case LAB_OPTION_SUITE:
        options->suite_file = value;
        return true;
    case LAB_OPTION_SUITE_NAME:
        options->suite_name = value;
        return true;
    case LAB_OPTION_CPUS:
        options->cpus = value;
        return true;
    case LAB_OPTION_PICTURES:
        options->pictures = value;
        return true;
    case LAB_OPTION_SET:
        options->set = value;
        return true;
    case LAB_OPTION_QUICK:
        request->quick = true;
        return true;
    default:
        return false;
    }
}

bool study_lab_option_take(struct study_lab_request *request, int id, const char *value,
                           enum duet_code *ret_code, struct duet_error *reterr)
{
    struct study_lab_options *options = &request->options;
    *ret_code = DUET_OK;
    switch (id) {
    case LAB_OPTION_BUDGET:
        request->budget_given = true;
        *ret_code = parse_duration_ns(value, "--budget", &options->budget_ns, reterr);
        return true;
    case LAB_OPTION_DURATION:
        request->duration_given = true;
        *ret_code =
            parse_duration_ns(value, "--duration", &options->duration_ns, reterr);
        return true;
    case LAB_OPTION_RUNS:
        *ret_code = parse_whole(value, "--runs", 2, 100000, &options->runs, reterr);
        return true;
    case LAB_OPTION_ITERATIONS:
        *ret_code = parse_whole(value, "--iterations", 1, 1000000, &options->iterations,
                                reterr);
        return true;
    case LAB_OPTION_SAMPLE:
        *ret_code = parse_whole(value, "--sample-runs", 0, INT64_MAX,
                                &options->analysis.sample_runs, reterr);
        return true;
    case LAB_OPTION_REPLICATES:
        *ret_code = parse_whole(value, "--replicates", 100, 10000000,
                                &options->analysis.replicates, reterr);
        return true;
    case LAB_OPTION_ONLY:
        if (options->only_count == STUDY_LAB_ONLY_MAX) {
            *ret_code = error_set(reterr, DUET_E_USAGE, "--only: %d patterns at most",
                                  STUDY_LAB_ONLY_MAX);
        } else {
            options->only[options->only_count++] = value;
        }
        return true;
    case LAB_OPTION_WARMUP:
        *ret_code = warmup_rule_take(value, &options->analysis.cleaning, reterr);
        return true;
    default:
        return take_word(request, id, value) ||
               study_option_take(&request->common, id, value, ret_code, reterr);
    }
}

void study_lab_request_settle(struct study_lab_request *request, char *const *operands,
                              int count)
{
    struct study_lab_options *options = &request->options;
    options->analysis.confidence = request->common.confidence;
    options->analysis.seed = request->common.seed;
    options->commands = operands;
    options->command_count = (size_t)count;
    if (request->quick && !request->budget_given) {
        options->budget_ns = quick_budget_ns;
    }
    if (request->quick && !request->duration_given) {
        options->duration_ns = quick_duration_ns;
    }
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    (void)study_lab_option_take(context, id, parsed->value, &code, reterr);
    return code;
}

int study_lab_main(const struct cli_command *command, int argc, char **argv,
                   const char *label, const char *set,
                   enum duet_code (*study)(void *context, struct study_session *session,
                                           struct duet_error *reterr))
{
    struct study_lab_request request = study_lab_request_default();
    char **operands = NULL;
    int count = 0;
    int status =
        cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    if (status >= 0) {
        return status;
    }
    if (count == 0 && request.options.set == NULL &&
        request.options.suite_file == NULL) {
        request.options.set = set;
    }
    study_lab_request_settle(&request, operands, count);
    return study_run(&request.common, label, study, &request.options);
}
