#include "study/lab/series_slice.h"

#include "base/alloc.h"
#include "study/study_truth.h"

#include <math.h>
#include <stdlib.h>

/* Test points as they are, or, when they are 0, so many intervals. */
static enum duet_code slice(const struct series_slicing *slicing,
                            struct study_series *series, struct duet_error *reterr)
{
    if (series->test_points == 0 && !(slicing->points > 0.0)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "unknown how many measurements of %s make an interval: give "
            "--points-per-interval, or the number of test points (slices.csv, or a "
            "table's column test_points)",
            series->name);
    }
    if (series->test_points == 0) {
        double points = floor((double)slicing->intervals * slicing->points);
        series->test_points =
            points < (double)series->count ? (size_t)points : series->count;
    }
    series->interval = slicing->points > 0.0
                           ? slicing->points
                           : (double)series->test_points / (double)slicing->intervals;
    return DUET_OK;
}

enum duet_code series_slice_folder(const struct series_slicing *slicing,
                                   const struct formats_series_folder *folder,
                                   struct study_series **ret_series,
                                   struct duet_error *reterr)
{
    struct study_series *series = alloc_array(folder->count, sizeof *series);
    enum duet_code code = series == NULL ? error_no_memory(reterr) : DUET_OK;
    for (size_t i = 0; i < folder->count && code == DUET_OK; i++) {
        const struct formats_series *from = &folder->series[i];
        series[i] = (struct study_series){.name = from->name,
                                          .group = from->group,
                                          .values = from->values,
                                          .count = from->count,
                                          .test_points = from->test_points};
        code = slice(slicing, &series[i], reterr);
    }
    if (code != DUET_OK) {
        free(series);
        return code;
    }
    *ret_series = series;
    return DUET_OK;
}

static enum duet_code slice_row(const struct series_slicing *slicing,
                                const struct formats_configuration *row,
                                struct study_configuration *ret_configuration,
                                struct duet_error *reterr)
{
    static const struct stats_statistic mean = {STATS_STATISTIC_MEAN, 0.0};
    struct study_series series = {.name = row->name,
                                  .values = row->values,
                                  .count = row->count,
                                  .test_points = row->test_points};
    struct study_configuration made = {.benchmark = row->benchmark,
                                       .name = row->name,
                                       .features = row->features,
                                       .values = row->values,
                                       .truth = row->truth};
    bool known = isfinite(row->truth);
    if (known && row->test_points == 0) {
        series.test_points = row->count;
    }
    enum duet_code code = slice(slicing, &series, reterr);
    if (code == DUET_OK &&
        (series.test_points > series.count ||
         (!known && series.test_points == series.count) ||
         !(series.interval >= 1.0 && series.interval <= (double)series.test_points))) {
        code = error_set(
            reterr, DUET_E_DOMAIN,
            "%s on %s has %zu measurements, the first %zu of which are for tests, %g an interval; "
            "it needs at least an interval of them, and more behind them, or a column that tells the truth",
            row->benchmark, row->name, series.count, series.test_points,
            series.interval);
    }
    if (code == DUET_OK && !known) {
        code = study_truth_of(&series, &mean, &made.truth, reterr);
    }
    made.count = series.test_points;
    made.interval = series.interval;
    if (code == DUET_OK) {
        *ret_configuration = made;
    }
    return code;
}

enum duet_code series_slice_table(const struct series_slicing *slicing,
                                  const struct formats_configuration_table *table,
                                  struct study_configuration **ret_configurations,
                                  struct duet_error *reterr)
{
    struct study_configuration *made = alloc_array(table->count, sizeof *made);
    enum duet_code code = made == NULL ? error_no_memory(reterr) : DUET_OK;
    for (size_t i = 0; i < table->count && code == DUET_OK; i++) {
        code = slice_row(slicing, &table->rows[i], &made[i], reterr);
    }
    if (code != DUET_OK) {
        free(made);
        return code;
    }
    *ret_configurations = made;
    return DUET_OK;
}
