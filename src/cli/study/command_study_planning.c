/* duet study planning, and duet plan --like: the cheapest measurement that finds a
 * wanted slowdown */
#include "base/alloc.h"
#include "base/parse.h"
#include "cli/commands.h"
#include "cli/options/plan_like.h"
#include "cli/study/dataset_option.h"
#include "cli/study/study_sharing.h"
#include "figures/planning_table.h"
#include "study/lab/planning_all.h"

#include <stdlib.h>

enum planning_option { OPTION_INSTANCE_COST = CLI_OPTION_FIRST, OPTION_TRIAL_COST };

static const struct cli_option planning_rows[] = {
    {"effect", 0, "P", CLI_OPTION_SETTING, "Find this slowdown. Default: 5%."},
    {"found", 0, "P", CLI_OPTION_SETTING,
     "Require that this share of the draws finds it. Default: 95%."},
    {"sampling", 0, "ibs|tbs|pairs", CLI_OPTION_SETTING,
     "Plan to measure the two versions on different instances (ibs), on the same "
     "(tbs), or side by side (pairs). Default: tbs; pairs for data with pairs."},
    {"test", 0, "wrs|ci|ratio", CLI_OPTION_SETTING,
     "Plan to compare them by this test. Default: wrs; ratio for data with pairs."},
    {"instance-cost", 0, "N", OPTION_INSTANCE_COST,
     "Set the cost of an instance beside its trials, in iterations. Default: 100."},
    {"trial-cost", 0, "N", OPTION_TRIAL_COST,
     "Set the cost of a trial beside its iterations (such as warm-up), in "
     "iterations. Default: 10."},
    {"draws", 0, "N", CLI_OPTION_SETTING,
     "Draw N groups for each size. Default: "
     "100."},
    {"replicates", 0, "N", CLI_OPTION_SETTING,
     "Draw N bootstrap replicates. "
     "Default: 200."},
    {"confidence", 0, "P", CLI_OPTION_SETTING,
     "Set the confidence of the test. "
     "Default: 0.95."},
    {"export-svg", 0, "FILE", CLI_OPTION_SETTING,
     "Write a picture of the answer to FILE, as SVG."},
    DATASET_OPTION_ROWS,
    STUDY_OPTION_ROWS,
    STUDY_SHARE_ROWS,
    CLI_OPTION_END_ROWS};

struct planning_request {
    struct study_planning planning;
    struct study_sharing sharing;
    struct dataset_options data;
    char **words;
    int count;
};

#define AT struct planning_request
static const struct field planning_fields[] = {
    FIELD_DOUBLE("--effect", FIELD_IS_CHANGE, AT, planning.effect),
    FIELD_DOUBLE("--found", FIELD_IS_FRACTION, AT, planning.found_least),
    FIELD_WORD("--sampling", AT, planning.sampling, study_sampling_names),
    FIELD_WORD("--test", AT, planning.test, study_test_names),
    FIELD_SIZE("--draws", AT, planning.draws, 1, 10000),
    FIELD_SIZE("--replicates", AT, planning.replicates, 20, 10000),
    FIELD_TEXT("--export-svg", AT, sharing.common.svg),
    STUDY_FIELDS(AT, planning, planning.confidence, sharing.common),
    STUDY_SHARE_FIELDS(AT, sharing),
    FIELD_END};
#undef AT

static enum duet_code show(const struct planning_request *request,
                           const struct planning_answer *answer,
                           struct study_session *session, struct duet_error *reterr)
{
    planning_table_append(&session->table, answer);
    planning_table_append_records(&session->csv, &session->json, answer);
    const char *svg = request->sharing.common.svg;
    return svg == NULL ? DUET_OK : planning_picture_write(svg, answer, reterr);
}

static enum duet_code answer_all(const struct planning_request *request,
                                 const struct dataset_loaded *loaded,
                                 struct study_session *session,
                                 struct duet_error *reterr)
{
    struct planning_answer answer = {
        .dataset = &loaded->dataset,
        .planning = &request->planning,
        .rows = alloc_array(loaded->dataset.configuration_count, sizeof *answer.rows)};
    struct duet_error error = {0};
    if (answer.rows == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = planning_all(&answer, session, reterr);
    if (study_session_shows(session, code)) {
        dataset_describe(&session->table, loaded, &request->data);
        enum duet_code shown = show(request, &answer, session, &error);
        if (shown != DUET_OK) {
            code = error_set(reterr, shown, "%s", error.message);
        }
    }
    free(answer.rows);
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
    study_planning_choose(&request->planning, loaded.dataset.olds != NULL);
    code = answer_all(request, &loaded, session, reterr);
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

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct planning_request *request = context;
    struct study_planning *planning = &request->planning;
    const char *value = parsed->value;
    enum duet_code code = DUET_OK;
    switch (id) {
    case OPTION_INSTANCE_COST:
        return take_number(value, "--instance-cost", &planning->instance_cost, reterr);
    case OPTION_TRIAL_COST:
        return take_number(value, "--trial-cost", &planning->trial_cost, reterr);
    default:
        if (!study_share_take(&request->sharing, id, value, &code, reterr)) {
            (void)dataset_option_take(&request->data, id, value, &code, reterr);
        }
        return code;
    }
}

static struct planning_request usual_request(void)
{
    return (struct planning_request){
        .planning = {.effect = 0.05,
                     .sampling = STUDY_SAMPLINGS,
                     .test = STUDY_TESTS,
                     .delta_least = MODEL_RANKSUM_DELTA_LEAST,
                     .found_least = 0.95,
                     .false_most = 0.05,
                     .instance_cost = 100,
                     .trial_cost = 10,
                     .draws = 100,
                     .replicates = 200,
                     .confidence = 0.95,
                     .seed = 1},
        .sharing = STUDY_SHARING_DEFAULT,
        .data = dataset_options_default(),
    };
}

int plan_like(const struct plan_like *like)
{
    int status = CLI_EXIT_OK;
    for (size_t i = 0; i < like->count && status == CLI_EXIT_OK; i++) {
        char *copy = alloc_string(like->word);
        struct planning_request request = usual_request();
        struct study_planning *planning = &request.planning;
        planning->effect = like->effects[i];
        if (like->found_least > 0.0) {
            planning->found_least = like->found_least;
        }
        if (like->confidence > 0.0) {
            planning->confidence = like->confidence;
        }
        request.sharing.common.json = like->json;
        request.data.store = request.sharing.common.store = like->store;
        request.words = &copy;
        request.count = 1;
        if (copy == NULL) {
            struct duet_error error;
            (void)error_no_memory(&error);
            return cli_fail(&error);
        }
        status = study_run(&request.sharing.common, "planning", study, &request);
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
        status = cli_usage(command, "expected at least one DATA file");
    } else if (status < 0) {
        request.sharing.common.store = request.data.store;
        status = study_share_run(command, argc, argv, &request.sharing, "planning",
                                 study, &request);
    }
    study_sharing_release(&request.sharing);
    dataset_options_release(&request.data);
    return status;
}

const struct cli_command command_study_planning = {
    .name = "study planning",
    .measures = true,
    .synopsis = "[OPTIONS] [ENVIRONMENT=]DATA...",
    .summary = "find the cheapest measurement that sees a slowdown",
    .description =
        "Finds, from measurements of each benchmark, the cheapest instances x "
        "trials x iterations of a version that see a slowdown of --effect. Tries "
        "sizes from the cheapest on, with groups drawn from half of the instances. "
        "Then checks the first that suffices on the other half "
        "(docs/variability.md).\n\n"
        "'duet plan --like DATA' is the same with the usual options.\n\n"
        "Interrupted, it prints what is done; --resume goes on.",
    .options = planning_rows,
    .examples =
        CLI_EXAMPLES({"Find the cheapest measurement that sees a slowdown of 5 %:",
                      "duet study planning --effect 5% aws.csv"},
                     {"Find it for versions that run on different machines:",
                      "duet study planning --effect 10% --sampling ibs aws.csv"}),
    .operand = "FILE",
    .fields = planning_fields,
    .main = planning_main,
};
