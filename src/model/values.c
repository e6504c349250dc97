#include "base/alloc.h"
#include "model/comparison.h"
#include "model/finding.h"
#include "model/pilot.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void release_spools(struct model_run_values *values)
{
    for (int side = 0; side < MODEL_SIDES && values->spools != NULL; side++) {
        spool_release(&values->spools[side]);
    }
    free(values->spools);
    values->spools = NULL;
}

void model_run_values_release(struct model_run_values *values)
{
    if (values != NULL) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            free(values->values[side]);
            free(values->idle[side]);
            values->values[side] = NULL;
            values->idle[side] = NULL;
            values->counts[side] = 0;
        }
        release_spools(values);
    }
}

enum duet_code model_run_values_copy(const struct model_run_values *values,
                                     enum model_side side, size_t at,
                                     double *ret_values, size_t room,
                                     struct duet_error *reterr)
{
    size_t left = values->counts[side] - at;
    room = room < left ? room : left;
    if (values->spools == NULL) {
        memcpy(ret_values, values->values[side] + at, room * sizeof *ret_values);
        return DUET_OK;
    }
    while (room > 0) {
        const void *items = NULL;
        size_t some = 0;
        enum duet_code code = spool_read(
            &values->spools[side], values->first[side] + at, &items, &some, reterr);
        if (code != DUET_OK) {
            return code;
        }
        const struct model_observed *observed = items;
        some = some < room ? some : room;
        for (size_t i = 0; i < some; i++) {
            *ret_values++ = observed[i].value;
        }
        at += some;
        room -= some;
    }
    return DUET_OK;
}

/* ---- Values as they come ---- */

static enum duet_code no_room(size_t count, const struct model_run_values *values,
                              struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_NOMEM,
                     "no memory for the %zu values of run %" PRIu64, count,
                     values->run + 1);
}

/* Both sides go from the arrays to spools. */
static enum duet_code spool_all(struct model_run_gather *gather, bool with_idle,
                                struct duet_error *reterr)
{
    struct model_run_values *values = &gather->values;
    enum duet_code code = DUET_OK;
    struct spool *spools = alloc_array(MODEL_SIDES, sizeof *spools);
    if (spools == NULL) {
        return no_room(gather->most, values, reterr);
    }
    values->spools = spools;
    values->spooled_idle = with_idle;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        spools[side] = (struct spool){.item_bytes = sizeof(struct model_observed),
                                      .most = gather->most};
        values->first[side] = 0;
        for (size_t i = 0; i < values->counts[side] && code == DUET_OK; i++) {
            struct model_observed item = {.value = values->values[side][i]};
            if (with_idle) {
                item.idle = values->idle[side][i];
            }
            code = spool_add(&spools[side], &item, 1, reterr);
        }
        free(values->values[side]);
        free(values->idle[side]);
        values->values[side] = NULL;
        values->idle[side] = NULL;
        gather->capacities[side] = 0;
    }
    return code;
}

static enum duet_code make_room(struct model_run_gather *gather, enum model_side side,
                                bool with_idle, struct duet_error *reterr)
{
    struct model_run_values *values = &gather->values;
    size_t capacity = gather->capacities[side] * 2 + 16;
    capacity = gather->most > 0 && capacity > gather->most ? gather->most : capacity;
    double *longer = alloc_resize(values->values[side], capacity, sizeof *longer);
    values->values[side] = longer != NULL ? longer : values->values[side];
    struct model_idle *idle =
        with_idle ? alloc_resize(values->idle[side], capacity, sizeof *idle) : NULL;
    values->idle[side] = idle != NULL ? idle : values->idle[side];
    if (longer == NULL || (with_idle && idle == NULL)) {
        return no_room(capacity, values, reterr);
    }
    gather->capacities[side] = capacity;
    return DUET_OK;
}

enum duet_code model_run_gather_add(struct model_run_gather *gather,
                                    enum model_side side, double value,
                                    const struct model_idle *idle,
                                    struct duet_error *reterr)
{
    struct model_run_values *values = &gather->values;
    size_t at = values->counts[side];
    enum duet_code code = DUET_OK;
    if (values->spools == NULL && at == gather->capacities[side]) {
        code = gather->most > 0 && at >= gather->most
                   ? spool_all(gather, idle != NULL, reterr)
                   : make_room(gather, side, idle != NULL, reterr);
    }
    if (code == DUET_OK && values->spools != NULL) {
        struct model_observed item = {.value = value};
        if (idle != NULL) {
            item.idle = *idle;
        }
        code = spool_add(&values->spools[side], &item, 1, reterr);
    } else if (code == DUET_OK) {
        values->values[side][at] = value;
        if (idle != NULL) {
            values->idle[side][at] = *idle;
        }
    }
    values->counts[side] += code == DUET_OK;
    return code;
}

void model_run_gather_clear(struct model_run_gather *gather)
{
    release_spools(&gather->values);
    for (int side = 0; side < MODEL_SIDES; side++) {
        gather->values.counts[side] = 0;
    }
}

void model_values_release(struct model_values *values)
{
    if (values != NULL) {
        for (size_t i = 0; i < values->run_count; i++) {
            model_run_values_release(&values->runs[i]);
        }
        free(values->runs);
        *values = (struct model_values){0};
    }
}

void model_pilot_release(struct model_pilot *pilot)
{
    model_values_release(&pilot->values);
    *pilot = (struct model_pilot){0};
}

bool model_comparison_is_measured(const struct model_comparison *comparison)
{
    return comparison->verdict != MODEL_VERDICT_FAILED &&
           comparison->verdict != MODEL_VERDICT_IDENTICAL;
}

bool model_comparison_is_change(const struct model_comparison *comparison)
{
    return comparison->verdict == MODEL_VERDICT_SLOWER ||
           comparison->verdict == MODEL_VERDICT_FASTER;
}

double model_comparison_pairing_gain(const struct model_comparison *comparison)
{
    bool known =
        comparison->statistic.statistic.kind == MODEL_STATISTIC_NONE &&
        (isfinite(comparison->interval.low) || isfinite(comparison->interval.high));
    return known && comparison->paired_width > 0
               ? comparison->shuffled_width / comparison->paired_width
               : (double)NAN;
}

enum model_pairing model_pairing_of(double gain)
{
    const double least = 1.1;
    if (gain >= least) {
        return MODEL_PAIRING_HELPS;
    }
    return gain > 1 / least ? MODEL_PAIRING_IDLE : MODEL_PAIRING_HARMS;
}

const char *model_comparison_command(const struct model_comparison *comparison,
                                     enum model_side side)
{
    const char *command = comparison->commands[side];
    return command != NULL && *command != '\0' ? command : comparison->side_names[side];
}

void model_comparison_warn(struct model_comparison *comparison,
                           enum model_warning_kind kind, const char *format, ...)
{
    if (comparison->warning_count == MODEL_WARNINGS_MAX) {
        return;
    }
    struct model_warning *warning = &comparison->warnings[comparison->warning_count++];
    warning->kind = kind;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(warning->text, sizeof warning->text, format, args);
    va_end(args);
}

void model_probe_release(struct model_probe *probe)
{
    free(probe->skew_ns);
    for (int cpu = 0; cpu < MODEL_PROBE_CPUS; cpu++) {
        free(probe->times_ns[cpu]);
    }
    *probe = (struct model_probe){0};
}
