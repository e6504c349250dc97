/* duet study ratio: is a known ratio measured where the sides do not take equally long?
 */
#include "cli/commands.h"
#include "cli/study/study_lab_option.h"
#include "figures/study_pictures.h"
#include "figures/study_ratio_table.h"
#include "study/lab/study_conditions.h"

static const struct cli_option ratio_rows[] = {STUDY_LAB_ROWS,
                                               STUDY_OPTION_CONFIDENCE_ROW,
                                               STUDY_ANSWER_ROWS, CLI_OPTION_END_ROWS};

static enum duet_code measure(void *context, struct study_lab *lab,
                              struct study_measured_list lists[2],
                              struct duet_error *reterr)
{
    return study_ratio_measure(lab, context, lists, reterr);
}

static enum duet_code tell(void *context, struct study_lab *lab,
                           const struct study_measured_list lists[2],
                           struct duet_error *reterr)
{
    const struct study_ratio *ratio = context;
    struct study_session *session = lab->session;
    struct widths widths = {0};
    enum duet_code code =
        study_measured_widths(lab, lists, lab->platform, &widths, reterr);
    if (code == DUET_OK) {
        study_ratio_table(&session->table, ratio);
        study_ratio_together(&session->table, &widths);
        study_ratio_csv(&session->csv, ratio, &widths);
    }
    if (code == DUET_OK && lab->options->pictures != NULL) {
        code = study_pictures_ratio(lab->options->pictures, ratio, &widths, reterr);
    }
    if (code == DUET_OK && lab->options->pictures != NULL) {
        struct study_measured_times times = {lab, lists};
        const struct study_samples samples = study_measured_samples(&times);
        code = study_pictures_samples(lab->options->pictures, &samples, &widths, 0,
                                      reterr);
    }
    widths_release(&widths);
    return code;
}

static enum duet_code ratio_study(void *context, struct study_session *session,
                                  struct duet_error *reterr)
{
    struct study_ratio ratio = {.cells = NULL};
    const struct study_lab_work work = {measure, tell, &ratio};
    enum duet_code code = study_lab_carry_out(context, session, &work, reterr);
    study_ratio_release(&ratio);
    return code;
}

static int ratio_main(const struct cli_command *command, int argc, char **argv)
{
    return study_lab_main(command, argc, argv, "ratio", "all", ratio_study);
}

const struct cli_command command_study_ratio = {
    .name = "study ratio",
    .measures = true,
    .synopsis = "[OPTIONS] [COMMAND...]",
    .summary = "check that a known ratio of two sides is measured right",
    .description =
        "Asks whether it matters that one side runs alone after the other has "
        "ended. Compares each artificial workload (by default all four) with one of "
        "exactly twice the work; the ratio must be 2. Without --fill the longer "
        "side runs its second half alone, with --fill never. Measures both quiet "
        "and beside 'duet stress'. Then measures, for COMMANDs too, how much longer "
        "an iteration takes together than alone, which bounds the error.",
    .options = ratio_rows,
    .examples = CLI_EXAMPLES(
        {"Measure a known ratio for half a minute:", "duet study ratio --quick"},
        {"Measure it with one workload only:",
         "duet study ratio --workload integer --budget 5min"}),
    .operand = "CMD",
    .fields = study_lab_fields,
    .main = ratio_main,
};
