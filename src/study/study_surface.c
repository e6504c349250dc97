#include "study/study_surface.h"

#include "base/alloc.h"
#include "base/random.h"
#include "stats/gaussian.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = STUDY_SURFACE_DAY * STUDY_SURFACE_DAYS, BENCHMARKS_MAX = 1000 };

static const uint64_t surface_streams = UINT64_C(0xEA00) << 48U;
static const uint64_t noise_streams = UINT64_C(0xEA01) << 48U;
static const double hours_correlation = 0.97;
static const double days_correlation = 0.997;
static const unsigned vms_of[] = {1, 2, 4, 8};
static const unsigned cores_of[] = {2, 4, 8};
static const char *const sizes[] = {"large", "xlarge", "2xlarge"};

enum {
    VMS = sizeof vms_of / sizeof *vms_of,
    SIZES = sizeof cores_of / sizeof *cores_of
};

static double between(struct random_stream *stream, double low, double high)
{
    return low + (high - low) * random_uniform(stream);
}

/* Uniform in its logarithm. */
static double log_between(struct random_stream *stream, double low, double high)
{
    return exp(between(stream, log(low), log(high)));
}

static double normal(struct random_stream *stream)
{
    return stats_gaussian_quantile(random_uniform(stream));
}

static void fill_values(double mean, struct random_stream *stream, double *values)
{
    double cv = log_between(stream, 0.01, 0.1);
    double dependent = between(stream, 0.1, 0.7);
    double hours = normal(stream);
    double days = normal(stream);
    for (size_t i = 0; i < POINTS; i++) {
        double z = sqrt(1.0 - dependent) * normal(stream) +
                   sqrt(dependent / 2.0) * (hours + days);
        values[i] = mean * exp(cv * z - cv * cv / 2.0);
        hours = hours_correlation * hours +
                sqrt(1.0 - hours_correlation * hours_correlation) * normal(stream);
        days = days_correlation * days +
               sqrt(1.0 - days_correlation * days_correlation) * normal(stream);
    }
}

/* A benchmark's time on each configuration. */
struct benchmark {
    double base;
    double serial;
    double spread;
};

static double time_of(const struct benchmark *benchmark, unsigned vms, unsigned cores)
{
    double all = (double)vms * (double)cores;
    return benchmark->base * (benchmark->serial + (1.0 - benchmark->serial) / all) *
           (1.0 + benchmark->spread * log2((double)vms));
}

static size_t configurations_of(const struct study_surface_plan *plan)
{
    size_t count = 0;
    for (size_t at = 0; at < (size_t)VMS * SIZES; at++) {
        count += (size_t)vms_of[at / SIZES] * cores_of[at % SIZES] <= plan->cores;
    }
    return count;
}

/* The next configuration of the surface; false: no memory. */
static bool add(struct study_surface *surface, uint64_t seed,
                const struct benchmark *benchmark, const char *name, unsigned vms,
                size_t size)
{
    size_t at = surface->count;
    double *features = surface->features + at * STUDY_SURFACE_FEATURES;
    double *values = surface->values + at * POINTS;
    char *own = alloc_format("%u-%s", vms, sizes[size]);
    struct random_stream stream = random_stream_at(seed, noise_streams + at);
    double truth = time_of(benchmark, vms, cores_of[size]);
    if (own == NULL) {
        return false;
    }
    surface->names[surface->name_count++] = own;
    features[0] = log2((double)vms);
    features[1] = log2((double)cores_of[size]);
    fill_values(truth, &stream, values);
    surface->configurations[at] =
        (struct study_configuration){.benchmark = name,
                                     .name = own,
                                     .features = features,
                                     .values = values,
                                     .count = POINTS,
                                     .interval = STUDY_SURFACE_DAY,
                                     .truth = truth};
    surface->count++;
    return true;
}

static bool add_benchmark(struct study_surface *surface,
                          const struct study_surface_plan *plan, size_t number)
{
    struct random_stream stream =
        random_stream_at(plan->seed, surface_streams + number);
    struct benchmark benchmark;
    char *name = alloc_format("benchmark-%zu", number + 1);
    if (name == NULL) {
        return false;
    }
    surface->names[surface->name_count++] = name;
    benchmark.base = log_between(&stream, 1.0, 100.0);
    benchmark.serial = between(&stream, 0.02, 0.2);
    benchmark.spread = between(&stream, 0.0, 0.15);
    for (size_t at = 0; at < (size_t)VMS * SIZES; at++) {
        unsigned vms = vms_of[at / SIZES];
        size_t size = at % SIZES;
        if ((size_t)vms * cores_of[size] <= plan->cores &&
            !add(surface, plan->seed, &benchmark, name, vms, size)) {
            return false;
        }
    }
    return true;
}

enum duet_code study_surface_make(const struct study_surface_plan *plan,
                                  struct study_surface *ret_surface,
                                  struct duet_error *reterr)
{
    struct study_surface made = {.count = 0};
    if (plan->benchmarks == 0 || plan->benchmarks > BENCHMARKS_MAX || plan->cores < 4 ||
        plan->cores > 64) {
        return error_set(
            reterr, DUET_E_DOMAIN,
            "made-up machines need 1 to %d benchmarks and 4 to 64 cores, got %zu and %zu",
            BENCHMARKS_MAX, plan->benchmarks, plan->cores);
    }
    size_t count = plan->benchmarks * configurations_of(plan);
    made.configurations = alloc_array(count, sizeof *made.configurations);
    made.values = alloc_array(count * POINTS, sizeof *made.values);
    made.features = alloc_array(count * STUDY_SURFACE_FEATURES, sizeof *made.features);
    made.names = alloc_array(count + plan->benchmarks, sizeof *made.names);
    bool whole = made.configurations != NULL && made.values != NULL &&
                 made.features != NULL && made.names != NULL;
    for (size_t b = 0; b < plan->benchmarks && whole; b++) {
        whole = add_benchmark(&made, plan, b);
    }
    if (!whole) {
        study_surface_release(&made);
        return error_set(reterr, DUET_E_NOMEM, "no memory for made-up machines");
    }
    *ret_surface = made;
    return DUET_OK;
}

void study_surface_release(struct study_surface *surface)
{
    for (size_t i = 0; i < surface->name_count; i++) {
        free(surface->names[i]);
    }
    free((void *)surface->names);
    free(surface->configurations);
    free(surface->values);
    free(surface->features);
    *surface = (struct study_surface){.count = 0};
}
