/* duet study sharing: is it the competition of others that measuring together cancels?
 */
#include "cli/commands.h"
#include "cli/study/study_lab_option.h"
#include "figures/study_pictures.h"
#include "figures/study_shuffle_table.h"
#include "figures/widths_table.h"
#include "study/lab/study_conditions.h"

#include <stdio.h>
#include <string.h>

static const struct cli_option sharing_rows[] = {
    {"stored", 0, NULL, CLI_OPTION_SETTING,
     "Measure nothing: answer from the measurements of an earlier study."},
    {"timeslice", 0, NULL, CLI_OPTION_SETTING,
     "Measure with both sides on one CPU, too."},
    STUDY_LAB_ROWS,
    STUDY_OPTION_CONFIDENCE_ROW,
    STUDY_ANSWER_ROWS,
    CLI_OPTION_END_ROWS};

static const char *const condition_names[STUDY_CONDITIONS] = {"quiet", "busy"};

struct sharing_request {
    struct study_lab_request lab;
    bool stored;
    bool timeslice;
};

#define AT struct sharing_request
static const struct field sharing_fields[] = {FIELD_FLAG("--stored", AT, stored),
                                              FIELD_FLAG("--timeslice", AT, timeslice),
                                              STUDY_LAB_FIELDS(AT, lab.), FIELD_END};
#undef AT

static enum duet_code measure(void *context, struct study_lab *lab,
                              struct study_measured_list lists[STUDY_CONDITIONS],
                              struct duet_error *reterr)
{
    const struct sharing_request *request = context;
    return study_sharing_measure(lab, request->timeslice, lists, reterr);
}

static enum duet_code tell(void *context, struct study_lab *lab,
                           const struct study_measured_list lists[STUDY_CONDITIONS],
                           struct duet_error *reterr)
{
    (void)context;
    struct study_session *session = lab->session;
    struct widths widths = {0};
    enum duet_code code = DUET_OK;
    for (int i = 0; i < STUDY_CONDITIONS && code == DUET_OK; i++) {
        char platform[sizeof lab->platform + 8];
        (void)snprintf(platform, sizeof platform, "%s %s", lab->platform,
                       condition_names[i]);
        code = study_measured_widths(lab, &lists[i], platform, &widths, reterr);
    }
    if (code == DUET_OK) {
        study_shuffle_table(&session->table, &widths);
        text_append_char(&session->table, '\n');
        widths_table_append(&session->table, &widths);
        widths_append_csv(&session->csv, &widths);
    }
    if (code == DUET_OK && lab->options->pictures != NULL) {
        code = study_pictures_sharing(lab->options->pictures, &widths, reterr);
    }
    widths_release(&widths);
    return code;
}

static enum duet_code sharing(void *context, struct study_session *session,
                              struct duet_error *reterr)
{
    const struct sharing_request *request = context;
    const struct study_lab_work work = {measure, tell, context};
    return study_lab_carry_out(&request->lab.options, session, &work, reterr);
}

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct sharing_request *request = context;
    return study_lab_option_take(&request->lab, id, parsed->value, reterr);
}

static int sharing_main(const struct cli_command *command, int argc, char **argv)
{
    struct sharing_request request = {.lab = study_lab_request_default()};
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
    bool named = count > 0 || request.lab.options.set != NULL ||
                 request.lab.options.suite_file != NULL;
    if (request.stored && named) {
        return cli_usage(command, "--stored measures nothing: leave the workloads out");
    }
    if (!request.stored && !named) {
        request.lab.options.set = "all";
    }
    study_lab_request_settle(&request.lab, operands, count);
    return study_run(&request.lab.common, "sharing", sharing, &request);
}

const struct cli_command command_study_sharing = {
    .name = "study sharing",
    .measures = true,
    .synopsis = "[OPTIONS] [COMMAND...]",
    .summary = "measure what duet gains, quiet and under load",
    .description =
        "Asks whether other users of the machine cause synchronized interference. "
        "Compares each COMMAND (or artificial workload; by default all four) with "
        "itself, first on the machine as it is, then beside 'duet stress'. Its load "
        "moves between zero and all of every CPU at least four times during each "
        "workload. The load runs in this system and imitates a neighbour on the "
        "host.",
    .options = sharing_rows,
    .examples = CLI_EXAMPLES(
        {"Measure one workload quietly and under load, for half a minute:",
         "duet study sharing --workload integer --quick"},
        {"Answer again from what is stored:", "duet study sharing --stored"}),
    .operand = "CMD",
    .fields = sharing_fields,
    .main = sharing_main,
};
