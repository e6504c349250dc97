#include "figures/sequential_table.h"

#include "figures/study_records.h"
#include "report/columns.h"
#include "study/study_share.h"

#include <inttypes.h>

enum { RUNS_WIDTH = 8 };
static const int columns[] = {-10, 22, 22, 9, 11, RUNS_WIDTH, RUNS_WIDTH};

static void append_row(struct text *text, const struct study_sequential_cell *cell)
{
    text_append_char(text, '\n');
    columns_append_cell(text, columns[0], "%s",
                        study_sequential_model_name(cell->model));
    if (cell->samples == 0) {
        return;
    }
    uint64_t undecided = cell->samples - cell->wrong - cell->right;
    columns_append(
        text, columns + 1, "%.3f [%.3f, %.3f]\t%.3f [%.3f, %.3f]\t%.2f\t%.2f",
        study_share_pct(cell->wrong, cell->samples), 100.0 * cell->wrong_low,
        100.0 * cell->wrong_high, study_share_pct(cell->missed, cell->samples),
        100.0 * cell->missed_low, 100.0 * cell->missed_high,
        study_share_pct(cell->right, cell->samples),
        study_share_pct(undecided, cell->samples));
    columns_append_number(text, RUNS_WIDTH, 0, cell->runs_median);
    columns_append_number(text, RUNS_WIDTH, 0, cell->runs_p90);
}

void sequential_table_append(struct text *text,
                             const struct study_sequential_cell *cells,
                             const struct study_sequential_plan *plan)
{
    text_append_format(
        text,
        "Sequential verdicts at %.6g %%, looked for after each coin of %zu runs; "
        "effect %.6g %%, noise %.6g %%\n"
        "(%" PRIu64 " samples a row, %zu iterations a run, seed %" PRIu64
        "; shares in percent, counted ones with their 99 %% Clopper-Pearson interval)\n"
        "\n",
        100.0 * plan->confidence, 2 * plan->blocks, 100.0 * plan->effect,
        100.0 * plan->noise, plan->samples, plan->iterations, plan->seed);
    columns_append(text, columns, "data\twrong\tmissed\tright\tundecided\tmedian\tp90");
    for (int model = 0; model < STUDY_SEQUENTIAL_MODELS; model++) {
        if (plan->model == STUDY_SEQUENTIAL_MODELS || plan->model == model) {
            append_row(text, &cells[model]);
        }
    }
    text_append_char(text, '\n');
}

void sequential_table_append_csv(struct text *text,
                                 const struct study_sequential_cell *cells,
                                 const struct study_sequential_plan *plan)
{
    struct study_records records;
    study_records_begin(
        &records, "sequential", plan->seed,
        "data,confidence,effect,noise,iterations,coin,blocks,samples,wrong,wrong_low,wrong_high,missed,missed_low,missed_high,right,runs_median,runs_p90",
        text, NULL);
    for (int model = 0; model < STUDY_SEQUENTIAL_MODELS; model++) {
        const struct study_sequential_cell *cell = &cells[model];
        if (cell->samples == 0) {
            continue;
        }
        study_records_text(&records, study_sequential_model_name(cell->model));
        study_records_number(&records, plan->confidence);
        study_records_number(&records, plan->effect);
        study_records_number(&records, plan->noise);
        study_records_whole(&records, plan->iterations);
        study_records_text(&records, plan->coin_per_run ? "run" : "block");
        study_records_whole(&records, plan->blocks);
        study_records_whole(&records, cell->samples);
        study_records_whole(&records, cell->wrong);
        study_records_number(&records, cell->wrong_low);
        study_records_number(&records, cell->wrong_high);
        study_records_whole(&records, cell->missed);
        study_records_number(&records, cell->missed_low);
        study_records_number(&records, cell->missed_high);
        study_records_whole(&records, cell->right);
        study_records_number(&records, cell->runs_median);
        study_records_number(&records, cell->runs_p90);
    }
    study_records_end(&records);
}
