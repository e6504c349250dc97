#include "figures/planning_table.h"
#include "figures/dataset_names.h"
#include "figures/study_records.h"
#include "report/columns.h"

#include <math.h>

enum { ENVIRONMENT_COLUMNS = 11, ENVIRONMENT_COLUMNS_MAX = 32 };
static const int number_columns[] = {10, 8, 12, 9, 8, 10, 8};

static const char *outcome_of(const struct planning_row *row)
{
    if (row->too_few) {
        return "too few instances";
    }
    return row->planned.found ? "planned" : "not within this data";
}

static void append_planned(struct text *text, const struct planning_row *row)
{
    const struct study_planned *planned = &row->planned;
    if (!planned->found) {
        text_append_format(text, "  %s\n", outcome_of(row));
        return;
    }
    columns_append(text, number_columns, "%zu\t%zu\t%zu\t%.6g", planned->instances,
                   planned->trials, planned->iterations, planned->cost);
    /* With a digit behind the point: 94.75 % are not the 95 that a plan must find. */
    columns_append_number(text, number_columns[4], 1, 100.0 * planned->found_share);
    columns_append_number(text, number_columns[5], 1, 100.0 * planned->held_out_found);
    columns_append_number(text, number_columns[6], 1, 100.0 * planned->held_out_false);
    text_append_char(text, '\n');
}

/* How many have a plan, and how many plans hold on the other half of the instances. */
static void append_summary(struct text *text, const struct planning_answer *answer)
{
    const struct study_planning *planning = answer->planning;
    const struct planning_summary summary = planning_answer_summary(answer);
    text_append_format(text, "\nPlans for %zu of %zu", summary.planned,
                       summary.done - summary.too_few);
    if (summary.too_few > 0) {
        text_append_format(text, " (%zu more have fewer than 4 instances)",
                           summary.too_few);
    }
    text_append_format(
        text,
        ".\n"
        "On the instances held out, of %zu plans that they suffice for, %zu find the slowdown in %.4g %%\n"
        "of the draws, and %zu have at most %.4g %% false positives.\n",
        summary.checked, summary.found, 100.0 * planning->found_least, summary.quiet,
        100.0 * planning->false_most);
}

void planning_table_append(struct text *text, const struct planning_answer *answer)
{
    const struct model_dataset *dataset = answer->dataset;
    const struct study_planning *planning = answer->planning;
    size_t width = dataset_name_width(dataset);
    size_t columns = dataset_environment_width(dataset, ENVIRONMENT_COLUMNS,
                                               ENVIRONMENT_COLUMNS_MAX);
    text_append_format(
        text,
        "Cheapest group that finds a slowdown of %.4g %% (%s, %s) in %.4g %% of the draws; cost in\n"
        "iterations; found, held out and false in %% of the draws\n"
        "\n",
        100.0 * planning->effect, study_sampling_name(planning->sampling),
        study_test_name(planning->test), 100.0 * planning->found_least);
    columns_append_cell(text, -(int)width - 1, "benchmark");
    columns_append_cell(text, -(int)columns, "environment");
    columns_append(text, number_columns,
                   "instances\ttrials\titerations\tcost\tfound\theld out\tfalse\n");
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        if (answer->rows[c].done && !answer->rows[c].too_few) {
            dataset_name_append(text, model_dataset_benchmark(dataset, c), width);
            text_append_char(text, ' ');
            dataset_name_append(text, model_dataset_environment(dataset, c), columns);
            append_planned(text, &answer->rows[c]);
        }
    }
    append_summary(text, answer);
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
    study_records_text(records, outcome_of(&answer->rows[configuration]));
}

void planning_table_append_records(struct text *csv, struct text *json,
                                   const struct planning_answer *answer)
{
    struct study_records records;
    study_records_begin(
        &records, "planning", answer->planning->seed,
        "benchmark,environment,sampling,test,effect_pct,instances,trials,iterations,cost,found_pct,held_out_found_pct,held_out_false_pct,outcome",
        csv, json);
    for (size_t c = 0; c < answer->dataset->configuration_count; c++) {
        if (answer->rows[c].done) {
            append_record(&records, answer, c);
        }
    }
    study_records_end(&records);
}
