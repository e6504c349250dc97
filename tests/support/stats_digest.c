/* A line for every statistic, interval and test: a hash of the bits of its results on
 * many seeded samples. Builds by different compilers, with and without optimization,
 * must print the same (tools/check identical). */
#include "base/random.h"
#include "base/simd.h"
#include "stats/bootstrap/shuffled.h"
#include "stats/gaussian.h"
#include "stats/regression/gaussian_process.h"
#include "stats/student.h"
#include "support/stats_subjects.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 60, VALUES_MAX = 80, REPLICATES = 64, MANY_VALUES = 2048 };

static void add(uint64_t *hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int byte = 0; byte < 8; byte++) { /* FNV-1a */
        *hash = (*hash ^ (bits >> (8 * byte) & 0xFFU)) * UINT64_C(0x100000001b3);
    }
}

static void fill(double *values, size_t count, uint64_t which)
{
    struct random_stream stream = random_stream_at(42, which);
    const double scales[] = {1.0, 1e6, 1e-300, 1e300};
    for (size_t i = 0; i < count; i++) {
        values[i] = scales[which % 4] * (1.0 + random_uniform(&stream));
    }
}

static uint64_t digest_of(const struct subject *subject)
{
    static double values[MANY_VALUES];
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t c = 0; c <= CASES; c++) {
        size_t count = c == CASES ? MANY_VALUES : 11 + c % (VALUES_MAX - 11);
        double results[SUBJECT_RESULTS_MAX] = {0};
        size_t made = 0;
        fill(values, count, c);
        const struct subject_call call = {values, count, REPLICATES};
        enum duet_code code = subject->ask(subject, &call, results, &made, NULL);
        add(&hash, (double)code);
        for (size_t i = 0; i < made; i++) {
            add(&hash, results[i]);
        }
    }
    return hash;
}

static uint64_t digest_of_distributions(void)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 1; i < 200; i++) {
        double probability = (double)i / 200.0;
        double quantile = 0.0;
        add(&hash, stats_gaussian_quantile(probability));
        add(&hash, stats_gaussian_below(8.0 * probability - 4.0));
        add(&hash, stats_t_p_value(10.0 * probability, 1.0, (double)i));
        (void)!stats_t_quantile(probability, (double)i / 3.0, &quantile, NULL);
        add(&hash, quantile);
    }
    return hash;
}

static uint64_t digest_of_shuffled(void)
{
    double values[4 * 6];
    struct stats_run runs[2][2];
    double width = 0.0;
    fill(values, 4 * 6, 0);
    for (size_t r = 0; r < 4; r++) {
        runs[r / 2][r % 2] = (struct stats_run){values + 6 * r, 6};
    }
    const struct stats_runs from = {runs[0], 2};
    const struct stats_runs to = {runs[1], 2};
    const struct stats_resampling how = {.seed = 3, .replicates = 50};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    (void)!stats_shuffled_width(&from, &to, STATS_LOCATION_MEDIAN, 20, 0.9, &how,
                                &width, NULL);
    add(&hash, width);
    return hash;
}

/* Of a fitted process; of an error's code where LAPACKE is missing. */
static uint64_t digest_of_process(void)
{
    enum { POINTS = 12, FEATURES = 2 };
    double points[POINTS * FEATURES];
    double values[POINTS];
    const double question[FEATURES] = {1.3, 1.7};
    const struct stats_gp_data data = {points, values, POINTS, FEATURES};
    struct stats_lapack lapack;
    struct stats_gp *gp = NULL;
    double answers[2] = {0.0, 0.0};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    fill(points, POINTS * FEATURES, 0);
    fill(values, POINTS, 4);
    enum duet_code code = stats_lapack_load(&lapack, NULL);
    if (code == DUET_OK) {
        code = stats_gp_fit(&lapack, &data, false, &gp, NULL);
    }
    if (code == DUET_OK) {
        stats_gp_predict(gp, question, &answers[0], &answers[1]);
    }
    stats_gp_free(gp);
    add(&hash, (double)code);
    add(&hash, answers[0]);
    add(&hash, answers[1]);
    return hash;
}

int main(void)
{
    for (size_t s = 0; s < subjects_count; s++) {
        (void)printf("%016" PRIx64 "  %s\n", digest_of(&subjects[s]), subjects[s].name);
    }
    (void)printf("%016" PRIx64 "  distributions\n", digest_of_distributions());
    (void)printf("%016" PRIx64 "  shuffled width\n", digest_of_shuffled());
    (void)printf("%016" PRIx64 "  Gaussian process\n", digest_of_process());
    return 0;
}
