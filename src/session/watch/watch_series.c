#include "session/watch/watch_series.h"

#include "base/alloc.h"
#include "stats/moments.h"

#include <stdlib.h>

enum duet_code watch_series_append(struct watch_series *series, uint64_t place,
                                   double value, struct duet_error *reterr)
{
    if (series->count == series->capacity) {
        size_t capacity = series->capacity == 0 ? 256 : 2 * series->capacity;
        double *values = alloc_resize(series->values, capacity, sizeof *values);
        if (values != NULL) {
            series->values = values;
        }
        uint64_t *places = alloc_resize(series->places, capacity, sizeof *places);
        if (places != NULL) {
            series->places = places;
        }
        if (values == NULL || places == NULL) {
            return error_set(reterr, DUET_E_NOMEM, "no memory for %zu executions",
                             capacity);
        }
        series->capacity = capacity;
    }
    series->values[series->count] = value;
    series->places[series->count++] = place;
    return DUET_OK;
}

/* The run that the reader stands at. One without a value of the metric is none. */
static enum duet_code add_run(struct store_run_reader *reader, const char *metric,
                              uint64_t place, struct watch_series *series,
                              struct duet_error *reterr)
{
    struct model_run_values values = {0};
    double mean = 0.0;
    enum duet_code code = store_runs_values(reader, metric, 0, &values, reterr);
    size_t count = values.counts[MODEL_WATCH_SIDE];
    if (code == DUET_OK && count > 0) {
        code = stats_mean(values.values[MODEL_WATCH_SIDE], count, &mean, reterr);
    }
    if (code == DUET_OK && count > 0) {
        code = watch_series_append(series, place, mean, reterr);
    }
    model_run_values_release(&values);
    return code;
}

enum duet_code watch_series_load(struct store *store, const struct store_watch *watch,
                                 struct watch_series *ret_series,
                                 struct duet_error *reterr)
{
    struct watch_series series = {0};
    struct store_run_reader *reader = NULL;
    enum duet_code code = store_runs_open(store, watch->experiment, &reader, reterr);
    bool more = code == DUET_OK;
    while (more) {
        struct model_run run;
        code = store_runs_next(reader, &run, &more, reterr);
        if (code == DUET_OK && more) {
            code = add_run(reader, watch->watch.metric, run.index, &series, reterr);
        }
        more = more && code == DUET_OK;
    }
    store_runs_close(reader);
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
    free(series->places);
    *series = (struct watch_series){0};
}
