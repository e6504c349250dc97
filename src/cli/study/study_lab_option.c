#include "cli/study/study_lab_option.h"

#include "session/warmup_rule.h"

#include <string.h>

static const uint64_t default_budget_ns = UINT64_C(3600000000000);
static const uint64_t quick_budget_ns = UINT64_C(30000000000);
static const uint64_t default_duration_ns = UINT64_C(100000000);
static const uint64_t quick_duration_ns = UINT64_C(20000000);

static const uint64_t not_given = UINT64_MAX;

const struct field study_lab_fields[] = {STUDY_LAB_FIELDS(struct study_lab_request, ),
                                         FIELD_END};

struct study_lab_request study_lab_request_default(void)
{
    return (struct study_lab_request){.options = {.analysis = {.replicates = 10000,
                                                               .sample_runs = 10,
                                                               .confidence = 0.99,
                                                               .seed = 1},
                                                  .budget_ns = not_given,
                                                  .runs = 10,
                                                  .duration_ns = not_given}};
}

enum duet_code study_lab_option_take(struct study_lab_request *request, int id,
                                     const char *value, struct duet_error *reterr)
{
    struct study_lab_options *options = &request->options;
    if (id == LAB_OPTION_WARMUP) {
        return warmup_rule_take(value, &options->analysis.cleaning, reterr);
    }
    if (options->only_count == STUDY_LAB_ONLY_MAX) {
        return error_set(reterr, DUET_E_USAGE, "--only: at most %d patterns",
                         STUDY_LAB_ONLY_MAX);
    }
    options->only[options->only_count++] = value;
    return DUET_OK;
}

void study_lab_request_settle(struct study_lab_request *request, char *const *operands,
                              int count)
{
    struct study_lab_options *options = &request->options;
    options->commands = operands;
    options->command_count = (size_t)count;
    request->common.store = options->store;
    request->common.pictures = options->pictures;
    if (options->budget_ns == not_given) {
        options->budget_ns = request->quick ? quick_budget_ns : default_budget_ns;
    }
    if (options->duration_ns == not_given) {
        options->duration_ns = request->quick ? quick_duration_ns : default_duration_ns;
    }
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    return study_lab_option_take(context, id, parsed->value, reterr);
}

int study_lab_refuse_shares(const struct cli_command *command, int argc, char **argv)
{
    static const char engine[] = "--engine";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], engine, sizeof engine - 1) == 0 ||
            strncmp(argv[i], "--part", 6) == 0) {
            return cli_usage(command,
                             "%s: this study measures on this machine, and what it "
                             "measures cannot be split; 'duet fleet submit' measures a "
                             "suite on many machines",
                             argv[i]);
        }
    }
    return -1;
}

int study_lab_main(const struct cli_command *command, int argc, char **argv,
                   const char *label, const char *set,
                   enum duet_code (*study)(void *context, struct study_session *session,
                                           struct duet_error *reterr))
{
    struct study_lab_request request = study_lab_request_default();
    char **operands = NULL;
    int count = 0;
    int status = study_lab_refuse_shares(command, argc, argv);
    if (status < 0) {
        status =
            cli_options_parse(command, argc, argv, take, &request, &operands, &count);
    }
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
