// labels: soakvalgrind
/* What is drawn of how benchmarks differ: points of few, curves of many, violins where
 * there are more environments than colours; and bars of detectable slowdowns. */
#include "unit/figures/figures_sample.h"

#include "figures/grid_picture.h"

#include <stdio.h>

enum { MANY = 30, ENVIRONMENTS = 10, CELLS = 2, DRAWS = 200 };

static char environment_texts[ENVIRONMENTS][4];
static char *environment_names[ENVIRONMENTS];
static struct model_configuration configurations[ENVIRONMENTS * MANY];
static struct study_grid_cell cells[ENVIRONMENTS * MANY * CELLS];
static struct grid_question question;
static struct model_dataset dataset;
static struct sketch sketch;
static struct grid_drawing drawing;

/* `count` benchmarks in each environment, all of whose groups are as large. Of the
 * draws of environment e and benchmark b 40 + e + b % 5 look changed. */
static void begin(size_t environments, size_t count)
{
    question = sample_question(GRID_FALSE_POSITIVES);
    question.plan.cells[0] = (struct study_cell){STUDY_SAMPLING_INSTANCES, 1, 5};
    question.plan.cells[1] = (struct study_cell){STUDY_SAMPLING_INSTANCES, 2, 5};
    question.plan.draws = DRAWS;
    dataset = (struct model_dataset){.environments = environment_names,
                                     .environment_count = environments,
                                     .configurations = configurations,
                                     .configuration_count = environments * count};
    for (size_t e = 0; e < environments; e++) {
        (void)snprintf(environment_texts[e], sizeof environment_texts[e], "e%zu",
                       e % 10);
        environment_names[e] = environment_texts[e];
    }
    for (size_t c = 0; c < dataset.configuration_count; c++) {
        size_t e = c / count;
        size_t b = c % count;
        configurations[c] = (struct model_configuration){.benchmark = (uint32_t)b,
                                                         .environment = (uint32_t)e};
        for (size_t i = 0; i < CELLS; i++) {
            cells[CELLS * c + i] = sample_cell((uint32_t)(40 + e + b % 5),
                                               (uint32_t)(b % 2) * DRAWS, DRAWS);
        }
    }
    drawing =
        (struct grid_drawing){&sketch, &question, {&question.plan, &dataset, cells}};
}

static void end(void)
{
    static const struct plot_figure figure = {.title = "t", .description = "d"};
    struct text svg = {0};
    sketch_append(&sketch, &svg, &figure);
    assert_false(text_failed(&svg));
    text_release(&svg);
}

static double false_pct(size_t environment, size_t benchmark)
{
    return 100.0 * (double)(40 + environment + benchmark % 5) / DRAWS;
}

static void expect_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-9)) {
        fail_msg("%.17g instead of %.17g", value, expected);
    }
}

static void few_are_points(void **state)
{
    (void)state;
    begin(2, MANY - 1);
    grid_picture_add_densities(&drawing);
    assert_int_equal(sketch.panel_count, 2); /* the smallest groups and the largest */
    for (size_t p = 0; p < 2; p++) {
        const struct plot_panel *panel = &sketch.panels[p];
        assert_string_equal(panel->title, p == 0
                                              ? "ci, ibs, 1 x 5 (instances x trials)"
                                              : "ci, ibs, 2 x 5 (instances x trials)");
        assert_int_equal(panel->series_count, 2);
        assert_int_equal(panel->y.category_count, 2);
        expect_near(panel->references[0].value, 5);
        for (size_t e = 0; e < 2; e++) {
            const struct plot_series *series = &panel->series[e];
            assert_int_equal(series->kind, PLOT_POINTS);
            assert_int_equal(series->count, MANY - 1);
            for (size_t b = 0; b < series->count; b++) {
                expect_near(series->x[b], false_pct(e, b));
                expect_near(series->y[b], (double)e);
            }
        }
    }
    end();
}

static void many_are_curves(void **state)
{
    (void)state;
    begin(PLOT_COLORS, MANY);
    grid_picture_add_densities(&drawing);
    const struct plot_panel *panel = &sketch.panels[0];
    assert_int_equal(panel->series_count, PLOT_COLORS);
    assert_null(panel->y.categories);
    for (size_t e = 0; e < PLOT_COLORS; e++) {
        const struct plot_series *series = &panel->series[e];
        size_t peak = 0;
        for (size_t i = 0; i < series->count; i++) {
            peak = series->y[i] > series->y[peak] ? i : peak;
        }
        assert_int_equal(series->kind, PLOT_LINE);
        assert_string_equal(series->name, environment_names[e]);
        expect_near(series->x[0], 0); /* from 0 to 100 % */
        expect_near(series->x[series->count - 1], 100);
        assert_true(fabs(series->x[peak] - false_pct(e, 2)) < 0.6);
    }
    end();
}

/* The outline is the density without the tails that nobody can see. */
static void expect_outline(const struct plot_box *box, size_t environment)
{
    enum { PLACES = 201 };
    static double room[ENVIRONMENTS * MANY];
    double at[PLACES];
    double density[PLACES];
    struct stats_spread spread;
    double peak = 0;
    size_t first = 0;
    size_t last = PLACES - 1;
    assert_true(study_grid_density(&drawing.grid, environment, 0, STUDY_TEST_INTERVALS,
                                   room, PLACES, &spread, at, density));
    for (size_t i = 0; i < PLACES; i++) {
        peak = fmax(peak, density[i]);
    }
    while (density[first] < 0.003 * peak) {
        first++;
    }
    while (density[last] < 0.003 * peak) {
        last--;
    }
    assert_true(first > 0 && last < PLACES - 1);
    assert_int_equal(box->count, last - first + 1);
    for (size_t i = 0; i < box->count; i++) {
        expect_near(box->at[i], at[first + i]);
        expect_near(box->density[i], density[first + i]);
    }
    assert_true(box->at[0] < box->low && box->at[box->count - 1] > box->high);
}

static void more_environments_than_colors_are_violins(void **state)
{
    (void)state;
    enum { UNANSWERED = 3 };
    begin(ENVIRONMENTS, MANY);
    for (size_t i = 0; i < MANY * CELLS; i++) {
        cells[UNANSWERED * MANY * CELLS + i] = (struct study_grid_cell){.done = true};
    }
    grid_picture_add_densities(&drawing);
    const struct plot_panel *panel = &sketch.panels[0];
    assert_int_equal(panel->series_count, 1);
    assert_int_equal(panel->series[0].kind, PLOT_VIOLINS);
    assert_int_equal(panel->series[0].count, ENVIRONMENTS - 1);
    assert_int_equal(panel->y.category_count, ENVIRONMENTS);
    assert_null(panel->y.label);
    for (size_t i = 0; i < ENVIRONMENTS - 1; i++) {
        const struct plot_box *box = &panel->series[0].boxes[i];
        size_t e = i + (i >= UNANSWERED);
        expect_near(box->place, (double)e);
        expect_near(box->median, false_pct(e, 2));
        expect_near(box->quarter_low, false_pct(e, 1));
        expect_near(box->quarter_high, false_pct(e, 3));
        expect_outline(box, e);
    }
    end();
}

/* Where all groups have as many trials, the title says it for all. */
static void bars_of_detectable_slowdowns(void **state)
{
    (void)state;
    for (size_t other = 0; other < 2; other++) {
        begin(1, 6);
        question.kind = GRID_DETECTABLE;
        question.plan.false_most = 1;
        question.plan.cells[1].trials += other;
        grid_picture_add_histograms(&drawing);
        assert_int_equal(sketch.panel_count, 1);
        const struct plot_panel *panel = &sketch.panels[0];
        assert_string_equal(panel->title, other == 0 ? "ci, ibs, trials: 5"
                                                     : "ci, ibs (instances x trials)");
        assert_int_equal(panel->series_count, CELLS);
        assert_string_equal(panel->series[0].name, other == 0 ? "1 inst." : "1 x 5");
        assert_string_equal(panel->series[1].name, other == 0 ? "2 inst." : "2 x 6");
        assert_int_equal(panel->x.category_count, 3);
        assert_string_equal(panel->x.categories[0], "1");
        assert_string_equal(panel->x.categories[1], "50");
        assert_string_equal(panel->x.categories[2], "none");
        for (size_t i = 0; i < CELLS; i++) { /* every other one by the first slowdown */
            expect_near(panel->series[i].y[0], 3);
            expect_near(panel->series[i].y[1], 3);
            expect_near(panel->series[i].y[2], 0);
        }
        end();
    }
}

static void any_failed_allocation_is_told(void **state)
{
    (void)state;
    static const struct plot_figure figure = {.title = "t", .description = "d"};
    bool told = true;
    begin(PLOT_COLORS + 1, MANY);
    question.plan.cell_count = 1; /* its answers lie one behind the other */
    for (unsigned long n = 1; told; n++) {
        struct text svg = {0};
        alloc_fail_at(n);
        grid_picture_add_densities(&drawing);
        bool failed = alloc_fail_seen() >= n;
        alloc_fail_at(0);
        sketch_append(&sketch, &svg, &figure);
        told = text_failed(&svg);
        assert_int_equal(told, failed);
        text_release(&svg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_are_points),
        cmocka_unit_test(many_are_curves),
        cmocka_unit_test(more_environments_than_colors_are_violins),
        cmocka_unit_test(bars_of_detectable_slowdowns),
        cmocka_unit_test(any_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
