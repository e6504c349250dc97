/* duet study shuffle: how much of the accuracy comes from measuring at the same time */
#include "cli/commands.h"
#include "cli/study/study_lab_option.h"
#include "figures/study_pictures.h"
#include "figures/study_shuffle_table.h"
#include "figures/widths_table.h"
#include "study/lab/study_measured.h"

static const struct cli_option shuffle_rows[] = {
    STUDY_LAB_ROWS, STUDY_OPTION_CONFIDENCE_ROW, STUDY_ANSWER_ROWS,
    CLI_OPTION_END_ROWS};

static enum duet_code tell(void *context, struct study_lab *lab,
                           const struct study_measured_list lists[2],
                           struct duet_error *reterr)
{
    (void)context;
    struct widths widths = {0};
    enum duet_code code =
        study_measured_widths(lab, lists, lab->platform, &widths, reterr);
    if (code == DUET_OK) {
        study_shuffle_table(&lab->session->table, &widths);
        widths_append_csv(&lab->session->csv, &widths);
    }
    if (code == DUET_OK && lab->options->pictures != NULL) {
        code = study_pictures_widths(lab->options->pictures, &widths, reterr);
    }
    widths_release(&widths);
    return code;
}

static enum duet_code measure(void *context, struct study_lab *lab,
                              struct study_measured_list lists[2],
                              struct duet_error *reterr)
{
    static const bool together[STUDY_WAYS] = {true, false, false};
    (void)context;
    return study_measure_or_find(lab, together, lists, reterr);
}

static enum duet_code shuffle(void *context, struct study_session *session,
                              struct duet_error *reterr)
{
    const struct study_lab_work work = {measure, tell, NULL};
    return study_lab_carry_out(context, session, &work, reterr);
}

static int shuffle_main(const struct cli_command *command, int argc, char **argv)
{
    return study_lab_main(command, argc, argv, "shuffle", NULL, shuffle);
}

const struct cli_command command_study_shuffle = {
    .name = "study shuffle",
    .measures = true,
    .synopsis = "[OPTIONS] [COMMAND...]",
    .summary = "measure how much of the accuracy comes from pairing",
    .description =
        "Asks whether synchronized interference makes the intervals narrow. "
        "Compares each COMMAND (or artificial workload) with itself. Shows the "
        "width of the interval from pairs that were measured together, and from the "
        "same times in unrelated pairs (median of 100 shuffles). Without a COMMAND, "
        "uses stored comparisons, as 'duet study accuracy' does.",
    .options = shuffle_rows,
    .examples = CLI_EXAMPLES(
        {"Measure a program with itself for half a minute:",
         "duet study shuffle --quick ./old"},
        {"Answer from the comparisons of programs with themselves in the store:",
         "duet study shuffle"}),
    .operand = "CMD",
    .fields = study_lab_fields,
    .main = shuffle_main,
};
