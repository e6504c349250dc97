#include "cli/resampling_table.h"

#include "cli/widths_file.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_WIDTH = 20 };

void resampling_table_append(struct text *text, const struct stop_table *table,
                             const struct study_resampling_row *rows)
{
    const struct study_stopping_plan *plan = table->plan;
    char statistic[STOP_NAME_BYTES];
    stop_statistic_name(&plan->statistics[plan->statistic_count - 1], statistic);
    text_append_format(
        text,
        "Basic bootstrap and blocks of %d, %zu resamples, seed %" PRIu64 "\n"
        "acf: lag-1 autocorrelation of the first %d intervals, and the mean over "
        "resamples [central 90 %%]\n"
        "ends: of the %.6g %% interval of their %s, in %% of it\n"
        "accurate: of %d tests that stop when the interval lies within %.6g %%, looked "
        "at every %d points (and how many stop)\n\n",
        STUDY_BLOCK_LENGTH, plan->replicates, plan->seed, STUDY_WEEK,
        100.0 * plan->confidence, statistic, STUDY_RESAMPLING_TESTS,
        100.0 * plan->errors[0], STUDY_BLOCK_LENGTH);
    text_append_format(text, "%-*s%8s%25s%25s%18s%18s%12s%12s", NAME_WIDTH, "series",
                       "acf", "acf basic", "acf block", "ends basic", "ends block",
                       "acc. basic", "acc. block");
    for (size_t s = 0; s < table->series_count; s++) {
        const struct study_resampling_row *row = &rows[s];
        if (row->points == 0) {
            continue;
        }
        text_append_format(text, "\n%-*s%8.3f", NAME_WIDTH, table->series[s].name,
                           row->acf);
        for (int b = 0; b < STUDY_BOOTSTRAPS; b++) {
            text_append_format(text, "%7.3f [%6.3f, %6.3f]", row->of[b].acf_mean,
                               row->of[b].acf_low, row->of[b].acf_high);
        }
        for (int b = 0; b < STUDY_BOOTSTRAPS; b++) {
            text_append_format(text, "  [%+6.2f, %+6.2f]", 100.0 * row->of[b].low,
                               100.0 * row->of[b].high);
        }
        for (int b = 0; b < STUDY_BOOTSTRAPS; b++) {
            text_append_format(text, "%6" PRIu64 " (%3" PRIu64 ")", row->of[b].accurate,
                               row->of[b].stopped);
        }
    }
    text_append_char(text, '\n');
}

void resampling_table_append_csv(struct text *text, const struct stop_table *table,
                                 const struct study_resampling_row *rows)
{
    text_append(text, "series,group,points,acf,bootstrap,acf_mean,acf_low,acf_high,low,"
                      "high,tests,stopped,accurate\r\n");
    for (size_t s = 0; s < table->series_count; s++) {
        const struct study_resampling_row *row = &rows[s];
        for (int b = 0; b < STUDY_BOOTSTRAPS && row->points > 0; b++) {
            const struct study_resampled *of = &row->of[b];
            widths_append_csv_name(text, table->series[s].name);
            text_append_char(text, ',');
            widths_append_csv_name(text, table->series[s].group);
            text_append_format(text,
                               ",%zu,%.17g,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%" PRIu64
                               ",%" PRIu64 ",%" PRIu64 "\r\n",
                               row->points, row->acf,
                               study_bootstrap_name((enum study_bootstrap)b),
                               of->acf_mean, of->acf_low, of->acf_high, of->low,
                               of->high, of->tests, of->stopped, of->accurate);
        }
    }
}
