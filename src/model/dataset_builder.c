#include "model/dataset_builder.h"

#include "base/alloc.h"
#include "model/name_table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_POINTS = 1024 };

struct model_dataset_builder {
    bool paired;
    bool sorted; /* the points came in their order */
    struct model_name_table names[MODEL_LEVELS];
    uint32_t *numbers[MODEL_LEVELS]; /* of the names, point by point */
    double *values;
    double *olds;
    size_t count;
    size_t capacity;
};

enum duet_code model_dataset_builder_new(bool paired,
                                         struct model_dataset_builder **ret_builder,
                                         struct duet_error *reterr)
{
    struct model_dataset_builder *builder = alloc_array(1, sizeof *builder);
    if (builder == NULL) {
        return error_no_memory(reterr);
    }
    builder->paired = paired;
    builder->sorted = true;
    *ret_builder = builder;
    return DUET_OK;
}

static void release_points(struct model_dataset_builder *builder)
{
    for (int level = 0; level < MODEL_LEVELS; level++) {
        free(builder->numbers[level]);
        builder->numbers[level] = NULL;
    }
    free(builder->values);
    free(builder->olds);
    builder->values = builder->olds = NULL;
    builder->count = builder->capacity = 0;
    builder->sorted = true;
}

void model_dataset_builder_free(struct model_dataset_builder *builder)
{
    if (builder != NULL) {
        release_points(builder);
        for (int level = 0; level < MODEL_LEVELS; level++) {
            model_name_table_release(&builder->names[level]);
        }
        free(builder);
    }
}

static bool grow_doubles(double **values, size_t wanted)
{
    double *grown = alloc_resize(*values, wanted, sizeof *grown);
    *values = grown == NULL ? *values : grown;
    return grown != NULL;
}

bool model_dataset_builder_is_paired(const struct model_dataset_builder *builder)
{
    return builder->paired;
}

/* Room for so many more points. */
static enum duet_code grow(struct model_dataset_builder *builder, size_t more,
                           struct duet_error *reterr)
{
    if (builder->capacity - builder->count >= more) {
        return DUET_OK;
    }
    size_t wanted = builder->capacity == 0 ? FIRST_POINTS : 2 * builder->capacity;
    while (wanted - builder->count < more) {
        wanted *= 2;
    }
    bool done = grow_doubles(&builder->values, wanted) &&
                (!builder->paired || grow_doubles(&builder->olds, wanted));
    for (int level = 0; level < MODEL_LEVELS && done; level++) {
        uint32_t *grown = alloc_resize(builder->numbers[level], wanted, sizeof *grown);
        builder->numbers[level] = grown == NULL ? builder->numbers[level] : grown;
        done = grown != NULL;
    }
    if (!done) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu points", wanted);
    }
    builder->capacity = wanted;
    return DUET_OK;
}

static bool is_time(double value)
{
    return value > 0 && isfinite(value);
}

/* Whether the last point comes behind the one before it. */
static bool in_order(const struct model_dataset_builder *builder)
{
    size_t last = builder->count - 1;
    for (int level = 0; level < MODEL_LEVELS; level++) {
        uint32_t before = builder->numbers[level][last - 1];
        uint32_t now = builder->numbers[level][last];
        if (before != now) {
            return before < now;
        }
    }
    return true;
}

/* Errors: DUET_E_DOMAIN. */
static enum duet_code check_times(const double *values, size_t count,
                                  struct duet_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_time(values[i])) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "a time must be positive and finite, got %g", values[i]);
        }
    }
    return DUET_OK;
}

static void append_points(struct model_dataset_builder *builder,
                          const uint32_t numbers[MODEL_LEVELS], const double *values,
                          const double *olds, size_t count)
{
    size_t first = builder->count;
    memcpy(builder->values + first, values, count * sizeof *values);
    if (builder->paired) {
        memcpy(builder->olds + first, olds, count * sizeof *olds);
    }
    for (int level = 0; level < MODEL_LEVELS; level++) {
        for (size_t i = first; i < first + count; i++) {
            builder->numbers[level][i] = numbers[level];
        }
    }
    builder->count++;
    builder->sorted = builder->sorted && (first == 0 || in_order(builder));
    builder->count = first + count;
}

enum duet_code model_dataset_builder_add_trial(
    struct model_dataset_builder *builder, const struct model_name names[MODEL_LEVELS],
    const double *values, const double *olds, size_t count, struct duet_error *reterr)
{
    uint32_t numbers[MODEL_LEVELS] = {0};
    enum duet_code code = check_times(values, count, reterr);
    if (code == DUET_OK && builder->paired) {
        code = check_times(olds, count, reterr);
    }
    if (code == DUET_OK && count > UINT32_MAX - builder->count) {
        code = error_set(reterr, DUET_E_DOMAIN, "2^32 points or more");
    }
    if (code == DUET_OK) {
        code = grow(builder, count, reterr);
    }
    for (int level = 0; level < MODEL_LEVELS && code == DUET_OK; level++) {
        code = model_name_table_find(&builder->names[level], names[level].bytes,
                                     names[level].length, &numbers[level], reterr);
    }
    if (code == DUET_OK && count > 0) {
        append_points(builder, numbers, values, olds, count);
    }
    return code;
}

enum duet_code model_dataset_builder_add(struct model_dataset_builder *builder,
                                         const struct model_point *point,
                                         struct duet_error *reterr)
{
    return model_dataset_builder_add_trial(builder, point->names, &point->value,
                                           &point->old, 1, reterr);
}

enum duet_code model_dataset_builder_add_again(struct model_dataset_builder *builder,
                                               const struct model_point *point,
                                               uint64_t count,
                                               struct duet_error *reterr)
{
    enum { AT_ONCE = 256 };
    double values[AT_ONCE];
    double olds[AT_ONCE];
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < AT_ONCE && i < count; i++) {
        values[i] = point->value;
        olds[i] = point->old;
    }
    while (count > 0 && code == DUET_OK) {
        size_t here = count < AT_ONCE ? (size_t)count : AT_ONCE;
        code = model_dataset_builder_add_trial(builder, point->names, values, olds,
                                               here, reterr);
        count -= here;
    }
    return code;
}

/* ---- Into order ---- */

/* One stable pass by the numbers of a level: `from` into `to`. starts: as many as there
 * are names, and one more, zeroed. */
static void counting_pass(const uint32_t *numbers, const uint32_t *from, uint32_t *to,
                          size_t count, size_t *starts, size_t names)
{
    for (size_t i = 0; i < count; i++) {
        starts[numbers[i] + 1]++;
    }
    for (size_t n = 0; n < names; n++) {
        starts[n + 1] += starts[n];
    }
    for (size_t i = 0; i < count; i++) {
        to[starts[numbers[from[i]]]++] = from[i];
    }
}

/* By the numbers of the names: `order` and `spare` have room for all points. */
static bool order_by_names(const struct model_dataset_builder *builder, uint32_t *order,
                           uint32_t *spare)
{
    uint32_t *from = order;
    uint32_t *to = spare;
    for (size_t i = 0; i < builder->count; i++) {
        order[i] = (uint32_t)i;
    }
    /* Four passes: what began in `order` ends there. */
    for (int level = MODEL_LEVELS - 1; level >= 0; level--) {
        size_t names = builder->names[level].count;
        size_t *starts = alloc_array(names + 1, sizeof *starts);
        if (starts == NULL) {
            return false;
        }
        counting_pass(builder->numbers[level], from, to, builder->count, starts, names);
        free(starts);
        uint32_t *done = to;
        to = from;
        from = done;
    }
    return true;
}

/* Whether two points have the same names down to a level. */
static bool is_same_down_to(const struct model_dataset_builder *builder, int level,
                            uint32_t a, uint32_t b)
{
    bool same = true;
    for (int l = 0; l <= level && same; l++) {
        same = builder->numbers[l][a] == builder->numbers[l][b];
    }
    return same;
}

/* Benchmarks as they first appear, environments as they first appear in their
 * benchmark, and so on: an order that the points keep when they are read again in it,
 * which the names' own order over all benchmarks is not where some of them miss in one.
 */
static bool order_points(const struct model_dataset_builder *builder, uint32_t *order,
                         uint32_t *spare)
{
    size_t count = builder->count;
    uint32_t *named = alloc_array(count, sizeof *named);
    uint32_t *first = alloc_array(count, sizeof *first);
    bool done = named != NULL && first != NULL && order_by_names(builder, named, spare);
    for (size_t i = 0; i < count && done; i++) {
        order[i] = (uint32_t)i;
    }
    uint32_t *from = order;
    uint32_t *to = spare;
    for (int level = MODEL_LEVELS - 1; level >= 0 && done; level--) {
        size_t *starts = alloc_array(count + 1, sizeof *starts);
        done = starts != NULL;
        for (size_t i = 0; i < count && done; i++) {
            bool same =
                i > 0 && is_same_down_to(builder, level, named[i], named[i - 1]);
            first[named[i]] = same ? first[named[i - 1]] : named[i];
        }
        if (done) {
            counting_pass(first, from, to, count, starts, count);
        }
        free(starts);
        uint32_t *last = to;
        to = from;
        from = last;
    }
    free(named);
    free(first);
    return done;
}

static bool put_doubles(double **values, const uint32_t *order, size_t count)
{
    double *sorted = alloc_array(count, sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (*values)[order[i]];
    }
    free(*values);
    *values = sorted;
    return true;
}

static bool put_numbers(uint32_t **numbers, const uint32_t *order, size_t count)
{
    uint32_t *sorted = alloc_array(count, sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (*numbers)[order[i]];
    }
    free(*numbers);
    *numbers = sorted;
    return true;
}

static bool sort_points(struct model_dataset_builder *builder)
{
    uint32_t *order = alloc_array(builder->count, sizeof *order);
    uint32_t *spare = alloc_array(builder->count, sizeof *spare);
    bool done = order != NULL && spare != NULL && order_points(builder, order, spare);
    free(spare);
    for (int level = 0; level < MODEL_LEVELS && done; level++) {
        done = put_numbers(&builder->numbers[level], order, builder->count);
    }
    done = done && put_doubles(&builder->values, order, builder->count) &&
           (!builder->paired || put_doubles(&builder->olds, order, builder->count));
    free(order);
    builder->sorted = done;
    return done;
}

/* ---- Levels ---- */

/* The highest level at which the point differs from the one before it; MODEL_LEVELS:
 * the same trial. */
static int differs_at(const struct model_dataset_builder *builder, size_t point)
{
    int level = 0;
    while (point > 0 && level < MODEL_LEVELS &&
           builder->numbers[level][point] == builder->numbers[level][point - 1]) {
        level++;
    }
    return level;
}

static bool allocate_levels(const struct model_dataset_builder *builder,
                            struct model_dataset *made)
{
    for (size_t i = 0; i < builder->count; i++) {
        int level = differs_at(builder, i);
        made->trial_count += level <= MODEL_LEVEL_TRIAL ? 1 : 0;
        made->instance_count += level <= MODEL_LEVEL_INSTANCE ? 1 : 0;
        made->configuration_count += level <= MODEL_LEVEL_ENVIRONMENT ? 1 : 0;
    }
    made->trials = alloc_array(made->trial_count, sizeof *made->trials);
    made->instances = alloc_array(made->instance_count, sizeof *made->instances);
    made->configurations =
        alloc_array(made->configuration_count, sizeof *made->configurations);
    return made->trials != NULL && made->instances != NULL &&
           made->configurations != NULL;
}

static void fill_levels(const struct model_dataset_builder *builder,
                        struct model_dataset *made)
{
    size_t trials = 0;
    size_t instances = 0;
    size_t configurations = 0;
    for (size_t i = 0; i < builder->count; i++) {
        int level = differs_at(builder, i);
        if (level <= MODEL_LEVEL_ENVIRONMENT) {
            made->configurations[configurations++] = (struct model_configuration){
                .benchmark = builder->numbers[MODEL_LEVEL_BENCHMARK][i],
                .environment = builder->numbers[MODEL_LEVEL_ENVIRONMENT][i],
                .first = instances};
        }
        if (level <= MODEL_LEVEL_INSTANCE) {
            made->instances[instances++] = (struct model_instance){
                .first = trials, .name = builder->numbers[MODEL_LEVEL_INSTANCE][i]};
            made->configurations[configurations - 1].count++;
        }
        if (level <= MODEL_LEVEL_TRIAL) {
            made->trials[trials++] = (struct model_trial){
                .first = i, .name = builder->numbers[MODEL_LEVEL_TRIAL][i]};
            made->instances[instances - 1].count++;
        }
        made->trials[trials - 1].count++;
    }
}

/* The points' own array, without what it has grown too much. */
static double *take_values(double **values, size_t count)
{
    double *shrunk =
        *values == NULL ? NULL : alloc_resize(*values, count, sizeof *shrunk);
    double *taken = shrunk == NULL ? *values : shrunk;
    *values = NULL;
    return taken;
}

enum duet_code model_dataset_builder_finish(struct model_dataset_builder *builder,
                                            struct model_dataset *ret_dataset,
                                            struct duet_error *reterr)
{
    if (builder->count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "the data have no value");
    }
    struct model_dataset made = {.value_count = builder->count};
    if (!(builder->sorted || sort_points(builder)) ||
        !allocate_levels(builder, &made)) {
        model_dataset_release(&made);
        return error_set(reterr, DUET_E_NOMEM, "no memory to sort %zu points",
                         builder->count);
    }
    fill_levels(builder, &made);
    made.values = take_values(&builder->values, builder->count);
    made.olds = take_values(&builder->olds, builder->count);
    release_points(builder);
    made.benchmarks = model_name_table_take(&builder->names[MODEL_LEVEL_BENCHMARK],
                                            &made.benchmark_count);
    made.environments = model_name_table_take(&builder->names[MODEL_LEVEL_ENVIRONMENT],
                                              &made.environment_count);
    made.instance_names = model_name_table_take(&builder->names[MODEL_LEVEL_INSTANCE],
                                                &made.instance_name_count);
    made.trial_names = model_name_table_take(&builder->names[MODEL_LEVEL_TRIAL],
                                             &made.trial_name_count);
    *ret_dataset = made;
    return DUET_OK;
}
