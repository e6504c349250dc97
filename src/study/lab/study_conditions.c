#include "study/lab/study_conditions.h"

#include "base/alloc.h"
#include "study/lab/study_load.h"

#include <stdlib.h>

/* Waves of the load within the shortest measurement of a workload under it. */
enum { WAVES = 4 };

static const enum model_fill fills[STUDY_RATIO_FILLS] = {MODEL_FILL_OFF, MODEL_FILL_ON};

/* The load, and its name in the table. `share`: that of a workload's part of the budget
 * which its shortest measurement under it takes. */
static enum duet_code start_load(const struct study_lab *lab, double share,
                                 struct study_load *ret_load, struct duet_error *reterr)
{
    double workload_ns = (double)lab->options->budget_ns / (double)lab->workload_count;
    enum duet_code code =
        study_load_start((uint64_t)(workload_ns * share / WAVES), ret_load, reterr);
    if (code == DUET_OK) {
        text_append_format(&lab->session->table, "Load: %s\n\n", ret_load->profile);
    }
    return code;
}

static enum duet_code
find_conditions(struct study_lab *lab,
                struct study_measured_list lists[STUDY_CONDITIONS],
                struct duet_error *reterr)
{
    enum duet_code code =
        study_measured_stored(lab, false, &lists[STUDY_QUIET], reterr);
    return code == DUET_OK
               ? study_measured_stored(lab, true, &lists[STUDY_BUSY], reterr)
               : code;
}

enum duet_code study_sharing_measure(struct study_lab *lab, bool timeslice,
                                     struct study_measured_list lists[STUDY_CONDITIONS],
                                     struct duet_error *reterr)
{
    const bool ways[STUDY_WAYS] = {true, true, timeslice};
    /* Under load everything takes up to twice as long. */
    const double parts = 3 * study_ways_parts(ways);
    struct study_load load = {0};
    if (lab->workload_count == 0) {
        return find_conditions(lab, lists, reterr);
    }
    lab->planned = lab->workload_count * (timeslice ? 3 : 2) * STUDY_CONDITIONS;
    enum duet_code code = study_lab_fit(lab, parts, reterr);
    if (code == DUET_OK) {
        code = study_measure_all(lab, ways, "", &lists[STUDY_QUIET], reterr);
    }
    if (code == DUET_OK) {
        code = start_load(lab, 1 / parts, &load, reterr);
    }
    if (code == DUET_OK) {
        code = study_measure_all(lab, ways, load.condition, &lists[STUDY_BUSY], reterr);
    }
    return study_load_stop(&load, code, reterr);
}

/* Runs that are drawn in figure 6, and what the table says. */
static enum duet_code analyse(struct study_lab *lab, int64_t experiment,
                              struct study_ratio_cell *cell, struct duet_error *reterr)
{
    struct model_values values = {0};
    struct model_values analysed = {0};
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
        code = study_analysed_copy(&plan, &values, &analysed, reterr);
    }
    if (code == DUET_OK) {
        code = study_run_ratios(&analysed, ratios, reterr);
    }
    if (code == DUET_OK) {
        code = stats_spread_of(ratios, analysed.run_count, &cell->spread, reterr);
    }
    free(ratios);
    model_values_release(&analysed);
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
    ratio->confidence = lab->options->analysis.confidence;
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

static size_t count_artificial(const struct study_lab *lab)
{
    size_t count = 0;
    for (size_t i = 0; i < lab->workload_count; i++) {
        count += lab->workloads[i].artificial;
    }
    return count;
}

enum duet_code study_ratio_measure(struct study_lab *lab, struct study_ratio *ratio,
                                   struct study_measured_list *lists,
                                   struct duet_error *reterr)
{
    static const bool ways[STUDY_WAYS] = {true, true, false};
    const size_t artificial = count_artificial(lab);
    /* Twice the work takes two parts, under load four, with and without fill. */
    const double parts = (artificial > 0 ? 2 * (2 + 4) : 0) + study_ways_parts(ways);
    struct study_load load = {0};
    lab->planned = 2 * (lab->workload_count + STUDY_RATIO_FILLS * artificial);
    enum duet_code code = make_cells(lab, ratio, reterr);
    if (code == DUET_OK) {
        code = study_lab_fit(lab, parts, reterr);
    }
    if (code == DUET_OK) {
        code = study_measure_all(lab, ways, "", lists, reterr);
    }
    if (code == DUET_OK) {
        code = measure_condition(lab, ratio, STUDY_QUIET, "", reterr);
    }
    if (code == DUET_OK && artificial > 0) {
        code = start_load(lab, 4 / parts, &load, reterr);
    }
    if (code == DUET_OK) {
        code = measure_condition(lab, ratio, STUDY_BUSY, load.condition, reterr);
    }
    return study_load_stop(&load, code, reterr);
}

void study_ratio_release(struct study_ratio *ratio)
{
    free(ratio->cells);
    free((void *)ratio->names);
}
