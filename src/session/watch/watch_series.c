#include "session/watch/watch_series.h"

#include "base/alloc.h"
#include "stats/moments.h"

#include <stdlib.h>

enum duet_code watch_series_append(struct watch_series *series, uint64_t index,
                                   double value, struct duet_error *reterr)
{
    if (series->count == series->capacity) {
        size_t capacity = series->capacity == 0 ? 256 : 2 * series->capacity;
        double *values = alloc_resize(series->values, capacity, sizeof *values);
        if (values != NULL) {
            series->values = values;
        }
        uint64_t *indices = alloc_resize(series->indices, capacity, sizeof *indices);
        if (indices != NULL) {
            series->indices = indices;
        }
        if (values == NULL || indices == NULL) {
            return error_set(reterr, DUET_E_NOMEM, "no memory for %zu executions",
                             capacity);
        }
        series->capacity = capacity;
    }
    series->values[series->count] = value;
    series->indices[series->count++] = index;
    return DUET_OK;
}

struct reading {
    const char *metric;
    struct watch_series *series;
};

/* A run without a value of the metric is none. */
static enum duet_code add_run(void *context, struct store_run_reader *reader,
                              const struct model_run *run, struct duet_error *reterr)
{
    const struct reading *reading = context;
    struct model_run_values values = {0};
    double mean = 0.0;
    enum duet_code code =
        store_runs_values(reader, reading->metric, 0, &values, reterr);
    size_t count = values.counts[MODEL_WATCH_SIDE];
    if (code == DUET_OK && count > 0) {
        code = stats_mean(values.values[MODEL_WATCH_SIDE], count, &mean, reterr);
    }
    if (code == DUET_OK && count > 0) {
        code = watch_series_append(reading->series, run->index, mean, reterr);
    }
    model_run_values_release(&values);
    return code;
}

enum duet_code watch_series_load(struct store *store, const struct store_watch *watch,
                                 struct watch_series *ret_series,
                                 struct duet_error *reterr)
{
    struct watch_series series = {0};
    struct reading reading = {watch->watch.metric, &series};
    enum duet_code code =
        store_runs_each(store, watch->experiment, add_run, &reading, reterr);
    if (code != DUET_OK) {
        watch_series_release(&series);
        return code;
    }
    *ret_series = series;
    return DUET_OK;
}

void watch_series_release(struct watch_series *series)
{
    free(series->values);
    free(series->indices);
    *series = (struct watch_series){0};
}
