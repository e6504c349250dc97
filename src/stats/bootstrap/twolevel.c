#include "stats/bootstrap/twolevel.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "stats/bootstrap/draw.h"
#include "stats/moments.h"
#include "stats/statistic.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS_AT_ONCE = 256, PART_RUNS = 0, PART_ITERATIONS = 1 };

static double resampled_mean(const struct stats_run *run, struct stats_source *source)
{
    static const size_t from_the_first = 0;
    struct stats_bound bound = stats_bound_of((uint32_t)run->count);
    double lanes[STATS_LANES] = {0};
    stats_draw_sums(source, &bound, run->values, &from_the_first, 1, run->count, lanes);
    return stats_lanes_sum(lanes) / (double)run->count;
}

/* Drawing how often each value comes, and walking over the sorted values once, saves
 * sorting every resample. */
static double resampled_ordered(const struct stats_run *run,
                                enum stats_location location,
                                struct stats_source *source, uint32_t *times)
{
    struct stats_bound bound = stats_bound_of((uint32_t)run->count);
    uint32_t drawn[DRAWS_AT_ONCE];
    memset(times, 0, run->count * sizeof *times);
    for (size_t done = 0; done < run->count;) {
        size_t left = run->count - done;
        size_t draws = left < DRAWS_AT_ONCE ? left : DRAWS_AT_ONCE;
        stats_draw_indices(source, &bound, drawn, draws);
        for (size_t i = 0; i < draws; i++) {
            times[drawn[i]]++;
        }
        done += draws;
    }
    size_t cut = location == STATS_LOCATION_MEDIAN ? (run->count - 1) / 2
                                                   : stats_trimmed_cut(run->count);
    return stats_tally_mean(run->values, times, cut, run->count - 1 - cut);
}

static double resampled_estimate(const struct stats_runs *side, uint64_t values,
                                 enum stats_location location,
                                 const struct stats_resampling *how, uint64_t stream,
                                 uint32_t *times)
{
    struct stats_bound bound = stats_bound_of((uint32_t)side->count);
    struct stats_source runs;
    struct stats_source iterations;
    stats_source_init(&runs, how->seed, stream, PART_RUNS,
                      stats_bound_rows(&bound, side->count), how->simd);
    stats_source_init(&iterations, how->seed, stream, PART_ITERATIONS,
                      values / STATS_ROW_WORDS, how->simd);
    double sum = 0.0;
    for (size_t i = 0; i < side->count; i++) {
        uint32_t drawn = 0;
        stats_draw_indices(&runs, &bound, &drawn, 1);
        const struct stats_run *run = &side->runs[drawn];
        sum += location == STATS_LOCATION_MEAN
                   ? resampled_mean(run, &iterations)
                   : resampled_ordered(run, location, &iterations, times);
    }
    return sum / (double)side->count;
}

static enum duet_code check(const struct stats_runs *side, size_t *longest,
                            size_t *total, struct duet_error *reterr)
{
    if (side->count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "a side has no run");
    }
    for (size_t i = 0; i < side->count; i++) {
        const struct stats_run *run = &side->runs[i];
        if (run->count == 0) {
            return error_set(reterr, DUET_E_TOO_FEW, "run %zu of %zu has no values",
                             i + 1, side->count);
        }
        if (run->count > UINT32_MAX || side->count > UINT32_MAX) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "a bootstrap takes fewer than 2^32 runs and values");
        }
        size_t most = run->count > side->count ? run->count : side->count;
        enum duet_code code =
            stats_check_summable(run->values, run->count, 2 * most, reterr);
        if (code != DUET_OK) {
            return code;
        }
        *longest = run->count > *longest ? run->count : *longest;
        *total += run->count;
    }
    return DUET_OK;
}

/* All replicates, and room to count drawn values for each thread. */
struct replication {
    const struct stats_runs *from;
    const struct stats_runs *to;
    size_t from_values;
    size_t to_values;
    enum stats_location location;
    const struct stats_resampling *how;
    uint32_t *times;
    size_t room; /* of a thread */
    double *replicates;
};

static enum duet_code replicate_some(void *context, size_t first, size_t end,
                                     size_t thread, struct duet_error *reterr)
{
    (void)reterr;
    const struct replication *all = context;
    uint32_t *times = all->times + thread * all->room;
    for (size_t b = first; b < end; b++) {
        uint64_t stream = all->how->stream + 2 * (uint64_t)b;
        double start = resampled_estimate(all->from, all->from_values, all->location,
                                          all->how, stream, times);
        double stop = resampled_estimate(all->to, all->to_values, all->location,
                                         all->how, stream + 1, times);
        all->replicates[b] = stop - start;
    }
    return DUET_OK;
}

enum duet_code stats_twolevel_difference(const struct stats_runs *from,
                                         const struct stats_runs *to,
                                         enum stats_location location,
                                         const struct stats_resampling *how,
                                         double *ret_replicates,
                                         struct duet_error *reterr)
{
    size_t longest = 0;
    size_t total = 0;
    enum duet_code code = check(from, &longest, &total, reterr);
    size_t from_values = total;
    if (code == DUET_OK) {
        code = check(to, &longest, &total, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    size_t replicates = how->replicates;
    bool many = (double)replicates * (double)total > STATS_PARALLEL_DRAWS;
    int threads = many ? threads_usual() : 1;
    uint32_t *times = alloc_array((size_t)threads, longest * sizeof *times);
    if (times == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a run of %zu values",
                         longest);
    }
    struct replication all = {.from = from,
                              .to = to,
                              .from_values = from_values,
                              .to_values = total - from_values,
                              .location = location,
                              .how = how,
                              .times = times,
                              .room = longest,
                              .replicates = ret_replicates};
    threads_do(&(struct threads_loop){.count = replicates,
                                      .threads = threads,
                                      .body = replicate_some,
                                      .context = &all});
    free(times);
    return DUET_OK;
}
