#include "study/study_resampling.h"

#include "base/alloc.h"
#include "base/random.h"
#include "base/threads.h"
#include "stats/bootstrap/blockreplicate.h"
#include "stats/bootstrap/bootstrap.h"
#include "stats/moments.h"
#include "stats/rank/order.h"
#include "stats/series.h"
#include "study/study_truth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 20, POINTS_MIN = 2 * STUDY_BLOCK_LENGTH };
static const uint64_t streams = UINT64_C(0xE800) << 48U;
static const double central = 0.9;

const char *study_bootstrap_name(enum study_bootstrap bootstrap)
{
    return bootstrap == STUDY_BOOTSTRAP_BASIC ? "basic" : "block";
}

void study_resampling_trace_release(struct study_resampling_trace *trace)
{
    for (size_t b = 0; b < STUDY_BOOTSTRAPS; b++) {
        free(trace->sample[b]);
        free(trace->acfs[b]);
        free(trace->shares[b]);
        trace->sample[b] = trace->acfs[b] = trace->shares[b] = NULL;
    }
}

/* Copies numbers for a picture; ret_copy NULL: it is not wanted. */
static enum duet_code keep(const double *numbers, size_t count, double **ret_copy,
                           struct duet_error *reterr)
{
    if (ret_copy == NULL) {
        return DUET_OK;
    }
    *ret_copy = alloc_array(count, sizeof **ret_copy);
    if (*ret_copy == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a picture's numbers");
    }
    memcpy(*ret_copy, numbers, count * sizeof *numbers);
    return DUET_OK;
}

static size_t block_of(enum study_bootstrap bootstrap)
{
    return bootstrap == STUDY_BOOTSTRAP_BASIC ? 1 : STUDY_BLOCK_LENGTH;
}

/* The lag-1 autocorrelation of one circular resample; NaN: all its values are equal. */
static enum duet_code resampled_acf(const double *values, size_t count, size_t length,
                                    struct random_stream *stream, double *room,
                                    double *ret_acf, struct duet_error *reterr)
{
    double acf[2] = {0.0, 0.0};
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        at = i % length == 0 ? random_below(stream, (uint32_t)count) : at + 1;
        at = at == count ? 0 : at;
        room[i] = values[at];
    }
    enum duet_code code = DUET_OK;
    acf[1] = (double)NAN;
    if (!stats_is_constant(room, count)) {
        code = stats_autocorrelation(room, count, 1, acf, reterr);
    }
    *ret_acf = acf[1];
    return code;
}

/* The mean and the range of those that are known; reorders them. */
static enum duet_code range_of(double *acfs, size_t count,
                               struct study_resampled *ret_made,
                               struct duet_error *reterr)
{
    struct stats_interval range = {(double)NAN, (double)NAN};
    double sum = 0.0;
    size_t known = 0;
    for (size_t b = 0; b < count; b++) {
        if (!isnan(acfs[b])) {
            sum += acfs[b];
            acfs[known++] = acfs[b];
        }
    }
    enum duet_code code =
        known == 0 ? DUET_OK
                   : stats_interval_percentile(acfs, known, central, &range, reterr);
    ret_made->acf_mean = sum / (double)known;
    ret_made->acf_low = range.low;
    ret_made->acf_high = range.high;
    return code;
}

static enum duet_code fill_acfs(const struct study_stopping_plan *plan,
                                const double *values, size_t count, uint64_t stream,
                                enum study_bootstrap bootstrap, double *acfs,
                                struct study_resampling_trace *trace,
                                struct study_resampled *ret_made,
                                struct duet_error *reterr)
{
    double *room = alloc_array(count, sizeof *room);
    enum duet_code code = DUET_OK;
    if (room == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a resample");
    }
    for (size_t b = 0; b < plan->replicates && code == DUET_OK; b++) {
        struct random_stream own = random_stream_at(plan->seed, stream + b);
        code = resampled_acf(values, count, block_of(bootstrap), &own, room, &acfs[b],
                             reterr);
        if (code == DUET_OK && b == 0) {
            code = keep(room, count, trace == NULL ? NULL : &trace->sample[bootstrap],
                        reterr);
        }
    }
    if (code == DUET_OK) {
        code = keep(acfs, plan->replicates,
                    trace == NULL ? NULL : &trace->acfs[bootstrap], reterr);
    }
    if (code == DUET_OK) {
        code = range_of(acfs, plan->replicates, ret_made, reterr);
    }
    free(room);
    return code;
}

/* The interval of the statistic of some values, as shares of it, and the statistic. */
static enum duet_code interval_of(const struct study_stopping_plan *plan,
                                  const double *values, size_t count, uint64_t stream,
                                  enum study_bootstrap bootstrap, double *replicates,
                                  struct stats_interval *ret_interval,
                                  double *ret_value, struct duet_error *reterr)
{
    const struct stats_statistic *statistic =
        &plan->statistics[plan->statistic_count - 1];
    struct stats_block_plan blocks =
        stats_block_plan_circular(count, (double)block_of(bootstrap));
    struct stats_block_replicator *replicator = NULL;
    enum duet_code code =
        analysis_stop_statistic(statistic, values, count, ret_value, reterr);
    if (code == DUET_OK) {
        code = stats_block_replicator_new(values, count, &blocks, statistic,
                                          &replicator, reterr);
    }
    for (size_t b = 0; b < plan->replicates && code == DUET_OK; b++) {
        struct stats_draw_site site = {.seed = plan->seed, .stream = stream + b};
        replicates[b] = stats_block_replicate(replicator, &site) / *ret_value - 1.0;
    }
    stats_block_replicator_free(replicator);
    if (code == DUET_OK) {
        code = stats_interval_percentile(replicates, plan->replicates, plan->confidence,
                                         ret_interval, reterr);
    }
    return code;
}

/* A test from `start` on: whether it stopped, and with which result. */
static enum duet_code run_test(const struct study_stopping_plan *plan,
                               const struct study_series *series, size_t start,
                               uint64_t stream, enum study_bootstrap bootstrap,
                               double *replicates, bool *ret_stopped,
                               double *ret_result, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    *ret_stopped = false;
    for (size_t points = POINTS_MIN;
         code == DUET_OK && !*ret_stopped && start + points <= series->test_points;
         points += STUDY_BLOCK_LENGTH) {
        struct stats_interval interval = {0};
        code = interval_of(plan, series->values + start, points,
                           stream + ((uint64_t)points << BITS), bootstrap, replicates,
                           &interval, ret_result, reterr);
        *ret_stopped = code == DUET_OK && interval.low > -plan->errors[0] &&
                       interval.high < plan->errors[0];
    }
    return code;
}

static enum duet_code run_tests(const struct study_stopping_plan *plan,
                                const struct study_series *series, uint64_t number,
                                enum study_bootstrap bootstrap, double *replicates,
                                struct study_resampled *made, struct duet_error *reterr)
{
    double truth = 0.0;
    enum duet_code code = study_truth_of(
        series, &plan->statistics[plan->statistic_count - 1], &truth, reterr);
    for (uint64_t t = 0; t < STUDY_RESAMPLING_TESTS && code == DUET_OK; t++) {
        bool stopped = false;
        double result = 0.0;
        /* Over the first third, so that two thirds lie before each. */
        size_t start = (size_t)t * (series->test_points / 3) / STUDY_RESAMPLING_TESTS;
        uint64_t stream = streams + (number << 44U) + ((t + 2) << 36U);
        code = run_test(plan, series, start, stream, bootstrap, replicates, &stopped,
                        &result, reterr);
        made->tests++;
        made->stopped += stopped ? 1 : 0;
        made->accurate +=
            stopped && fabs(result - truth) / truth < plan->errors[0] ? 1 : 0;
    }
    return code;
}

static enum duet_code fill_row(const struct study_stopping_plan *plan,
                               const struct study_series *series, uint64_t number,
                               struct study_resampling_row *ret_row,
                               struct study_resampling_trace *trace,
                               struct duet_error *reterr)
{
    struct study_resampling_row row = {0};
    double acf[2] = {0.0, (double)NAN};
    double *replicates = alloc_array(plan->replicates, sizeof *replicates);
    if (replicates == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for the replicates");
    }
    size_t week = (size_t)(STUDY_WEEK * series->interval);
    row.points = week < series->test_points ? week : series->test_points;
    enum duet_code code = DUET_OK;
    if (row.points < 2 || !stats_is_constant(series->values, row.points)) {
        code = stats_autocorrelation(series->values, row.points, 1, acf, reterr);
    }
    row.acf = acf[1];
    for (int b = 0; b < STUDY_BOOTSTRAPS && code == DUET_OK; b++) {
        enum study_bootstrap bootstrap = (enum study_bootstrap)b;
        struct study_resampled *made = &row.of[b];
        struct stats_interval interval = {0};
        double value = 0.0;
        uint64_t stream = streams + (number << 44U);
        code = fill_acfs(plan, series->values, row.points, stream, bootstrap,
                         replicates, trace, made, reterr);
        if (code == DUET_OK) {
            code = interval_of(plan, series->values, row.points,
                               stream + (UINT64_C(1) << 36U), bootstrap, replicates,
                               &interval, &value, reterr);
        }
        if (code == DUET_OK) {
            code = keep(replicates, plan->replicates,
                        trace == NULL ? NULL : &trace->shares[b], reterr);
        }
        made->low = interval.low;
        made->high = interval.high;
        if (code == DUET_OK) {
            code = run_tests(plan, series, number, bootstrap, replicates, made, reterr);
        }
    }
    if (code == DUET_OK) {
        *ret_row = row;
    }
    free(replicates);
    return code;
}

/* ---- Units ---- */

/* The numbers of a row, and of each bootstrap in it. */
enum { OF_POINTS, OF_ACF, OF_ROW };
enum {
    OF_ACF_MEAN,
    OF_ACF_LOW,
    OF_ACF_HIGH,
    OF_LOW,
    OF_HIGH,
    OF_TESTS,
    OF_STOPPED,
    OF_ACCURATE,
    OF_BOOTSTRAP
};
enum { ROW_NUMBERS = OF_ROW + STUDY_BOOTSTRAPS * OF_BOOTSTRAP };

static size_t numbers_of(const struct study_stopping_plan *plan,
                         const struct study_resampling_row *row, bool traced)
{
    size_t of_trace = row->points + 2 * plan->replicates;
    return ROW_NUMBERS + (traced ? STUDY_BOOTSTRAPS * of_trace : 0);
}

static void pack(const struct study_resampling_row *row, double *numbers)
{
    numbers[OF_POINTS] = (double)row->points;
    numbers[OF_ACF] = row->acf;
    for (size_t b = 0; b < STUDY_BOOTSTRAPS; b++) {
        const struct study_resampled *made = &row->of[b];
        double *of = numbers + OF_ROW + b * OF_BOOTSTRAP;
        of[OF_ACF_MEAN] = made->acf_mean;
        of[OF_ACF_LOW] = made->acf_low;
        of[OF_ACF_HIGH] = made->acf_high;
        of[OF_LOW] = made->low;
        of[OF_HIGH] = made->high;
        of[OF_TESTS] = (double)made->tests;
        of[OF_STOPPED] = (double)made->stopped;
        of[OF_ACCURATE] = (double)made->accurate;
    }
}

static bool unpack(const struct study_page *page, size_t points,
                   struct study_resampling_row *ret_row)
{
    uint64_t known_points = 0;
    bool right = page->count >= ROW_NUMBERS &&
                 study_page_whole(page, OF_POINTS, points, &known_points);
    for (size_t b = 0; b < STUDY_BOOTSTRAPS && right; b++) {
        struct study_resampled *made = &ret_row->of[b];
        size_t at = OF_ROW + b * OF_BOOTSTRAP;
        const double *of = page->numbers + at;
        right =
            study_page_whole(page, at + OF_TESTS, STUDY_RESAMPLING_TESTS,
                             &made->tests) &&
            study_page_whole(page, at + OF_STOPPED, made->tests, &made->stopped) &&
            study_page_whole(page, at + OF_ACCURATE, made->stopped, &made->accurate);
        made->acf_mean = of[OF_ACF_MEAN];
        made->acf_low = of[OF_ACF_LOW];
        made->acf_high = of[OF_ACF_HIGH];
        made->low = of[OF_LOW];
        made->high = of[OF_HIGH];
    }
    if (right) {
        ret_row->points = (size_t)known_points;
        ret_row->acf = page->numbers[OF_ACF];
    }
    return right;
}

/* The lists of a trace, one after the other, from numbers on. */
static void pack_trace(const struct study_stopping_plan *plan, size_t points,
                       const struct study_resampling_trace *trace, double *numbers)
{
    for (size_t b = 0; b < STUDY_BOOTSTRAPS; b++) {
        memcpy(numbers, trace->sample[b], points * sizeof *numbers);
        numbers += points;
        memcpy(numbers, trace->acfs[b], plan->replicates * sizeof *numbers);
        numbers += plan->replicates;
        memcpy(numbers, trace->shares[b], plan->replicates * sizeof *numbers);
        numbers += plan->replicates;
    }
}

static enum duet_code unpack_trace(const struct study_stopping_plan *plan,
                                   size_t points, const double *numbers,
                                   struct study_resampling_trace *trace,
                                   struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t b = 0; b < STUDY_BOOTSTRAPS && code == DUET_OK; b++) {
        code = keep(numbers, points, &trace->sample[b], reterr);
        numbers += points;
        if (code == DUET_OK) {
            code = keep(numbers, plan->replicates, &trace->acfs[b], reterr);
        }
        numbers += plan->replicates;
        if (code == DUET_OK) {
            code = keep(numbers, plan->replicates, &trace->shares[b], reterr);
        }
        numbers += plan->replicates;
    }
    return code;
}

/* All series; those from `first` on are shared among the threads. */
struct filling {
    const struct study_stopping_plan *plan;
    const struct study_series *series;
    size_t first;
    struct study_resampling_row *rows;
    struct study_resampling_trace *traces; /* NULL: not wanted */
};

static bool is_computed(const struct filling *all, size_t i)
{
    return study_book_find(all->plan->book, i) == NULL &&
           study_book_wants(all->plan->book, i);
}

static struct study_resampling_trace *trace_of(const struct filling *all, size_t i)
{
    return all->traces == NULL ? NULL : &all->traces[i];
}

static enum duet_code fill_some(void *context, size_t first, size_t end, size_t thread,
                                struct duet_error *reterr)
{
    (void)thread;
    const struct filling *all = context;
    for (size_t i = all->first + first; i < all->first + end; i++) {
        struct duet_error error = {0};
        enum duet_code code = is_computed(all, i)
                                  ? fill_row(all->plan, &all->series[i], i,
                                             &all->rows[i], trace_of(all, i), &error)
                                  : DUET_OK;
        if (code != DUET_OK) {
            return error_set(reterr, code, "%s: %s", all->series[i].name,
                             error.message);
        }
    }
    return DUET_OK;
}

static enum duet_code keep_row(const struct filling *all, size_t i,
                               struct duet_error *reterr)
{
    const struct study_resampling_row *row = &all->rows[i];
    size_t count = numbers_of(all->plan, row, all->traces != NULL);
    double *numbers = NULL;
    if (all->plan->book == NULL) {
        return DUET_OK;
    }
    numbers = alloc_array(count, sizeof *numbers);
    if (numbers == NULL) {
        return error_no_memory(reterr);
    }
    pack(row, numbers);
    if (all->traces != NULL) {
        pack_trace(all->plan, row->points, &all->traces[i], numbers + ROW_NUMBERS);
    }
    enum duet_code code = study_book_put(all->plan->book, i, numbers, count, reterr);
    free(numbers);
    return code;
}

static enum duet_code take_known(const struct filling *all, size_t i,
                                 struct duet_error *reterr)
{
    const struct study_page *known = study_book_find(all->plan->book, i);
    struct study_resampling_row *row = &all->rows[i];
    if (!unpack(known, all->series[i].test_points, row) ||
        known->count != numbers_of(all->plan, row, all->traces != NULL)) {
        *row = (struct study_resampling_row){0};
        return study_page_wrong(i, reterr);
    }
    return all->traces == NULL
               ? DUET_OK
               : unpack_trace(all->plan, row->points, known->numbers + ROW_NUMBERS,
                              &all->traces[i], reterr);
}

/* `count` series from all->first on. */
static enum duet_code take_some(struct filling *all, size_t count, size_t threads,
                                struct duet_error *reterr)
{
    const struct threads_loop loop = {.count = count,
                                      .chunk = 1,
                                      .threads = (int)threads,
                                      .body = fill_some,
                                      .context = all};
    enum duet_code code = threads_for(&loop, reterr);
    for (size_t i = all->first; i < all->first + count && code == DUET_OK; i++) {
        if (study_book_find(all->plan->book, i) != NULL) {
            code = take_known(all, i, reterr);
        } else if (study_book_wants(all->plan->book, i)) {
            code = keep_row(all, i, reterr);
        }
    }
    return code;
}

enum duet_code
study_resampling_run(const struct study_stopping_plan *plan,
                     const struct study_series *series, size_t series_count,
                     bool (*progress)(void *context, uint64_t done, uint64_t planned),
                     void *context, struct study_resampling_row *ret_rows,
                     struct study_resampling_trace *ret_traces,
                     struct duet_error *reterr)
{
    size_t threads = (size_t)threads_wanted(plan->threads);
    struct filling filling = {plan, series, 0, ret_rows, ret_traces};
    enum duet_code code = study_stopping_check(plan, series, series_count, reterr);
    for (size_t i = 0; i < series_count && code == DUET_OK; i++) {
        ret_rows[i] = (struct study_resampling_row){0};
    }
    for (size_t i = 0; i < series_count && code == DUET_OK; i += threads) {
        size_t left = series_count - i;
        if (progress != NULL && !progress(context, i, series_count)) {
            return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
        }
        filling.first = i;
        code = take_some(&filling, left < threads ? left : threads, threads, reterr);
    }
    return code;
}
