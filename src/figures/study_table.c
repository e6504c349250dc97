#include "figures/study_table.h"

#include "figures/study_records.h"
#include "report/columns.h"
#include "study/study_share.h"

#include <inttypes.h>

enum { METHOD_COLUMNS = 13 };
static const int columns[] = {-11, 4};

static void append_cell(struct text *text, const struct study_coverage_cell *cell)
{
    double covered = study_share_pct(cell->covered, cell->samples);
    if (cell->samples == 0) {
        columns_append_cell(text, METHOD_COLUMNS, "%s", "");
    } else if (cell->unbounded == cell->samples) {
        columns_append_cell(text, METHOD_COLUMNS, "unbounded");
    } else if (cell->unbounded > 0) {
        columns_append_cell(text, METHOD_COLUMNS, "%.1f (%.1f)", covered,
                            study_share_pct(cell->unbounded, cell->samples));
    } else {
        columns_append_number(text, METHOD_COLUMNS, 1, covered);
    }
}

void study_table_append(struct text *text, const struct study_coverage_cell *cells,
                        size_t count, const struct study_coverage_plan *plan)
{
    text_append_format(
        text,
        "How often %.6g %% intervals hold the truth, in percent\n"
        "(%" PRIu64 " samples a cell, %" PRIu64 " replicates, seed %" PRIu64 "; "
        "standard error of a cell with exact coverage: %.2f;\n"
        "in brackets the percentage of unbounded intervals, which do not count as "
        "covered)\n\n",
        100.0 * plan->confidence, plan->samples, plan->replicates, plan->seed,
        100.0 * study_share_error(plan->confidence, plan->samples));
    columns_append(text, columns, "data\tR");
    for (int method = 0; method < MODEL_INTERVAL_METHODS; method++) {
        columns_append_cell(
            text, METHOD_COLUMNS, "%s",
            model_interval_method_name((enum model_interval_method)method));
    }
    /* Cells come by size and then by model; people compare sizes. */
    for (int model = 0; model < STUDY_MODELS; model++) {
        for (size_t c = 0; c < count; c++) {
            bool asked = plan->model == STUDY_MODELS || (int)plan->model == model;
            if (!asked || cells[c].model != (enum study_model)model) {
                continue;
            }
            if (cells[c].method == (enum model_interval_method)0) {
                text_append_char(text, '\n');
                columns_append(text, columns, "%s\t%zu",
                               study_model_name(cells[c].model), cells[c].size);
            }
            append_cell(text, &cells[c]);
        }
    }
    text_append_char(text, '\n');
}

void study_table_append_records(struct text *csv, struct text *json,
                                const struct study_coverage_cell *cells, size_t count,
                                const struct study_coverage_plan *plan)
{
    struct study_records records;
    study_records_begin(
        &records, "coverage", plan->seed,
        "data,size,method,confidence,samples,coverage,standard_error,unbounded,mean_width_pct",
        csv, json);
    for (size_t c = 0; c < count; c++) {
        const struct study_coverage_cell *cell = &cells[c];
        if (cell->samples == 0) {
            continue;
        }
        double share = study_share(cell->covered, cell->samples);
        study_records_text(&records, study_model_name(cell->model));
        study_records_whole(&records, cell->size);
        study_records_text(&records, model_interval_method_name(cell->method));
        study_records_number(&records, plan->confidence);
        study_records_whole(&records, cell->samples);
        study_records_number(&records, share);
        study_records_number(&records, study_share_error(share, cell->samples));
        study_records_whole(&records, cell->unbounded);
        study_records_number(&records, cell->width_pct);
    }
    study_records_end(&records);
}
