#include "stats/bootstrap/resample.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "stats/bootstrap/resample_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum duet_code check(const struct stats_question *question, bool with_squares,
                            struct duet_error *reterr)
{
    bool two = question->contrast != STATS_CONTRAST_NONE;
    if (question->paired && two &&
        question->groups[0].count != question->groups[1].count) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "pairs need groups of one size, got %zu and %zu values",
                         question->groups[0].count, question->groups[1].count);
    }
    if (!with_squares) {
        return DUET_OK;
    }
    bool mean = question->statistic.kind == STATS_STATISTIC_MEAN ||
                question->statistic.kind == STATS_STATISTIC_GEOMEAN;
    bool plain = question->scheme == STATS_SCHEME_UNITS &&
                 question->groups[0].levels == NULL &&
                 (!two || question->groups[1].levels == NULL);
    if (!mean || !plain || (two && question->paired)) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the studentized interval is for means and geometric means of "
                         "independent values; use the percentile or BCa interval");
    }
    return DUET_OK;
}

static enum duet_code group_init(struct resample_group *group,
                                 const struct stats_question *question, size_t which,
                                 bool with_squares, struct duet_error *reterr)
{
    const struct stats_group *data = &question->groups[which];
    enum duet_code code =
        stats_column_init(data->values, data->count, &question->statistic, with_squares,
                          question->rooms[which], &group->column, reterr);
    if (code == DUET_OK && group->drawn_by == NULL) {
        code = stats_sampler_new(question->scheme, question->block_length, data->levels,
                                 data->count, &group->sampler, reterr);
        group->drawn_by = group->sampler;
    }
    if (code == DUET_OK && group->column.values != NULL) {
        code = stats_summand_init(group->drawn_by, group->column.values, &group->values,
                                  reterr);
    }
    if (code == DUET_OK && group->column.squares != NULL) {
        code = stats_summand_init(group->drawn_by, group->column.squares,
                                  &group->squares, reterr);
    }
    return code;
}

enum duet_code resample_plan_init(const struct stats_question *question,
                                  bool with_squares, struct resample_plan *ret_plan,
                                  struct duet_error *reterr)
{
    struct resample_plan plan = {
        .question = question,
        .group_count = question->contrast == STATS_CONTRAST_NONE ? 1 : 2,
        .with_squares = with_squares,
    };
    enum duet_code code = check(question, with_squares, reterr);
    for (size_t g = 0; g < plan.group_count && code == DUET_OK; g++) {
        if (g == 1 && question->paired) {
            plan.groups[1].drawn_by = plan.groups[0].sampler;
        } else {
            plan.groups[g].part = (uint32_t)g * STATS_SAMPLER_PARTS;
        }
        code = group_init(&plan.groups[g], question, g, with_squares, reterr);
    }
    if (code != DUET_OK) {
        resample_plan_release(&plan);
        return code;
    }
    *ret_plan = plan;
    return DUET_OK;
}

void resample_plan_release(struct resample_plan *plan)
{
    for (size_t g = 0; g < plan->group_count; g++) {
        stats_column_release(&plan->groups[g].column);
        stats_sampler_free(plan->groups[g].sampler);
        stats_summand_release(&plan->groups[g].values);
        stats_summand_release(&plan->groups[g].squares);
    }
    *plan = (struct resample_plan){0};
}

struct resample_value resample_contrast(const struct resample_plan *plan,
                                        const struct resample_value *groups)
{
    if (plan->group_count == 1) {
        return groups[0];
    }
    struct resample_value from = groups[0];
    struct resample_value to = groups[1];
    if (plan->question->contrast == STATS_CONTRAST_DIFFERENCE) {
        return (struct resample_value){to.value - from.value,
                                       hypot(to.error, from.error)};
    }
    double ratio = to.value / from.value;
    double error = fabs(ratio) * hypot(to.error / to.value, from.error / from.value);
    return (struct resample_value){ratio, error};
}

struct resample_value resample_estimate(const struct resample_plan *plan)
{
    struct resample_value values[2] = {{0}};
    for (size_t g = 0; g < plan->group_count; g++) {
        const struct stats_column *column = &plan->groups[g].column;
        values[g].value = stats_column_of_all(column);
        if (plan->with_squares) {
            values[g].error = stats_column_error(column, &column->all);
        }
    }
    return resample_contrast(plan, values);
}

static struct resample_value replicate_of(const struct resample_plan *plan,
                                          const struct resample_group *group,
                                          const struct stats_resampling *how,
                                          uint64_t stream, uint32_t *times)
{
    struct stats_draw_site site = {how->seed, stream, group->part, how->simd};
    struct resample_value made = {0};
    if (group->column.values == NULL) {
        memset(times, 0, group->column.count * sizeof *times);
        size_t total =
            stats_sampler_tally(group->drawn_by, &site, group->column.ranks, times);
        made.value = stats_column_of_tally(&group->column, times, total);
        return made;
    }
    struct stats_sums sums = {0};
    sums.values =
        stats_sampler_sum(group->drawn_by, &site, &group->values, &sums.count);
    if (group->column.squares != NULL) {
        /* The same site: the same draws. */
        sums.squares =
            stats_sampler_sum(group->drawn_by, &site, &group->squares, &sums.count);
    }
    made.value = stats_column_of_sums(&group->column, &sums);
    if (plan->with_squares) {
        made.error = stats_column_error(&group->column, &sums);
    }
    return made;
}

static enum duet_code check_replicates(const double *replicates, size_t count,
                                       struct duet_error *reterr)
{
    for (size_t b = 0; b < count; b++) {
        if (!isfinite(replicates[b])) {
            return error_set(
                reterr, DUET_E_DOMAIN,
                "replicate %zu of %zu has no value (%g): a resample's mean is 0, "
                "its spread unknown or its sum beyond any number; use a difference "
                "instead of a ratio, or more values",
                b + 1, count, replicates[b]);
        }
    }
    return DUET_OK;
}

/* All replicates, and room to count drawn values for each thread. */
struct replication {
    const struct resample_plan *plan;
    const struct stats_resampling *how;
    uint32_t *times;
    size_t room; /* of a thread */
    double *replicates;
    double *errors; /* NULL: not wanted */
};

static enum duet_code replicate_some(void *context, size_t first, size_t end,
                                     size_t thread, struct duet_error *reterr)
{
    (void)reterr;
    const struct replication *all = context;
    const struct resample_plan *plan = all->plan;
    for (size_t b = first; b < end; b++) {
        struct resample_value groups[2] = {{0}};
        for (size_t g = 0; g < plan->group_count; g++) {
            groups[g] =
                replicate_of(plan, &plan->groups[g], all->how, all->how->stream + b,
                             all->times + thread * all->room);
        }
        struct resample_value made = resample_contrast(plan, groups);
        all->replicates[b] = made.value;
        if (all->errors != NULL) {
            all->errors[b] = made.error;
        }
    }
    return DUET_OK;
}

enum duet_code resample_run(const struct resample_plan *plan,
                            const struct stats_resampling *how, double *ret_replicates,
                            double *ret_errors, struct duet_error *reterr)
{
    if (how->replicates == 0) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "a bootstrap needs at least one replicate");
    }
    bool tally = plan->groups[0].column.values == NULL;
    size_t draws = 0;
    size_t longest = 0;
    for (size_t g = 0; g < plan->group_count; g++) {
        size_t values = plan->groups[g].column.count;
        draws += tally ? values : stats_sampler_draws(plan->groups[g].drawn_by);
        longest = values > longest ? values : longest;
    }
    bool many = (double)how->replicates * (double)draws > STATS_PARALLEL_DRAWS;
    int threads = many ? threads_usual() : 1;
    uint32_t *times =
        alloc_array((size_t)threads, (tally ? longest : 1) * sizeof *times);
    if (times == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to count %zu values",
                         longest);
    }
    struct replication all = {plan,           how,       times, tally ? longest : 0,
                              ret_replicates, ret_errors};
    threads_do(&(struct threads_loop){.count = how->replicates,
                                      .threads = threads,
                                      .body = replicate_some,
                                      .context = &all});
    free(times);
    return check_replicates(ret_replicates, how->replicates, reterr);
}

enum duet_code stats_resample(const struct stats_question *question,
                              const struct stats_resampling *how, double *ret_estimate,
                              double *ret_replicates, struct duet_error *reterr)
{
    struct resample_plan plan = {0};
    enum duet_code code = resample_plan_init(question, false, &plan, reterr);
    if (code != DUET_OK) {
        return code;
    }
    double estimate = resample_estimate(&plan).value;
    code = isfinite(estimate)
               ? resample_run(&plan, how, ret_replicates, NULL, reterr)
               : error_set(reterr, DUET_E_DOMAIN,
                           "the estimate does not exist: it divides by 0");
    if (code == DUET_OK) {
        *ret_estimate = estimate;
    }
    resample_plan_release(&plan);
    return code;
}
