/* Pictures: byte by byte, and what holds for every picture. Each one is also written to
 * a folder, where check_svg.py reads it as XML. */
#include "report/plot/plot.h"
#include "report/plot/svg.h"
#include "support/alloc_fail.h"
#include "unit/report/report_samples.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

static struct text drawn(const struct plot_figure *figure)
{
    struct text text = {0};
    plot_svg(&text, figure);
    assert_false(text_failed(&text));
    return text;
}

static void keep(const struct text *text, const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/report_svg", TEST_BINARY_DIR);
    assert_true(mkdir(path, 0777) == 0 || errno == EEXIST);
    (void)snprintf(path, sizeof path, "%s/report_svg/%s", TEST_BINARY_DIR, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text_string(text), 1, text->length, file), text->length);
    assert_int_equal(fclose(file), 0);
}

static void assert_picture(const struct plot_figure *figure, const char *name)
{
    struct text text = drawn(figure);
    struct text again = drawn(figure);
    assert_string_equal(text_string(&text), text_string(&again));
    assert_null(strstr(text_string(&text), "nan"));
    assert_null(strstr(text_string(&text), "inf"));
    keep(&text, name);
    text_release(&again);
    assert_golden(&text, name);
}

static size_t occurrences(const struct text *text, const char *word)
{
    size_t found = 0;
    for (const char *s = strstr(text_string(text), word); s != NULL;
         s = strstr(s + 1, word)) {
        found++;
    }
    return found;
}

static void series_of_all_kinds(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2, 3, 4, 5};
    const double y[] = {10.1, 10.4, (double)NAN, 10.2, 11.0, 10.6};
    const double steps[] = {10.3, 10.3, 10.8, 10.5, (double)INFINITY, 10.9};
    const struct plot_series series[] = {
        {.name = "old", .kind = PLOT_POINTS, .color = 0, .count = 6, .x = x, .y = y},
        {.name = "new", .kind = PLOT_POINTS, .color = 1, .count = 6, .y = steps},
        {.name = "line", .kind = PLOT_LINE, .color = 2, .count = 6, .x = x, .y = y},
        {.name = "steps", .kind = PLOT_STEPS, .color = 3, .count = 6, .y = steps}};
    const struct plot_reference lines[] = {{false, 10.5, "the mean"},
                                           {true, 2.5, "here"}};
    const double density[] = {0, 0.4, 1.1, 0.3, (double)NAN, 0.2};
    const struct plot_series area = {
        .kind = PLOT_AREA, .color = 4, .count = 6, .x = x, .y = density};
    const struct plot_panel panels[] = {{.title = "over time",
                                         .x = {.label = "iteration"},
                                         .y = {.label = "time", .unit = "ms"},
                                         .series = series,
                                         .series_count = 4,
                                         .references = lines,
                                         .reference_count = 2},
                                        {.title = "how often",
                                         .x = {.label = "time", .unit = "ms"},
                                         .y = {.label = "density"},
                                         .series = &area,
                                         .series_count = 1}};
    const struct plot_figure figure = {.title = "Both sides & <time>",
                                       .description = "Times of \"old\" and 'new'.",
                                       .panels = panels,
                                       .panel_count = 2,
                                       .columns = 2};
    assert_picture(&figure, "plot_series.svg");
}

static const char *const workloads[] = {"integer", "float", "cache", "memory"};

static void distributions_on_a_logarithmic_axis(void **state)
{
    (void)state;
    const double at[] = {0.1, 0.2, 0.5, 1, 2, 5};
    const double density[] = {0, 1, 3, 4, 2, 0};
    const struct plot_box boxes[] = {{0, 0.05, 0.1, 0.3, 0.9, 4.0, NULL, NULL, 0},
                                     {1, 0.4, 0.7, 1.2, 2.2, 30, NULL, NULL, 0},
                                     {3, 0, 1, (double)NAN, 2, 3, NULL, NULL, 0}};
    const struct plot_box violins[] = {{0, 0.1, 0.4, 0.8, 1.4, 5, at, density, 6},
                                       {2, 0.1, 0.4, 0.8, 1.4, 5, NULL, NULL, 0}};
    const struct plot_series series[] = {
        {.name = "duet", .kind = PLOT_BOXES, .color = 0, .count = 3, .boxes = boxes},
        {.name = "shuffled",
         .kind = PLOT_VIOLINS,
         .color = 1,
         .count = 2,
         .boxes = violins}};
    const struct plot_axis names = {.categories = workloads, .category_count = 4};
    const struct plot_axis widths = {.label = "width", .unit = "%", .scale = PLOT_LOG};
    const struct plot_panel panels[] = {{.title = "upright",
                                         .x = names,
                                         .y = widths,
                                         .series = series,
                                         .series_count = 2},
                                        {.title = "lying",
                                         .x = widths,
                                         .y = names,
                                         .series = series,
                                         .series_count = 2}};
    const struct plot_figure figure = {.title = "Widths",
                                       .description = "Widths of intervals.",
                                       .panels = panels,
                                       .panel_count = 2,
                                       .columns = 2};
    assert_picture(&figure, "plot_distributions.svg");
}

static void bars_and_intervals(void **state)
{
    (void)state;
    static const char *const long_names[] = {
        "500.perlbench_r", "a benchmark whose name is longer than there is room",
        "\xFF<&>", "523.xalancbmk_r"};
    const double height[] = {1.4, 2.6, 0.9, 12.5};
    const double low[] = {1.2, 2.5, 0.8, 9};
    const double high[] = {1.7, 2.7, 1.1, 14};
    const double open_low[] = {(double)-INFINITY, 2.5, 0.8, 9};
    const double open_high[] = {1.7, (double)INFINITY, 1.1, 14};
    const struct plot_series bars[] = {
        {.name = "quiet",
         .kind = PLOT_BARS,
         .count = 4,
         .y = height,
         .low = low,
         .high = high},
        {.name = "busy", .kind = PLOT_BARS, .color = 1, .count = 4, .y = low}};
    const struct plot_series intervals = {.name = "interval",
                                          .kind = PLOT_INTERVALS,
                                          .color = 2,
                                          .count = 4,
                                          .y = height,
                                          .low = open_low,
                                          .high = open_high};
    const struct plot_reference one = {true, 1, "no change"};
    const struct plot_axis names = {.categories = long_names, .category_count = 4};
    const struct plot_panel panels[] = {{.title = "bars",
                                         .x = names,
                                         .y = {.label = "improvement"},
                                         .series = bars,
                                         .series_count = 2},
                                        {.title = "intervals",
                                         .x = {.label = "ratio"},
                                         .y = names,
                                         .series = &intervals,
                                         .series_count = 1,
                                         .references = &one,
                                         .reference_count = 1}};
    const struct plot_figure figure = {
        .title = "Bars and intervals", .panels = panels, .panel_count = 2};
    assert_picture(&figure, "plot_bars.svg");
}

static void heat_map(void **state)
{
    (void)state;
    static const char *const columns[] = {"1", "2", "3", "5", "10"};
    static const char *const rows[] = {"1 trial", "5 trials"};
    const double values[] = {12, 9.5, 7, 5, 4.9, 8, 6, (double)NAN, 2, 0};
    const bool marked[] = {false, false, false, true, true,
                           false, false, false, true, true};
    const struct plot_grid grid = {.values = values, .marked = marked, .decimals = 1};
    const struct plot_panel panel = {
        .x = {.label = "instances", .categories = columns, .category_count = 5},
        .y = {.categories = rows, .category_count = 2},
        .grid = &grid};
    const struct plot_figure figure = {.title = "False positives",
                                       .description = "Share in percent.",
                                       .panels = &panel,
                                       .panel_count = 1,
                                       .panel_height = 180};
    assert_picture(&figure, "plot_heat_map.svg");
}

static void small_multiples_share_their_range(void **state)
{
    (void)state;
    const double small[] = {1, 2};
    const double large[] = {1, 100};
    const struct plot_series series[] = {
        {.name = "times", .kind = PLOT_LINE, .count = 2, .y = small},
        {.name = "times", .kind = PLOT_LINE, .count = 2, .y = large}};
    const struct plot_panel panels[] = {
        {.title = "a", .series = &series[0], .series_count = 1},
        {.title = "b", .series = &series[1], .series_count = 1},
        {.title = "nothing"}};
    const struct plot_figure figure = {.panels = panels,
                                       .panel_count = 3,
                                       .columns = 3,
                                       .same_x = true,
                                       .same_y = true};
    struct text text = drawn(&figure);
    keep(&text, "plot_multiples.svg");
    assert_int_equal(occurrences(&text, ">100<"), 3);
    assert_int_equal(occurrences(&text, ">times<"), 1);
    assert_int_equal(occurrences(&text, "no data"), 1);
    text_release(&text);
}

/* What cannot be shown leaves a picture that can be. */
/* Colours that come again come with other dashes, in the panel and in the legend. */
static void lines_of_many_colors_differ(void **state)
{
    (void)state;
    const double y[] = {1, 2};
    struct plot_series series[PLOT_LINES];
    struct plot_panel panel = {.series = series, .series_count = PLOT_LINES};
    const struct plot_figure figure = {.panels = &panel, .panel_count = 1};
    struct text text = {0};
    for (size_t i = 0; i < PLOT_LINES; i++) {
        series[i] = (struct plot_series){
            .name = "same", .kind = PLOT_LINE, .color = i, .count = 2, .y = y};
    }
    plot_svg(&text, &figure);
    for (size_t color = 0; color < PLOT_COLORS; color++) {
        for (size_t dashes = 0; dashes < PLOT_DASHES; dashes++) {
            char css[32];
            (void)snprintf(css, sizeof css, dashes == 0 ? "\"l%zu" : "\"l%zu d%zu\"",
                           color, dashes);
            assert_true(occurrences(&text, css) >= 2);
        }
    }
    assert_int_equal(occurrences(&text, ">same<"), PLOT_LINES);
    text_release(&text);
}

static void nothing_to_show(void **state)
{
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -1, 0};
    const struct plot_series series = {
        .kind = PLOT_POINTS, .count = 4, .x = bad, .y = bad};
    const struct plot_panel panels[] = {{.x = {.scale = PLOT_LOG, .low = -3, .high = 2},
                                         .y = {.scale = PLOT_LOG},
                                         .series = &series,
                                         .series_count = 1},
                                        {.x = {.low = 5, .high = 5}}};
    struct plot_figure figure = {
        .panels = panels, .panel_count = 2, .width = (double)NAN};
    struct text text = drawn(&figure);
    keep(&text, "plot_nothing.svg");
    assert_int_equal(occurrences(&text, "no data"), 2);
    assert_int_equal(occurrences(&text, "h0"), 0);
    text_release(&text);
    figure.panel_count = 0;
    text = drawn(&figure);
    assert_non_null(strstr(text_string(&text), "</svg>"));
    text_release(&text);
}

static void numbers_are_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *expected;
    } cases[] = {{0, "0"},       {-0.001, "0"},           {1.5, "1.5"},
                 {100, "100"},   {-12.346, "-12.35"},     {(double)NAN, "0"},
                 {1e300, "0"},   {(double)INFINITY, "0"}, {0.1 + 0.2, "0.3"},
                 {99.999, "100"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct text text = {0};
        svg_number(&text, cases[i].value);
        assert_string_equal(text_string(&text), cases[i].expected);
        text_release(&text);
    }
}

static void short_memory_is_told(void **state)
{
    (void)state;
    const double y[] = {1, 2};
    const struct plot_series series = {
        .name = "a", .kind = PLOT_INTERVALS, .count = 2, .y = y};
    const struct plot_panel panel = {
        .x = {.label = "x", .unit = "s", .categories = workloads, .category_count = 2},
        .series = &series,
        .series_count = 1};
    const struct plot_figure figure = {
        .title = "t", .panels = &panel, .panel_count = 1};
    alloc_fail_at(0);
    struct text all = drawn(&figure);
    unsigned long total = alloc_fail_seen();
    text_release(&all);
    assert_true(total > 3);
    for (unsigned long n = 1; n <= total; n++) {
        struct text text = {0};
        alloc_fail_at(n);
        plot_svg(&text, &figure);
        alloc_fail_at(0);
        assert_true(text_failed(&text));
        text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(series_of_all_kinds),
        cmocka_unit_test(distributions_on_a_logarithmic_axis),
        cmocka_unit_test(bars_and_intervals),
        cmocka_unit_test(heat_map),
        cmocka_unit_test(small_multiples_share_their_range),
        cmocka_unit_test(lines_of_many_colors_differ),
        cmocka_unit_test(nothing_to_show),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
