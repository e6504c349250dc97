/* From gathered values to runs and pairs. */
#include "formats/gather_private.h"

#include "base/alloc.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Order ---- */

struct numbered {
    uint64_t iteration;
    double value;
};

static int compare_numbered(const void *left, const void *right)
{
    const struct numbered *a = left;
    const struct numbered *b = right;
    return (a->iteration > b->iteration) - (a->iteration < b->iteration);
}

static enum duet_code sort_column(const struct gather_slot *slot,
                                  struct gather_column *column,
                                  struct duet_error *reterr)
{
    bool sorted = true;
    for (size_t i = 1; i < column->count; i++) {
        sorted = sorted && column->iterations[i - 1] < column->iterations[i];
    }
    if (sorted) {
        return DUET_OK;
    }
    struct numbered *rows = alloc_array(column->count, sizeof *rows);
    if (rows == NULL) {
        return formats_gather_no_memory(reterr);
    }
    for (size_t i = 0; i < column->count; i++) {
        rows[i] = (struct numbered){column->iterations[i], column->values[i]};
    }
    qsort(rows, column->count, sizeof *rows, compare_numbered);
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < column->count; i++) {
        column->iterations[i] = rows[i].iteration;
        column->values[i] = rows[i].value;
        if (i > 0 && rows[i - 1].iteration == rows[i].iteration) {
            code = error_set(
                reterr, DUET_E_FORMAT,
                "iteration %" PRIu64
                " of run '%s' is there twice on one side; is a column that tells runs or machines apart missing "
                "(--map run=..., instance=...)?",
                rows[i].iteration, strchr(slot->label, '\n') + 1);
        }
    }
    free(rows);
    return code;
}

static int compare_slots(const void *left, const void *right)
{
    const struct gather_slot *a = left;
    const struct gather_slot *b = right;
    int order = (a->number > b->number) - (a->number < b->number);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* By number when all runs are numbers of one instance, else as they appeared. */
static void sort_slots(struct gather_group *group)
{
    bool numbers = true;
    for (size_t i = 0; i < group->count && numbers; i++) {
        struct gather_slot *slot = &group->slots[i];
        numbers =
            slot->label[0] == '\n' &&
            formats_scan_whole(slot->label + 1, slot->label_length - 1, &slot->number);
    }
    if (numbers && group->slots != NULL) {
        qsort(group->slots, group->count, sizeof *group->slots, compare_slots);
    }
}

/* ---- Pairs ---- */

/* Whether each value of the slot has its partner. */
static bool slot_is_paired(const struct gather_slot *slot)
{
    const struct gather_column *old_side = &slot->sides[MODEL_OLD];
    const struct gather_column *new_side = &slot->sides[MODEL_NEW];
    if (old_side->count != new_side->count || old_side->count == 0) {
        return false;
    }
    return old_side->iterations == NULL || new_side->iterations == NULL ||
           memcmp(old_side->iterations, new_side->iterations,
                  old_side->count * sizeof *old_side->iterations) == 0;
}

static bool is_paired(const struct gather_group *group)
{
    bool paired = group->beside && (group->has_runs || group->has_iterations);
    for (size_t i = 0; i < group->count && paired; i++) {
        paired = slot_is_paired(&group->slots[i]);
    }
    return paired;
}

/* Leaves only the iterations that both sides have. */
static enum duet_code pair_slot(struct gather_slot *slot, struct duet_error *reterr)
{
    struct gather_column *old_side = &slot->sides[MODEL_OLD];
    struct gather_column *new_side = &slot->sides[MODEL_NEW];
    if (old_side->iterations == NULL || new_side->iterations == NULL) {
        if (old_side->count == new_side->count) {
            return DUET_OK;
        }
        const char *run = strchr(slot->label, '\n') + 1;
        return error_set(
            reterr, DUET_E_FORMAT,
            "pairs need as many values of old as of new%s%s%s, got %zu and %zu; "
            "leave --paired out, or name the column that numbers the pairs (--map "
            "iteration=...)",
            *run == '\0' ? "" : " in run '", run, *run == '\0' ? "" : "'",
            old_side->count, new_side->count);
    }
    size_t o = 0;
    size_t n = 0;
    size_t kept = 0;
    while (o < old_side->count && n < new_side->count) {
        uint64_t old_index = old_side->iterations[o];
        uint64_t new_index = new_side->iterations[n];
        if (old_index == new_index) {
            old_side->values[kept] = old_side->values[o];
            new_side->values[kept++] = new_side->values[n];
        }
        o += old_index <= new_index ? 1 : 0;
        n += new_index <= old_index ? 1 : 0;
    }
    old_side->count = new_side->count = kept;
    return DUET_OK;
}

/* ---- Runs ---- */

/* Hands the slot's values over to a run. */
static void take_slot(struct gather_slot *slot, struct model_run_values *run)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        run->values[side] = slot->sides[side].values;
        run->counts[side] = slot->sides[side].count;
        slot->sides[side].values = NULL;
    }
}

static enum duet_code runs_of_slots(struct gather_group *group,
                                    struct model_values *values,
                                    struct duet_error *reterr)
{
    values->runs = alloc_array(group->count, sizeof *values->runs);
    if (values->runs == NULL) {
        return formats_gather_no_memory(reterr);
    }
    for (size_t i = 0; i < group->count; i++) {
        struct gather_slot *slot = &group->slots[i];
        bool empty = slot->sides[MODEL_OLD].count + slot->sides[MODEL_NEW].count == 0;
        if (!empty) {
            size_t index = values->run_count++;
            values->runs[index].run = index;
            values->runs[index].block = slot->has_block ? slot->block : index / 2;
            take_slot(slot, &values->runs[index]);
        }
    }
    return DUET_OK;
}

/* One slot of pairs, cut into runs of `length` pairs. */
static enum duet_code runs_of_pairs(const struct gather_slot *slot,
                                    struct model_values *values,
                                    struct duet_error *reterr)
{
    size_t count = slot->sides[MODEL_OLD].count;
    size_t length = (count + FORMATS_RUNS_MAX - 1) / FORMATS_RUNS_MAX;
    size_t runs = (count + length - 1) / length;
    values->runs = alloc_array(runs, sizeof *values->runs);
    if (values->runs == NULL) {
        return formats_gather_no_memory(reterr);
    }
    values->run_count = runs;
    for (size_t r = 0; r < runs; r++) {
        struct model_run_values *run = &values->runs[r];
        size_t from = r * length;
        size_t here = count - from < length ? count - from : length;
        run->run = r;
        run->block = r / 2;
        for (int side = 0; side < MODEL_SIDES; side++) {
            run->values[side] = alloc_array(here, sizeof *run->values[side]);
            if (run->values[side] == NULL) {
                return formats_gather_no_memory(reterr);
            }
            memcpy(run->values[side], slot->sides[side].values + from,
                   here * sizeof *run->values[side]);
            run->counts[side] = here;
        }
    }
    return DUET_OK;
}

static enum duet_code check_sides(const struct gather_group *group,
                                  struct duet_error *reterr)
{
    size_t counts[MODEL_SIDES] = {0, 0};
    for (size_t i = 0; i < group->count; i++) {
        counts[MODEL_OLD] += group->slots[i].sides[MODEL_OLD].count;
        counts[MODEL_NEW] += group->slots[i].sides[MODEL_NEW].count;
    }
    if (counts[MODEL_OLD] > 0 && counts[MODEL_NEW] > 0) {
        return DUET_OK;
    }
    return error_set(reterr, DUET_E_TOO_FEW,
                     counts[MODEL_OLD] + counts[MODEL_NEW] == 0
                         ? "there is no value at all"
                         : "the %s side has no value",
                     model_side_name(counts[MODEL_OLD] == 0 ? MODEL_OLD : MODEL_NEW));
}

static enum duet_code finish(struct gather_group *group, enum formats_pairing pairing,
                             struct formats_data *ret_data, struct duet_error *reterr)
{
    struct formats_data data = {.has_runs = group->has_runs};
    enum duet_code code = DUET_OK;
    sort_slots(group);
    for (size_t i = 0; i < group->count && code == DUET_OK; i++) {
        for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
            struct gather_column *column = &group->slots[i].sides[side];
            if (column->iterations != NULL) {
                code = sort_column(&group->slots[i], column, reterr);
            }
        }
    }
    data.values.paired = pairing == FORMATS_PAIRING_PAIRS ||
                         (pairing == FORMATS_PAIRING_AUTO && is_paired(group));
    for (size_t i = 0; i < group->count && code == DUET_OK && data.values.paired; i++) {
        code = pair_slot(&group->slots[i], reterr);
    }
    if (code == DUET_OK) {
        code = check_sides(group, reterr);
    }
    if (code == DUET_OK) {
        code = data.values.paired && group->count == 1 && !group->has_runs
                   ? runs_of_pairs(&group->slots[0], &data.values, reterr)
                   : runs_of_slots(group, &data.values, reterr);
    }
    formats_gather_forget(group);
    if (code == DUET_OK) {
        *ret_data = data;
    } else {
        formats_data_release(&data);
    }
    return code;
}

enum duet_code formats_gather_finish_group(struct formats_gather *gather, size_t group,
                                           enum formats_pairing pairing,
                                           struct formats_data *ret_data,
                                           struct duet_error *reterr)
{
    return finish(&gather->groups[group], pairing, ret_data, reterr);
}

enum duet_code formats_gather_finish(struct formats_gather *gather,
                                     enum formats_pairing pairing,
                                     struct formats_data *ret_data,
                                     struct duet_error *reterr)
{
    struct gather_group none = {0};
    return finish(gather->names.count == 0 ? &none : gather->groups, pairing, ret_data,
                  reterr);
}

void formats_data_release(struct formats_data *data)
{
    if (data != NULL) {
        model_values_release(&data->values);
        *data = (struct formats_data){0};
    }
}
