#include "cli/dataset_names.h"
#include "cli/planning_answer.h"
#include "cli/study_records.h"

#include <math.h>

static void append_planned(struct text *text, const struct planning_row *row)
{
    const struct study_planned *planned = &row->planned;
    if (row->too_few) {
        text_append(text, "  fewer than 4 instances\n");
    } else if (!planned->found) {
        text_append(text, "  not within this data\n");
    } else {
        text_append_format(text, "%10zu%8zu%12zu%9.6g%8.0f%10.0f%8.0f\n",
                           planned->instances, planned->trials, planned->iterations,
                           planned->cost, 100.0 * planned->found_share,
                           100.0 * planned->held_out_found,
                           100.0 * planned->held_out_false);
    }
}

void planning_answer_append(struct text *text, const struct planning_answer *answer)
{
    const struct model_dataset *dataset = answer->dataset;
    const struct study_planning *planning = answer->planning;
    size_t width = dataset_name_width(dataset);
    text_append_format(
        text,
        "Cheapest group that finds a slowdown of %.4g %% (%s, %s) in %.4g %% of the "
        "draws; cost in\niterations; found, held out and false in %% of the "
        "draws\n\n%-*s %-12s%10s%8s%12s%9s%8s%10s%8s\n",
        100.0 * planning->effect, study_sampling_name(planning->sampling),
        study_test_name(planning->test), 100.0 * planning->found_least, (int)width,
        "benchmark", "environment", "instances", "trials", "iterations", "cost",
        "found", "held out", "false");
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        if (answer->rows[c].done) {
            dataset_name_append(text, model_dataset_benchmark(dataset, c), width);
            text_append_format(text, " %-12.12s",
                               model_dataset_environment(dataset, c));
            append_planned(text, &answer->rows[c]);
        }
    }
}

static void append_record(struct study_records *records,
                          const struct planning_answer *answer, size_t configuration)
{
    static const double unknown = (double)NAN;
    const struct model_dataset *dataset = answer->dataset;
    const struct study_planning *planning = answer->planning;
    const struct study_planned *planned = &answer->rows[configuration].planned;
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

void planning_answer_append_records(struct text *csv, struct text *json,
                                    const struct planning_answer *answer)
{
    static const char *const names[] = {
        "benchmark", "environment",        "sampling",
        "test",      "effect_pct",         "instances",
        "trials",    "iterations",         "cost",
        "found_pct", "held_out_found_pct", "held_out_false_pct"};
    struct study_records records;
    study_records_begin(&records, "planning", answer->planning->seed, names,
                        sizeof names / sizeof names[0], csv, json);
    for (size_t c = 0; c < answer->dataset->configuration_count; c++) {
        if (answer->rows[c].done) {
            append_record(&records, answer, c);
        }
    }
    study_records_end(&records);
}
