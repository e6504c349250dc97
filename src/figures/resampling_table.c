#include "figures/resampling_table.h"

#include "figures/dataset_names.h"
#include "figures/study_records.h"
#include "report/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NAME_WIDTH = 20 };
static const int columns[] = {-NAME_WIDTH, 8, 25, 25, 18, 18, 12, 12};

/* Equal values have no autocorrelation. */
static void append_acfs(struct text *text, const struct study_resampled *of)
{
    if (isnan(of->acf_mean)) {
        columns_append_cell(text, columns[2], "-");
    } else {
        columns_append_cell(text, columns[2], "%.3f [%6.3f, %6.3f]", of->acf_mean,
                            of->acf_low, of->acf_high);
    }
}

void resampling_table_append(struct text *text, const struct stopping_answer *answer,
                             const struct study_resampling_row *rows)
{
    const struct study_stopping_plan *plan = answer->plan;
    char statistic[STOP_NAME_BYTES];
    stop_statistic_name(&plan->statistics[plan->statistic_count - 1], statistic);
    text_append_format(
        text,
        "Basic bootstrap and blocks of %d, %zu resamples, seed %" PRIu64 "\n"
        "acf: lag-1 autocorrelation of the first %d intervals, and the mean over resamples [central 90 %%]\n"
        "ends: of the %.6g %% interval of their %s, in %% of it\n"
        "accurate: of %d tests that stop when the interval lies within %.6g %%, "
        "looked at every %d points (and how many stop)\n"
        "\n",
        STUDY_BLOCK_LENGTH, plan->replicates, plan->seed, STUDY_WEEK,
        100.0 * plan->confidence, statistic, STUDY_RESAMPLING_TESTS,
        100.0 * plan->errors[0], STUDY_BLOCK_LENGTH);
    columns_append(
        text, columns,
        "series\tacf\tacf basic\tacf block\tends basic\tends block\tacc. basic\tacc. block");
    for (size_t s = 0; s < answer->series_count; s++) {
        const struct study_resampling_row *row = &rows[s];
        if (row->points == 0) {
            continue;
        }
        text_append_char(text, '\n');
        dataset_name_append_whole(text, answer->series[s].name, NAME_WIDTH);
        columns_append_number(text, columns[1], 3, row->acf);
        for (int b = 0; b < STUDY_BOOTSTRAPS; b++) {
            append_acfs(text, &row->of[b]);
        }
        for (int b = 0; b < STUDY_BOOTSTRAPS; b++) {
            columns_append_cell(text, columns[4], "[%+6.2f, %+6.2f]",
                                100.0 * row->of[b].low, 100.0 * row->of[b].high);
        }
        for (int b = 0; b < STUDY_BOOTSTRAPS; b++) {
            columns_append_cell(text, columns[6], "%" PRIu64 " (%3" PRIu64 ")",
                                row->of[b].accurate, row->of[b].stopped);
        }
    }
    text_append_char(text, '\n');
}

void resampling_table_append_records(struct text *csv, struct text *json,
                                     const struct stopping_answer *answer,
                                     const struct study_resampling_row *rows)
{
    struct study_records records;
    study_records_begin(
        &records, "bootstraps", answer->plan->seed,
        "series,group,points,acf,bootstrap,acf_mean,acf_low,acf_high,low,high,tests,stopped,accurate",
        csv, json);
    for (size_t s = 0; s < answer->series_count; s++) {
        const struct study_resampling_row *row = &rows[s];
        for (int b = 0; b < STUDY_BOOTSTRAPS && row->points > 0; b++) {
            const struct study_resampled *of = &row->of[b];
            study_records_text(&records, answer->series[s].name);
            study_records_text(&records, answer->series[s].group);
            study_records_whole(&records, row->points);
            study_records_number(&records, row->acf);
            study_records_text(&records, study_bootstrap_name((enum study_bootstrap)b));
            study_records_number(&records, of->acf_mean);
            study_records_number(&records, of->acf_low);
            study_records_number(&records, of->acf_high);
            study_records_number(&records, of->low);
            study_records_number(&records, of->high);
            study_records_whole(&records, of->tests);
            study_records_whole(&records, of->stopped);
            study_records_whole(&records, of->accurate);
        }
    }
    study_records_end(&records);
}
