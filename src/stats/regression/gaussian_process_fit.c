/* The kernel that makes the data of a Gaussian process likeliest. */
#include "stats/regression/gaussian_process.h"

#include "stats/regression/gaussian_process_private.h"

#include <math.h>
#include <string.h>

enum { AXES_MAX = STATS_GP_FEATURES_MAX + 1, GRID_LENGTHS = 5, GRID_NOISES = 3 };

static const double grid_lengths[GRID_LENGTHS] = {0.1, 0.3, 1.0, 3.0, 10.0};
static const double grid_noises[GRID_NOISES] = {1e-6, 1e-3, 1e-1};
static const double length_min = 0.05, length_max = 20.0;
static const double noise_min = 1e-8, noise_max = 10.0;
/* Steps in logarithms: the first halves or doubles, the last moves by 2 %. */
static const double step_first = 0.6931471805599453, step_last = 0.02;

/* A point in the search: logarithms of the lengths' multiples, then of the noise. */
struct point {
    double logs[AXES_MAX];
    double likelihood; /* -inf: the covariance has no inverse there */
};

struct search {
    struct stats_gp *gp;
    double ranges[STATS_GP_FEATURES_MAX];
    size_t axes;
};

static void find_ranges(struct search *search)
{
    const struct stats_gp *gp = search->gp;
    for (size_t f = 0; f < gp->features; f++) {
        double low = gp->points[f];
        double high = low;
        for (size_t i = 1; i < gp->count; i++) {
            low = fmin(low, gp->points[i * gp->features + f]);
            high = fmax(high, gp->points[i * gp->features + f]);
        }
        search->ranges[f] = high > low ? high - low : (double)INFINITY;
    }
}

static void look(const struct search *search, struct point *point)
{
    struct stats_gp *gp = search->gp;
    size_t lengths = search->axes - 1;
    for (size_t f = 0; f < gp->features; f++) {
        gp->kernel.lengths[f] =
            search->ranges[f] * exp(point->logs[lengths == 1 ? 0 : f]);
    }
    gp->kernel.noise = exp(point->logs[lengths]);
    point->likelihood = gp_condition(gp) ? gp->log_likelihood : (double)-INFINITY;
}

/* One step along one axis, not beyond its end. */
static struct point moved(const struct search *search, const struct point *from,
                          size_t axis, double step)
{
    bool noise = axis == search->axes - 1;
    struct point point = *from;
    double low = log(noise ? noise_min : length_min);
    double high = log(noise ? noise_max : length_max);
    point.logs[axis] = fmin(fmax(point.logs[axis] + step, low), high);
    if (point.logs[axis] == from->logs[axis]) {
        return *from;
    }
    look(search, &point);
    return point;
}

static void improve(const struct search *search, struct point *best)
{
    double step = step_first;
    while (step >= step_last) {
        double before = best->likelihood;
        for (size_t axis = 0; axis < search->axes; axis++) {
            struct point up = moved(search, best, axis, step);
            struct point down = moved(search, best, axis, -step);
            const struct point *better = up.likelihood >= down.likelihood ? &up : &down;
            if (better->likelihood > best->likelihood) {
                *best = *better;
            }
        }
        if (!(best->likelihood > before)) {
            step /= 2.0;
        }
    }
}

/* Keeps `starts` in the order of their likelihood; the first of equals stays first. */
static void keep(struct point *starts, const struct point *point)
{
    size_t at = STATS_GP_STARTS;
    while (at > 0 && point->likelihood > starts[at - 1].likelihood) {
        at--;
    }
    if (at < STATS_GP_STARTS) {
        memmove(&starts[at + 1], &starts[at],
                (STATS_GP_STARTS - 1 - at) * sizeof *starts);
        starts[at] = *point;
    }
}

static void visit_grid(const struct search *search, struct point *starts)
{
    for (size_t l = 0; l < GRID_LENGTHS; l++) {
        for (size_t n = 0; n < GRID_NOISES; n++) {
            struct point point = {.likelihood = 0.0};
            for (size_t axis = 0; axis + 1 < search->axes; axis++) {
                point.logs[axis] = log(grid_lengths[l]);
            }
            point.logs[search->axes - 1] = log(grid_noises[n]);
            look(search, &point);
            keep(starts, &point);
        }
    }
}

enum duet_code stats_gp_fit(const struct stats_lapack *lapack,
                            const struct stats_gp_data *data, bool one_length,
                            struct stats_gp **ret_gp, struct duet_error *reterr)
{
    struct search search = {.axes = (one_length ? 1 : data->features) + 1};
    struct point starts[STATS_GP_STARTS];
    enum duet_code code = gp_allocate(lapack, data, &search.gp, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (size_t i = 0; i < STATS_GP_STARTS; i++) {
        starts[i] = (struct point){.likelihood = (double)-INFINITY};
    }
    find_ranges(&search);
    visit_grid(&search, starts);
    size_t best = 0;
    for (size_t i = 0; i < STATS_GP_STARTS; i++) {
        improve(&search, &starts[i]);
        best = starts[i].likelihood > starts[best].likelihood ? i : best;
    }
    look(&search, &starts[best]);
    if (!isfinite(starts[best].likelihood)) {
        stats_gp_free(search.gp);
        return error_set(reterr, DUET_E_DOMAIN,
                         "no kernel fits the %zu points of a Gaussian process",
                         data->count);
    }
    *ret_gp = search.gp;
    return DUET_OK;
}
