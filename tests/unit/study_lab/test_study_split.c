// labels: soakvalgrind
/* Studies that end and go on, and whose files are not taken for each other's. */
// link: duet_study_simulate
#include "study/lab/study_split.h"

#include "study/study_surface.h"
#include "unit/study/dataset_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/alloc_fail.h"

enum { POINTS = 400, SERIES = 3, NUMBERS = 4 };

static struct duet_error error;
static struct model_dataset dataset; /* two configurations that are the same */
static struct model_configuration configurations[2];
static double values[POINTS];
static struct study_series series[SERIES];
static struct study_surface surface;

static int make(void **state)
{
    (void)state;
    const struct study_surface_plan plan = {.benchmarks = 1, .cores = 8, .seed = 5};
    dataset = sample_of(0.1, 0.3, 0.3, 4, 2, 5, 1);
    for (size_t i = 0; i < POINTS; i++) {
        values[i] = 100.0 + 10.0 * sin(37.0 * (double)i * (double)i);
    }
    for (size_t i = 0; i < SERIES; i++) {
        series[i] = (struct study_series){"one", "all", values, POINTS, 210, 10};
    }
    return study_surface_make(&plan, &surface, NULL) == DUET_OK ? 0 : -1;
}

static int unmake(void **state)
{
    (void)state;
    model_dataset_release(&dataset);
    study_surface_release(&surface);
    return 0;
}

/* ---- Small ones of all kinds; a few numbers of their answers ---- */

static enum duet_code coverage(struct study_session *session, double numbers[NUMBERS])
{
    struct study_coverage_plan plan = {.confidence = 0.9,
                                       .samples = 2,
                                       .replicates = 100,
                                       .seed = 1,
                                       .model = STUDY_MODEL_NORMAL,
                                       .threads = 1};
    size_t count = study_coverage_cells();
    struct study_coverage_cell *cells = calloc(count, sizeof *cells);
    assert_non_null(cells);
    enum duet_code code = study_split_coverage(&plan, session, cells, &error);
    for (size_t i = 0; i < count; i++) {
        numbers[0] += (double)cells[i].samples;
        numbers[1] += (double)cells[i].covered;
        numbers[2] += cells[i].samples > 0 ? cells[i].width_pct : 0.0;
    }
    free(cells);
    return code;
}

static enum duet_code sequential(struct study_session *session, double numbers[NUMBERS])
{
    struct study_sequential_plan plan = {.confidence = 0.9,
                                         .effect = 0.01,
                                         .noise = 0.01,
                                         .new_noise = 0.1,
                                         .location = STATS_LOCATION_MEDIAN,
                                         .iterations = 2,
                                         .blocks = 6,
                                         .samples = 600,
                                         .seed = 1,
                                         .model = STUDY_MODEL_NORMAL,
                                         .threads = 1};
    struct study_sequential_cell cells[STUDY_SEQUENTIAL_MODELS] = {{0}};
    enum duet_code code = study_split_sequential(&plan, session, cells, &error);
    numbers[0] = (double)cells[STUDY_MODEL_NORMAL].samples;
    numbers[1] = (double)cells[STUDY_MODEL_NORMAL].right;
    numbers[2] = (double)cells[STUDY_MODEL_NORMAL].missed;
    return code;
}

static enum duet_code variability(struct study_session *session,
                                  double numbers[NUMBERS])
{
    struct study_variability_plan plan = {
        .confidence = 0.9, .replicates = 100, .seed = 1, .threads = 1};
    struct study_variability_row rows[2] = {{.done = false}};
    struct model_dataset twice = dataset;
    configurations[0] = configurations[1] = dataset.configurations[0];
    twice.configurations = configurations;
    twice.configuration_count = 2;
    enum duet_code code = study_split_variability(&twice, &plan, session, rows, &error);
    for (size_t i = 0; i < 2 && rows[i].done; i++) {
        numbers[2 * i] = rows[i].cv_low;
        numbers[2 * i + 1] = rows[i].cv_high;
    }
    return code;
}

static struct study_stopping_plan rules_plan(void)
{
    return (struct study_stopping_plan){.rules = {[ANALYSIS_STOP_STEADY] = true},
                                        .statistics = {{STATS_STATISTIC_MEAN, 0.0}},
                                        .statistic_count = 1,
                                        .errors = {0.1},
                                        .error_count = 1,
                                        .confidence = 0.9,
                                        .replicates = 100,
                                        .every = 40,
                                        .seed = 3,
                                        .threads = 1};
}

static enum duet_code stopping(struct study_session *session, double numbers[NUMBERS])
{
    struct study_stopping_plan plan = rules_plan();
    struct study_stopping_cell cells[SERIES * ANALYSIS_STOP_RULES] = {{0}};
    enum duet_code code =
        study_split_stopping(&plan, series, SERIES, session, cells, &error);
    for (size_t i = 0; i < SERIES * ANALYSIS_STOP_RULES; i++) {
        numbers[0] += (double)cells[i].tests;
        numbers[1] += (double)cells[i].stopped;
        numbers[2] += cells[i].points_sum;
    }
    return code;
}

static enum duet_code resample(struct study_session *session, double numbers[NUMBERS],
                               bool traced)
{
    struct study_stopping_plan plan = rules_plan();
    struct study_resampling_row rows[SERIES] = {{.points = 0}};
    struct study_resampling_trace traces[SERIES] = {{{NULL}, {NULL}, {NULL}}};
    enum duet_code code = study_split_resampling(&plan, series, SERIES, session, rows,
                                                 traced ? traces : NULL, &error);
    for (size_t i = 0; i < SERIES; i++) {
        numbers[0] += (double)rows[i].points;
        numbers[1] += rows[i].of[STUDY_BOOTSTRAP_BLOCK].acf_mean;
        numbers[2] += (double)rows[i].of[STUDY_BOOTSTRAP_BASIC].stopped;
        numbers[3] += traces[i].acfs[0] == NULL ? 0.0 : traces[i].acfs[0][0];
        study_resampling_trace_release(&traces[i]);
    }
    return code;
}

static enum duet_code resampling(struct study_session *session, double numbers[NUMBERS])
{
    return resample(session, numbers, false);
}

static enum duet_code traces(struct study_session *session, double numbers[NUMBERS])
{
    return resample(session, numbers, true);
}

static enum duet_code prediction(struct study_session *session, double numbers[NUMBERS])
{
    struct study_prediction_plan plan = {.training = {.points = 3,
                                                      .error = 0.1,
                                                      .confidence = 0.9,
                                                      .replicates = 100,
                                                      .tests = 4,
                                                      .seed = 3,
                                                      .threads = 1},
                                         .features = STUDY_SURFACE_FEATURES,
                                         .predictions = 4,
                                         .one_length = true};
    struct study_prediction_cell cells[6 * STUDY_TRAININGS] = {{0}};
    assert_int_equal(surface.count, 6);
    enum duet_code code = study_split_prediction(&plan, surface.configurations, 6,
                                                 session, cells, &error);
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        numbers[0] += (double)cells[i].predictions;
        numbers[1] += cells[i].error_mean;
    }
    return code;
}

static enum duet_code (*const studies[])(struct study_session *session,
                                         double numbers[NUMBERS]) = {
    coverage, sequential, variability, stopping, resampling, traces, prediction};
enum { STUDIES = sizeof studies / sizeof studies[0] };

/* Ends after so many calls. */
struct patience {
    size_t calls;
    size_t most;
};

static bool go_on(void *context, const struct study_progress *progress)
{
    struct patience *patience = context;
    assert_true(progress->done <= progress->planned);
    return ++patience->calls <= patience->most;
}

static enum duet_code carry_out(size_t study, const struct study_share *share,
                                size_t most, double numbers[NUMBERS])
{
    struct patience patience = {.most = most};
    struct study_session session = {
        .cancel_fd = -1, .go_on = go_on, .context = &patience, .share = share};
    memset(numbers, 0, NUMBERS * sizeof *numbers);
    return studies[study](&session, numbers);
}

/* ---- Tests ---- */

static void they_go_on_where_they_ended(void **state)
{
    (void)state;
    for (size_t i = 0; i < STUDIES; i++) {
        char path[] = "/tmp/duet-split-XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        unlink(path);
        const struct study_share share = {.resume = path};
        double whole[NUMBERS];
        double part[NUMBERS];
        double rest[NUMBERS];
        assert_int_equal(carry_out(i, NULL, SIZE_MAX, whole), DUET_OK);
        assert_int_equal(carry_out(i, &share, 1, part), DUET_E_INTERRUPTED);
        assert_memory_not_equal(part, whole, sizeof whole);
        assert_int_equal(carry_out(i, &share, SIZE_MAX, rest), DUET_OK);
        assert_memory_equal(rest, whole, sizeof whole);
        /* Now it is that of another study. */
        for (size_t other = 0; other < STUDIES; other++) {
            assert_int_equal(carry_out(other, &share, SIZE_MAX, rest),
                             other == i ? DUET_OK : DUET_E_USAGE);
        }
        unlink(path);
    }
}

static void their_units_are_counted(void **state)
{
    (void)state;
    const struct study_share share = {.counting = true};
    for (size_t i = 0; i < STUDIES; i++) {
        struct study_session session = {.cancel_fd = -1, .share = &share};
        double numbers[NUMBERS] = {0};
        assert_int_equal(studies[i](&session, numbers), DUET_E_INTERRUPTED);
        assert_true(session.wanted > 1);
    }
}

static void a_file_that_cannot_be_written_ends_them(void **state)
{
    (void)state;
    const struct study_share share = {.resume = "/nowhere/at/all"};
    double numbers[NUMBERS];
    for (size_t i = 0; i < STUDIES; i++) {
        assert_int_equal(carry_out(i, &share, SIZE_MAX, numbers), DUET_E_IO);
        assert_non_null(strstr(error.message, "/nowhere/at/all"));
    }
}

/* The first ones, which are the sessions': the others have tests of their studies. */
static void an_allocation_may_fail(void **state)
{
    (void)state;
    const struct study_share share = {.path_count = 0};
    for (size_t i = 0; i < STUDIES; i++) {
        double numbers[NUMBERS];
        alloc_fail_at(0);
        assert_int_equal(carry_out(i, &share, SIZE_MAX, numbers), DUET_OK);
        unsigned long total = alloc_fail_seen();
        assert_true(total > 0);
        for (unsigned long n = 1; n <= total && n <= 8; n++) {
            alloc_fail_at(n);
            assert_int_equal(carry_out(i, &share, SIZE_MAX, numbers), DUET_E_NOMEM);
        }
        alloc_fail_at(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_go_on_where_they_ended),
        cmocka_unit_test(their_units_are_counted),
        cmocka_unit_test(a_file_that_cannot_be_written_ends_them),
        cmocka_unit_test(an_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}
