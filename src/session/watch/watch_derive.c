#include "session/watch/watch_derive.h"

#include "analysis/plan/cadence.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* slices.csv says how many of a series' first measurements are three weeks' worth; what
 * follows was measured at another rate. */
static const double slice_hours = 21.0 * 24.0;

static enum duet_code derive_one(const struct formats_series *series, double per_hour,
                                 double loss, struct watch_derived *ret_derived,
                                 struct duet_error *reterr)
{
    struct duet_error error = {0};
    bool sliced = !(per_hour > 0.0) && series->test_points > 0;
    struct watch_derived made = {
        .name = series->name,
        .points = sliced ? series->test_points : series->count,
        .per_hour = sliced ? (double)series->test_points / slice_hours : per_hour};
    if (!(made.per_hour > 0.0)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "unknown how often %s was executed: give --executions-per-hour",
            series->name);
    }
    enum duet_code code = analysis_cadence_derive(series->values, made.points, loss,
                                                  &made.cadence, &error);
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s: %s", series->name, error.message);
    }
    made.block_hours = made.cadence.block_length / made.per_hour;
    made.wanted_per_hour = made.per_hour / (double)made.cadence.thinning;
    *ret_derived = made;
    return DUET_OK;
}

/* Whether `one` asks for more than `other`: of limited ones the most frequent, before
 * any that is not. */
static bool asks_more(const struct watch_derived *one,
                      const struct watch_derived *other)
{
    if (one->cadence.limited != other->cadence.limited) {
        return one->cadence.limited;
    }
    return one->wanted_per_hour > other->wanted_per_hour;
}

struct watch_advice watch_advise(const struct watch_derivation *derivation)
{
    const struct watch_derived *list = derivation->list;
    struct watch_advice advice = {.longest = &list[0], .fastest = &list[0]};
    for (size_t i = 1; i < derivation->folder.count; i++) {
        if (list[i].block_hours > advice.longest->block_hours) {
            advice.longest = &list[i];
        }
        if (asks_more(&list[i], advice.fastest)) {
            advice.fastest = &list[i];
        }
    }
    double wanted = advice.fastest->wanted_per_hour;
    advice.every_hours = ceil(advice.longest->block_hours);
    advice.per_hour = wanted < 1.0 ? wanted : ceil(wanted);
    return advice;
}

enum duet_code watch_derive(const char *path, double per_hour, double loss,
                            struct watch_derivation *ret_derivation,
                            struct duet_error *reterr)
{
    struct watch_derivation made = {.loss = loss};
    enum duet_code code = formats_series_folder_read(path, &made.folder, reterr);
    if (code == DUET_OK) {
        made.list = alloc_array(made.folder.count, sizeof *made.list);
        code = made.list == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    for (size_t i = 0; i < made.folder.count && code == DUET_OK; i++) {
        code =
            derive_one(&made.folder.series[i], per_hour, loss, &made.list[i], reterr);
    }
    if (code == DUET_OK) {
        *ret_derivation = made;
    } else {
        watch_derivation_release(&made);
    }
    return code;
}

void watch_derivation_release(struct watch_derivation *derivation)
{
    free(derivation->list);
    formats_series_folder_release(&derivation->folder);
}
