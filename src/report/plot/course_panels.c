#include "report/plot/course_panels.h"

#include "report/digits.h"
#include "report/words.h"

#include <math.h>

/* Colours of plot.h: blue and vermilion tell the sides apart, green is the pairs'. */
enum { COLOR_OLD = 0, COLOR_NEW = 1, COLOR_PAIRS = 2, COLOR_OTHER = 6 };

/* What is small enough to leave the axis to the rest. */
static const double evidence_least = 0.01;

size_t course_step(size_t count, size_t most)
{
    return count <= most || most == 0 ? 1 : (count + most - 1) / most;
}

static bool has_losses(const struct course *course)
{
    const struct model_trace *trace = course->trace;
    for (size_t i = 0; i < trace->run_count; i++) {
        for (int side = 0; side < MODEL_SIDES; side++) {
            if (isfinite(trace->runs[i].taken_ratio[side]) ||
                isfinite(trace->runs[i].others_ratio[side])) {
                return true;
            }
        }
    }
    return false;
}

bool course_panel_has(enum course_panel panel, const struct course *course)
{
    const struct model_trace *trace = course->trace;
    switch (panel) {
    case COURSE_TIMES:
        return trace->counts[MODEL_OLD] + trace->counts[MODEL_NEW] > 0;
    case COURSE_DISTRIBUTION:
        return trace->densities[0].count + trace->densities[1].count > 0;
    case COURSE_BLOCKS:
    case COURSE_EVIDENCE:
        return trace->look_count > 0;
    case COURSE_RUNS:
        return trace->run_count > 1;
    case COURSE_LOSSES:
        return has_losses(course);
    case COURSE_PANELS:
        break;
    }
    return false;
}

/* ---- Series ---- */

/* Where the points of a thinned series come from. */
struct points {
    double *x;
    double *y;
    size_t count;
    size_t step;
};

static struct points points_take(struct sketch *sketch, size_t count, size_t most)
{
    struct points points = {.step = course_step(count, most)};
    points.count = (count + points.step - 1) / points.step;
    points.x = sketch_take(sketch, points.count, sizeof(double));
    points.y = sketch_take(sketch, points.count, sizeof(double));
    if (points.x == NULL || points.y == NULL) {
        points.count = 0;
    }
    return points;
}

static double percent_of(double ratio)
{
    return (ratio - 1) * 100;
}

static const struct plot_axis change_axis = {.label = "change", .unit = "%"};

/* Lines of the answer: its ends, or, of one without an interval, itself. */
static size_t answer_lines(const struct model_comparison *comparison, bool ends,
                           struct plot_reference lines[2])
{
    size_t count = 0;
    const double values[] = {comparison->interval.low, comparison->interval.high};
    for (size_t i = 0; ends && i < 2; i++) {
        if (isfinite(values[i])) {
            lines[count++] = (struct plot_reference){
                .value = percent_of(values[i]), .label = i == 1 ? "interval" : NULL};
        }
    }
    if (count == 0 && isfinite(comparison->ratio)) {
        lines[count++] =
            (struct plot_reference){.value = percent_of(comparison->ratio)};
    }
    return count;
}

/* Copies a panel's parts into the sketch, which borrows nothing of the stack. */
static void add_panel(struct sketch *sketch, struct plot_panel panel,
                      enum course_panel which, bool paired, bool titled)
{
    struct plot_series *series =
        sketch_take(sketch, panel.series_count, sizeof *series);
    struct plot_reference *lines =
        sketch_take(sketch, panel.reference_count, sizeof *lines);
    if (series == NULL || lines == NULL) {
        return;
    }
    for (size_t i = 0; i < panel.series_count; i++) {
        series[i] = panel.series[i];
    }
    for (size_t i = 0; i < panel.reference_count; i++) {
        lines[i] = panel.references[i];
    }
    panel.series = series;
    panel.references = lines;
    panel.title = titled ? course_panel_title(which, paired) : NULL;
    sketch_panel(sketch, &panel);
}

static double unit_of(const struct course *course)
{
    return words_unit_ns(course->comparison, 1, 0);
}

static void add_times(struct sketch *sketch, const struct course *course, bool titled)
{
    const struct model_trace *trace = course->trace;
    double unit_ns = unit_of(course);
    double margin_ns = 0.05 * (trace->usual_high_ns - trace->usual_low_ns);
    double low_ns = trace->usual_low_ns - margin_ns;
    double high_ns = trace->usual_high_ns + margin_ns;
    struct plot_series series[MODEL_SIDES];
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct points points =
            points_take(sketch, trace->counts[side], course->points_most);
        for (size_t i = 0; i < points.count; i++) {
            points.x[i] = (double)(i * points.step * trace->every + 1);
            double time_ns = trace->times_ns[side][i * points.step];
            points.y[i] =
                fmax(low_ns, fmin(time_ns, high_ns)) / unit_ns; /* at the edge */
        }
        series[side] =
            (struct plot_series){.name = model_side_name((enum model_side)side),
                                 .kind = PLOT_POINTS,
                                 .color = side == MODEL_OLD ? COLOR_OLD : COLOR_NEW,
                                 .count = points.count,
                                 .x = points.x,
                                 .y = points.y};
    }
    add_panel(sketch,
              (struct plot_panel){
                  .x = {.label = trace->paired ? "pair" : "iteration of its side"},
                  .y = {.label = "time", .unit = digits_unit_name(unit_ns, true)},
                  .series = series,
                  .series_count = MODEL_SIDES},
              COURSE_TIMES, trace->paired, titled);
}

static bool is_few(const struct model_trace *trace)
{
    return trace->totals[MODEL_OLD] < PLOT_DENSITY_LEAST &&
           trace->totals[MODEL_NEW] < PLOT_DENSITY_LEAST;
}

/* The ratio of each pair in a row, or the times of each side in a row of its own. */
static void add_few(struct sketch *sketch, const struct course *course, bool titled)
{
    const struct model_trace *trace = course->trace;
    static const char *const rows[MODEL_SIDES] = {"old", "new"};
    static const char *const pairs[] = {"pairs"};
    double unit_ns = trace->paired ? 1 : unit_of(course);
    struct plot_series series[MODEL_SIDES];
    size_t count = trace->paired ? 1 : MODEL_SIDES;
    for (size_t s = 0; s < count; s++) {
        struct points points = points_take(sketch, trace->counts[s], 0);
        for (size_t i = 0; i < points.count; i++) {
            points.x[i] =
                trace->paired ? trace->ratios[i] : trace->times_ns[s][i] / unit_ns;
            points.y[i] = (double)s;
        }
        series[s] = (struct plot_series){.name = trace->paired ? "pairs" : rows[s],
                                         .kind = PLOT_POINTS,
                                         .color = trace->paired ? COLOR_PAIRS : s,
                                         .count = points.count,
                                         .x = points.x,
                                         .y = points.y};
    }
    const struct plot_reference lines[] = {{.upright = true, .value = 1}};
    add_panel(
        sketch,
        (struct plot_panel){
            .x = {.label = trace->paired ? "ratio new / old" : "time",
                  .unit = trace->paired ? NULL : digits_unit_name(unit_ns, true),
                  .scale = PLOT_LOG},
            .y = {.categories = trace->paired ? pairs : rows, .category_count = count},
            .series = series,
            .series_count = count,
            .references = lines,
            .reference_count = trace->paired ? 1 : 0},
        COURSE_DISTRIBUTION, trace->paired, titled);
}

static void add_distribution(struct sketch *sketch, const struct course *course,
                             bool titled)
{
    const struct model_trace *trace = course->trace;
    if (is_few(trace)) {
        add_few(sketch, course, titled);
        return;
    }
    static const char *const paired_names[] = {"pairs as measured", "shuffled"};
    double unit_ns = trace->paired ? 1 : unit_of(course);
    struct plot_series series[MODEL_TRACE_DENSITIES];
    for (int i = 0; i < MODEL_TRACE_DENSITIES; i++) {
        const struct model_trace_density *density = &trace->densities[i];
        double *at = sketch_take(sketch, density->count, sizeof *at);
        for (size_t p = 0; at != NULL && p < density->count; p++) {
            at[p] = density->at[p] / unit_ns;
        }
        series[i] = (struct plot_series){
            .name =
                trace->paired ? paired_names[i] : model_side_name((enum model_side)i),
            .kind = trace->paired && i == 1 ? PLOT_LINE : PLOT_AREA,
            .color = trace->paired ? (i == 0 ? COLOR_PAIRS : COLOR_OTHER)
                                   : (size_t)(i == 0 ? COLOR_OLD : COLOR_NEW),
            .count = at == NULL ? 0 : density->count,
            .x = at,
            .y = density->density};
    }
    const struct plot_reference lines[] = {{.upright = true, .value = 1}};
    add_panel(sketch,
              (struct plot_panel){
                  .x = {.label = trace->paired ? "ratio new / old" : "time",
                        .unit = trace->paired ? NULL : digits_unit_name(unit_ns, true),
                        .scale = PLOT_LOG},
                  .y = {.label = "density"},
                  .series = series,
                  .series_count = MODEL_TRACE_DENSITIES,
                  .references = lines,
                  .reference_count = trace->paired ? 1 : 0},
              COURSE_DISTRIBUTION, trace->paired, titled);
}

static void add_blocks(struct sketch *sketch, const struct course *course, bool titled)
{
    const struct model_trace *trace = course->trace;
    struct points points = points_take(sketch, trace->look_count, course->points_most);
    struct plot_reference lines[2];
    for (size_t i = 0; i < points.count; i++) {
        points.x[i] = (double)(i * points.step + 1);
        points.y[i] = percent_of(trace->looks[i * points.step].ratio);
    }
    const struct plot_series series = {.kind = PLOT_POINTS,
                                       .color = COLOR_PAIRS,
                                       .count = points.count,
                                       .x = points.x,
                                       .y = points.y};
    add_panel(sketch,
              (struct plot_panel){.x = {.label = "block"},
                                  .y = change_axis,
                                  .series = &series,
                                  .series_count = 1,
                                  .references = lines,
                                  .reference_count =
                                      answer_lines(course->comparison, true, lines)},
              COURSE_BLOCKS, trace->paired, titled);
}

static void add_runs(struct sketch *sketch, const struct course *course, bool titled)
{
    const struct model_trace *trace = course->trace;
    double unit_ns = unit_of(course);
    struct plot_reference lines[2];
    struct plot_series series[MODEL_SIDES];
    size_t count = trace->paired ? 1 : MODEL_SIDES;
    for (size_t s = 0; s < count; s++) {
        struct points points =
            points_take(sketch, trace->run_count, course->points_most);
        for (size_t i = 0; i < points.count; i++) {
            const struct model_trace_run *run = &trace->runs[i * points.step];
            points.x[i] = (double)(run->run + 1);
            points.y[i] =
                trace->paired ? percent_of(run->ratio) : run->typical_ns[s] / unit_ns;
        }
        series[s] = (struct plot_series){
            .name = trace->paired ? NULL : model_side_name((enum model_side)s),
            .kind = PLOT_POINTS,
            .color = trace->paired ? COLOR_PAIRS : s,
            .count = points.count,
            .x = points.x,
            .y = points.y};
    }
    const struct plot_axis time_axis = {.label = "time",
                                        .unit = digits_unit_name(unit_ns, true)};
    add_panel(
        sketch,
        (struct plot_panel){
            .x = {.label = "run"},
            .y = trace->paired ? change_axis : time_axis,
            .series = series,
            .series_count = count,
            .references = lines,
            .reference_count =
                trace->paired ? answer_lines(course->comparison, false, lines) : 0},
        COURSE_RUNS, trace->paired, titled);
}

static void add_evidence(struct sketch *sketch, const struct course *course,
                         bool titled)
{
    const struct model_trace *trace = course->trace;
    static const char *const names[] = {"new is slower", "new is faster"};
    struct plot_series series[2];
    double most = trace->threshold;
    for (size_t s = 0; s < 2; s++) {
        struct points points =
            points_take(sketch, trace->look_count, course->points_most);
        for (size_t i = 0; i < points.count; i++) {
            const struct model_trace_look *look = &trace->looks[i * points.step];
            double evidence = s == 0 ? look->slower : look->faster;
            points.x[i] = (double)(i * points.step + 1);
            points.y[i] = fmax(evidence, evidence_least);
            most = fmax(most, evidence);
        }
        series[s] = (struct plot_series){.name = names[s],
                                         .kind = PLOT_STEPS,
                                         .color = s == 0 ? COLOR_NEW : COLOR_OLD,
                                         .count = points.count,
                                         .x = points.x,
                                         .y = points.y};
    }
    const struct plot_reference line = {.value = trace->threshold, .label = "decides"};
    add_panel(sketch,
              (struct plot_panel){.x = {.label = "block"},
                                  .y = {.label = "e-value",
                                        .scale = PLOT_LOG,
                                        .low = evidence_least,
                                        .high = fmin(most * 10, 1e305)},
                                  .series = series,
                                  .series_count = 2,
                                  .references = &line,
                                  .reference_count = 1},
              COURSE_EVIDENCE, trace->paired, titled);
}

static void add_losses(struct sketch *sketch, const struct course *course, bool titled)
{
    const struct model_trace *trace = course->trace;
    static const char *const names[2][MODEL_SIDES] = {
        {"old lost", "new lost"}, {"others on old's CPU", "others on new's CPU"}};
    enum { SERIES = 2 * MODEL_SIDES };
    struct plot_series series[SERIES];
    for (size_t s = 0; s < SERIES; s++) {
        size_t side = s % MODEL_SIDES;
        bool others = s >= MODEL_SIDES;
        struct points points =
            points_take(sketch, trace->run_count, course->points_most / 2);
        for (size_t i = 0; i < points.count; i++) {
            const struct model_trace_run *run = &trace->runs[i * points.step];
            points.x[i] = (double)(run->run + 1);
            points.y[i] =
                100 * (others ? run->others_ratio[side] : run->taken_ratio[side]);
        }
        series[s] =
            (struct plot_series){.name = names[others][side],
                                 .kind = others ? PLOT_LINE : PLOT_POINTS,
                                 .color = side == MODEL_OLD ? COLOR_OLD : COLOR_NEW,
                                 .count = points.count,
                                 .x = points.x,
                                 .y = points.y};
    }
    const struct plot_reference steal = {.value = course->steal_pct, .label = "steal"};
    add_panel(
        sketch,
        (struct plot_panel){.x = {.label = "run"},
                            .y = {.label = "share of the time", .unit = "%"},
                            .series = series,
                            .series_count = SERIES,
                            .references = &steal,
                            .reference_count = isfinite(course->steal_pct) ? 1 : 0},
        COURSE_LOSSES, trace->paired, titled);
}

void course_panel_add(struct sketch *sketch, enum course_panel panel,
                      const struct course *course, bool titled)
{
    static void (*const add[COURSE_PANELS])(struct sketch *, const struct course *,
                                            bool) = {
        [COURSE_TIMES] = add_times,       [COURSE_DISTRIBUTION] = add_distribution,
        [COURSE_BLOCKS] = add_blocks,     [COURSE_RUNS] = add_runs,
        [COURSE_EVIDENCE] = add_evidence, [COURSE_LOSSES] = add_losses};
    add[panel](sketch, course, titled);
}
