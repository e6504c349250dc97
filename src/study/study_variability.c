#include "study/study_variability.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "stats/bootstrap/nested.h"
#include "stats/moments.h"
#include "study/grid/study_subject.h"
#include "study/study_streams.h"

#include <math.h>
#include <stdlib.h>

static const char *const source_names[STUDY_SOURCES + 1] = {
    [STUDY_SOURCE_ITERATIONS] = "iterations",
    [STUDY_SOURCE_TRIALS] = "trials",
    [STUDY_SOURCE_INSTANCES] = "instances",
    [STUDY_SOURCE_NONE] = "none",
};

const char *study_source_name(enum study_source source)
{
    return (unsigned)source <= STUDY_SOURCES ? source_names[source] : "unknown";
}

/* NaN for fewer than two values. */
static double cv_of(const struct stats_moments *moments)
{
    return stats_moments_sd_sample(moments) / moments->mean;
}

static void add_cv(struct stats_moments *cvs, const struct stats_moments *moments)
{
    if (moments->count > 1) {
        stats_moments_add(cvs, cv_of(moments));
    }
}

static struct study_cv_spread spread_of(const struct stats_moments *cvs)
{
    return (struct study_cv_spread){
        .mean = cvs->count > 0 ? cvs->mean : (double)NAN,
        .sd = stats_moments_sd_sample(cvs),
    };
}

/* Equations 5 to 7. */
static void find_cvs(const struct study_subject *subject,
                     struct study_variability_row *row)
{
    const struct stats_nested *nested = &subject->nested;
    struct stats_moments trial_cvs = {0};
    struct stats_moments instance_cvs = {0};
    struct stats_moments all = {0};
    for (size_t i = 0; i < nested->units; i++) {
        struct stats_moments whole = {0};
        for (size_t t = nested->firsts[i]; t < nested->firsts[i + 1]; t++) {
            const struct stats_moments trial = stats_moments_of(
                subject->values + nested->offsets[t], nested->counts[t]);
            add_cv(&trial_cvs, &trial);
            stats_moments_merge(&whole, &trial);
        }
        add_cv(&instance_cvs, &whole);
        stats_moments_merge(&all, &whole);
    }
    row->mean = all.mean;
    row->cv_total = cv_of(&all);
    row->cv_trials = spread_of(&trial_cvs);
    row->cv_instances = spread_of(&instance_cvs);
}

static enum duet_code find_components(const struct study_subject *subject,
                                      struct study_variability_row *row,
                                      struct duet_error *reterr)
{
    struct stats_nested_components found;
    enum duet_code code =
        stats_nested_components(&subject->nested, subject->values, &found, reterr);
    if (code != DUET_OK) {
        return code;
    }
    const double variances[STUDY_SOURCES] = {found.values, found.sub_units,
                                             found.units};
    double largest = 0.0;
    row->dominant = STUDY_SOURCE_NONE;
    for (int source = 0; source < STUDY_SOURCES; source++) {
        row->component[source] = sqrt(variances[source]) / found.mean;
        if (variances[source] > largest) {
            largest = variances[source];
            row->dominant = (enum study_source)source;
        }
    }
    return DUET_OK;
}

static double cv_of_ratios(const struct study_subject *subject)
{
    struct stats_moments moments = {0};
    if (subject->logs == NULL) {
        return (double)NAN;
    }
    for (size_t i = 0; i < subject->count; i++) {
        stats_moments_add(&moments, exp(subject->logs[i]));
    }
    return cv_of(&moments);
}

/* ---- The interval ---- */

/* Deviations from the mean and their squares, in one block. */
static double *columns_of(const struct study_subject *subject, double mean)
{
    double *columns = alloc_array(subject->count, 2 * sizeof *columns);
    for (size_t i = 0; columns != NULL && i < subject->count; i++) {
        double deviation = (subject->values[i] - mean) / mean;
        columns[i] = deviation;
        columns[subject->count + i] = deviation * deviation;
    }
    return columns;
}

static double cv_of_sums(const double sums[2], size_t count)
{
    double n = (double)count;
    double variance = (sums[1] - sums[0] * sums[0] / n) / (n - 1.0);
    return sqrt(fmax(0.0, variance)) / (1.0 + sums[0] / n);
}

/* All values as sub-units of one: every one is as likely as every other. */
static const size_t one_unit[2] = {0, 1};

struct replication {
    const struct stats_nested *nested;
    const double *columns[2];
    const struct stats_resampling *how;
    double *cvs;
};

static enum duet_code replicate_some(void *context, size_t first, size_t end,
                                     size_t thread, struct duet_error *reterr)
{
    (void)thread;
    const struct replication *all = context;
    size_t *scratch =
        alloc_array(2 * stats_nested_drawn_max(all->nested), sizeof *scratch);
    if (scratch == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for a bootstrap");
    }
    for (size_t b = first; b < end; b++) {
        double sums[2] = {0, 0};
        size_t drawn = 0;
        stats_nested_resample(all->nested, all->columns, 2, all->how, b, scratch, sums,
                              &drawn);
        all->cvs[b] = cv_of_sums(sums, drawn);
    }
    free(scratch);
    return DUET_OK;
}

static enum study_width_class class_of(double rciw)
{
    if (isnan(rciw)) {
        return STUDY_WIDTH_UNKNOWN;
    }
    if (rciw < STUDY_WIDTH_NARROW_BELOW) {
        return STUDY_WIDTH_NARROW;
    }
    return rciw <= STUDY_WIDTH_WIDE_ABOVE ? STUDY_WIDTH_MEDIUM : STUDY_WIDTH_WIDE;
}

static enum duet_code find_interval(const struct study_subject *subject,
                                    const struct study_variability_plan *plan,
                                    struct study_variability_row *row,
                                    struct duet_error *reterr)
{
    static const size_t from_the_first = 0;
    const struct stats_nested flat = {.firsts = one_unit,
                                      .units = 1,
                                      .offsets = &from_the_first,
                                      .counts = &subject->count};
    struct stats_resampling how = {
        .seed = plan->seed,
        .stream =
            study_stream(STUDY_USE_VARIABILITY) + ((uint64_t)subject->number << 24U),
        .replicates = plan->replicates,
    };
    struct stats_interval interval = {0};
    double *columns = columns_of(subject, row->mean);
    double *cvs = alloc_array(plan->replicates, sizeof *cvs);
    enum duet_code code = DUET_OK;
    if (columns == NULL || cvs == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for a bootstrap");
    } else {
        struct replication all = {plan->independent ? &flat : &subject->nested,
                                  {columns, columns + subject->count},
                                  &how,
                                  cvs};
        const struct threads_loop loop = {.count = how.replicates,
                                          .threads = threads_wanted(plan->threads),
                                          .body = replicate_some,
                                          .context = &all};
        code = threads_for(&loop, reterr);
    }
    if (code == DUET_OK) {
        code = stats_interval_percentile(cvs, plan->replicates, plan->confidence,
                                         &interval, reterr);
    }
    free(columns);
    free(cvs);
    if (code == DUET_OK) {
        row->cv_low = interval.low;
        row->cv_high = interval.high;
    }
    return code;
}

/* The interval, where there is one: what is kept of a configuration, since the rest is
 * quickly done. */
static enum duet_code take_interval(const struct study_subject *subject,
                                    const struct study_variability_plan *plan,
                                    struct study_variability_row *row,
                                    struct duet_error *reterr)
{
    const struct study_page *known = study_book_find(plan->book, subject->number);
    enum duet_code code = DUET_OK;
    if (known != NULL && known->count == 2) {
        row->cv_low = known->numbers[0];
        row->cv_high = known->numbers[1];
    } else if (known != NULL) {
        code = study_page_wrong(subject->number, reterr);
    } else {
        if (row->cv_total > 0 && plan->replicates > 0) {
            code = find_interval(subject, plan, row, reterr);
        }
        const double numbers[] = {row->cv_low, row->cv_high};
        if (code == DUET_OK) {
            code = study_book_put(plan->book, subject->number, numbers, 2, reterr);
        }
    }
    row->rciw = (row->cv_high - row->cv_low) / row->cv_total;
    row->width = class_of(row->rciw);
    return code;
}

static enum duet_code find_row(const struct study_subject *subject,
                               const struct study_variability_plan *plan,
                               struct study_variability_row *ret_row,
                               struct duet_error *reterr)
{
    struct study_variability_row row = {
        .values = subject->count,
        .trials = subject->trials,
        .instances = subject->nested.units,
        .cv_low = (double)NAN,
        .cv_high = (double)NAN,
        .rciw = (double)NAN,
        .width = STUDY_WIDTH_UNKNOWN,
        .component = {(double)NAN, (double)NAN, (double)NAN},
        .dominant = STUDY_SOURCE_NONE,
        .cv_ratio = cv_of_ratios(subject),
    };
    enum duet_code code = DUET_OK;
    find_cvs(subject, &row);
    if (subject->count > 1) {
        code = find_components(subject, &row, reterr);
    }
    if (code == DUET_OK) {
        code = take_interval(subject, plan, &row, reterr);
    }
    if (code == DUET_OK) {
        row.done = true;
        *ret_row = row;
    }
    return code;
}

static enum duet_code check_plan(const struct study_variability_plan *plan,
                                 struct duet_error *reterr)
{
    if (!(plan->confidence > 0 && plan->confidence < 1) ||
        plan->replicates >= 1U << 24U) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "a confidence between 0 and 1 and fewer than 2^24 replicates are needed, got %g and %zu",
            plan->confidence, plan->replicates);
    }
    return DUET_OK;
}

enum duet_code study_variability_run(
    const struct model_dataset *dataset, const struct study_variability_plan *plan,
    bool (*progress)(void *context, uint64_t done, uint64_t planned), void *context,
    struct study_variability_row *ret_rows, struct duet_error *reterr)
{
    enum duet_code code = check_plan(plan, reterr);
    uint64_t done = 0;
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        ret_rows[c] = (struct study_variability_row){.done = false};
    }
    for (size_t c = 0; c < dataset->configuration_count && code == DUET_OK; c++) {
        struct study_subject subject = {0};
        if (progress != NULL && !progress(context, done, dataset->value_count)) {
            return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
        }
        if (study_book_find(plan->book, c) == NULL &&
            !study_book_wants(plan->book, c)) {
            done += model_dataset_extent(dataset, c).values;
            continue;
        }
        code = study_subject_init(dataset, c, &subject, reterr);
        if (code == DUET_OK) {
            code = find_row(&subject, plan, &ret_rows[c], reterr);
        }
        done += subject.count;
        study_subject_release(&subject);
    }
    return code;
}

struct study_variability_tally
study_variability_tally_of(const struct study_variability_row *rows, size_t count)
{
    struct study_variability_tally tally = {0};
    for (size_t c = 0; c < count; c++) {
        if (rows[c].done) {
            tally.done++;
            tally.dominant[rows[c].dominant]++;
            for (int source = 0; source < STUDY_SOURCES; source++) {
                tally.any_unknown =
                    tally.any_unknown || isnan(rows[c].component[source]);
            }
        }
    }
    return tally;
}

const struct study_variability_row *
study_variability_row_of(const struct model_dataset *dataset,
                         const struct study_variability_row *rows, size_t benchmark,
                         size_t environment)
{
    size_t c = model_dataset_find(dataset, benchmark, environment);
    return c < dataset->configuration_count && rows[c].done ? &rows[c] : NULL;
}

/* The largest coefficient of variation of each benchmark; negative when it was nowhere
 * measured. */
static void fill_largest(const struct model_dataset *dataset,
                         const struct study_variability_row *rows, double *largest)
{
    for (size_t b = 0; b < dataset->benchmark_count; b++) {
        largest[b] = -1.0;
    }
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        double *cv = &largest[dataset->configurations[c].benchmark];
        *cv = rows[c].done ? fmax(*cv, rows[c].cv_total) : *cv;
    }
}

/* Leaves out the one that varies least; of equal ones the last. */
static void drop_least(const double *largest, size_t *benchmarks, size_t count)
{
    size_t least = 0;
    for (size_t i = 1; i < count; i++) {
        if (largest[benchmarks[i]] <= largest[benchmarks[least]]) {
            least = i;
        }
    }
    for (size_t i = least; i + 1 < count; i++) {
        benchmarks[i] = benchmarks[i + 1];
    }
}

size_t study_variability_most(const struct model_dataset *dataset,
                              const struct study_variability_row *rows, size_t most,
                              double *room, size_t *ret_benchmarks)
{
    size_t count = 0;
    fill_largest(dataset, rows, room);
    for (size_t b = 0; b < dataset->benchmark_count && most > 0; b++) {
        if (count == most) {
            double least = room[ret_benchmarks[0]];
            for (size_t i = 1; i < count; i++) {
                least = fmin(least, room[ret_benchmarks[i]]);
            }
            if (!(room[b] > least)) {
                continue;
            }
            drop_least(room, ret_benchmarks, count--);
        }
        ret_benchmarks[count++] = b;
    }
    return count;
}
