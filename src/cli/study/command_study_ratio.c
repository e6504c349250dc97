/* duet study ratio: is a known ratio measured where the sides do not take equally long?
 */
#include "cli/commands.h"
#include "cli/study/study_lab_option.h"
#include "figures/study_pictures.h"
#include "figures/study_ratio_table.h"
#include "study/lab/study_load.h"
#include "study/lab/study_measured.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

static const struct cli_option ratio_rows[] = {
    STUDY_LAB_ROWS, STUDY_OPTION_CONFIDENCE_ROW, STUDY_OPTION_ROWS, CLI_OPTION_HELP_ROW,
    CLI_OPTION_LAST_ROW};

enum { WAVES = 4 };

static const enum model_fill fills[STUDY_RATIO_FILLS] = {MODEL_FILL_OFF, MODEL_FILL_ON};

/* Runs that are drawn in figure 6, and what the table says. */
static enum duet_code analyse(struct study_lab *lab, int64_t experiment,
                              struct study_ratio_cell *cell, struct duet_error *reterr)
{
    struct model_values values = {0};
    struct study_accuracy_plan plan;
    enum duet_code code = study_lab_values(lab, experiment, &values, &plan, reterr);
    double *ratios = alloc_array(values.run_count, sizeof *ratios);
    if (code == DUET_OK && ratios == NULL) {
        code = error_no_memory(reterr);
    }
    if (code == DUET_OK) {
        code = study_accuracy_of(&plan, MODEL_ESTIMATOR_GEOMEAN, &values,
                                 &cell->accuracy, reterr);
    }
    if (code == DUET_OK) {
        code = study_run_ratios(&values, ratios, reterr);
    }
    if (code == DUET_OK) {
        code = study_spread_of(ratios, values.run_count, &cell->spread, reterr);
    }
    free(ratios);
    model_values_release(&values);
    return code;
}

static enum duet_code measure_cell(struct study_lab *lab, size_t workload,
                                   enum model_fill fill, const char *condition,
                                   struct study_ratio_cell *cell,
                                   struct duet_error *reterr)
{
    int64_t experiment = 0;
    struct duet_error error = {0};
    char *twice = alloc_format("%s --scale 2", lab->workloads[workload].command);
    if (twice == NULL) {
        return error_no_memory(reterr);
    }
    const struct study_measurement measurement = {.workload = &lab->workloads[workload],
                                                  .new_command = twice,
                                                  .schedule = MODEL_SCHEDULE_DUET,
                                                  .condition = condition,
                                                  .fill_given = true,
                                                  .fill = fill};
    enum duet_code code = study_lab_measure(lab, &measurement, &experiment, reterr);
    if (code == DUET_OK && experiment != 0) {
        code = analyse(lab, experiment, cell, &error);
        code =
            study_lab_forgive(lab, lab->workloads[workload].name, code, &error, reterr);
    }
    free(twice);
    return code;
}

static enum duet_code measure_condition(struct study_lab *lab,
                                        struct study_ratio *ratio, size_t busy,
                                        const char *condition,
                                        struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < lab->workload_count; i++) {
        for (size_t f = 0; f < STUDY_RATIO_FILLS && code == DUET_OK; f++) {
            if (lab->workloads[i].artificial) {
                code = measure_cell(lab, i, fills[f], condition,
                                    study_ratio_cell(ratio, i, busy, f), reterr);
            }
        }
    }
    return code;
}

/* The cells and names of the lab's workloads. */
static enum duet_code make_cells(const struct study_lab *lab, struct study_ratio *ratio,
                                 struct duet_error *reterr)
{
    ratio->workload_count = lab->workload_count;
    ratio->cells =
        alloc_array(lab->workload_count * STUDY_RATIO_CONDITIONS * STUDY_RATIO_FILLS,
                    sizeof *ratio->cells);
    ratio->names = alloc_array(lab->workload_count, sizeof *ratio->names);
    if (ratio->cells == NULL || ratio->names == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < lab->workload_count; i++) {
        ratio->names[i] = lab->workloads[i].name;
    }
    return DUET_OK;
}

static enum duet_code measure(void *context, struct study_lab *lab,
                              struct study_measured_list lists[2],
                              struct duet_error *reterr)
{
    struct study_ratio *ratio = context;
    static const bool ways[STUDY_WAYS] = {true, true, false};
    /* Twice the work takes two parts, under load four, with and without fill; together
     * and alone three. */
    const double parts = 2 * (2 + 4) + 3;
    double share_s =
        (double)lab->options->budget_ns / 1e9 / (double)lab->workload_count;
    struct study_load load = {0};
    lab->planned = (2 + 2 * STUDY_RATIO_FILLS) * lab->workload_count;
    enum duet_code code = make_cells(lab, ratio, reterr);
    if (code == DUET_OK) {
        code = study_lab_fit(lab, parts, reterr);
    }
    if (code == DUET_OK) {
        code = study_measure_all(lab, ways, "", lists, reterr);
    }
    if (code == DUET_OK) {
        code = measure_condition(lab, ratio, 0, "", reterr);
    }
    if (code == DUET_OK) {
        code = study_load_start((uint64_t)(share_s / parts * 4 / WAVES * 1e9), &load,
                                reterr);
    }
    if (code == DUET_OK) {
        text_append_format(&lab->session->table, "Load: %s\n\n", load.profile);
        code = measure_condition(lab, ratio, 1, load.condition, reterr);
    }
    return study_load_stop(&load, code, reterr);
}

static enum duet_code draw(const struct study_lab *lab, const struct study_ratio *ratio,
                           struct duet_error *reterr)
{
    static const char *const names[] = {"quiet", "quiet, fill", "busy", "busy, fill"};
    enum { SERIES = sizeof names / sizeof names[0] };
    struct study_spread *spreads =
        alloc_array(SERIES * ratio->workload_count, sizeof *spreads);
    struct study_ratio_series series[SERIES];
    if (spreads == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t s = 0; s < SERIES; s++) {
        struct study_spread *own = &spreads[s * ratio->workload_count];
        for (size_t i = 0; i < ratio->workload_count; i++) {
            own[i] =
                study_ratio_cell(ratio, i, s / STUDY_RATIO_FILLS, s % STUDY_RATIO_FILLS)
                    ->spread;
        }
        series[s] = (struct study_ratio_series){names[s], own};
    }
    enum duet_code code =
        study_pictures_ratio(lab->options->pictures, ratio->names,
                             ratio->workload_count, series, SERIES, reterr);
    free(spreads);
    return code;
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
        code = draw(lab, ratio, reterr);
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
    free(ratio.cells);
    free((void *)ratio.names);
    return code;
}

static int ratio_main(const struct cli_command *command, int argc, char **argv)
{
    return study_lab_main(command, argc, argv, "ratio", "all", ratio_study);
}

static const struct cli_example ratio_examples[] = {
    {"Measure a known ratio for half a minute:", "duet study ratio --quick"},
    {"Measure it with one workload only:",
     "duet study ratio --workload integer --budget 5min"},
    {NULL, NULL}};

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
    .examples = ratio_examples,
    .operand = "CMD",
    .fields = study_lab_fields,
    .main = ratio_main,
};
