/* A history as a picture. */
#include "cli/history/history_export.h"
#include "cli/history/history_words.h"
#include "report/plot/sketch.h"

#include <math.h>

/* Of the panel by time; the largest of which there are two or more. */
static const struct {
    const char *name;
    double ms;
} units[] = {{"days", 86400e3}, {"hours", 3600e3}, {"minutes", 60e3}, {"seconds", 1e3}};
enum { UNITS = sizeof units / sizeof units[0] };

struct panels {
    struct sketch *sketch;
    const struct history_set *set;
    const struct history_benchmark *benchmark;
    double first_ms; /* time of the earliest commit */
    double last_ms;  /* ... and of the latest */
    size_t unit;
};

static double place_of(const struct panels *panels, size_t commit, size_t index,
                       bool by_time)
{
    return by_time ? ((double)panels->set->commits[commit].committed_utc_ms -
                      panels->first_ms) /
                         units[panels->unit].ms
                   : (double)index;
}

/* The commits of a piece with a level: intervals. *ret_series: borrowed memory. */
static bool add_levels(const struct panels *panels, size_t piece, bool by_time,
                       struct plot_series *ret_series)
{
    const struct history_set *set = panels->set;
    const struct analysis_history *history = &panels->benchmark->answer;
    double *room = sketch_take(panels->sketch, 4 * set->count, sizeof *room);
    size_t count = 0;
    size_t index = 0;
    if (room == NULL) {
        return false;
    }
    double *x = room;
    double *y = room + set->count;
    double *low = room + 2 * set->count;
    double *high = room + 3 * set->count;
    for (size_t i = set->dropped; i < set->shown; i++) {
        const struct analysis_commit *commit = &history->commits[i];
        if (commit->kind == ANALYSIS_COMMIT_UNKNOWN) {
            continue;
        }
        if (commit->piece == piece) {
            x[count] = place_of(panels, i, index, by_time);
            y[count] = 100 * (commit->ratio - 1);
            low[count] = 100 * (commit->low - 1);
            high[count++] = 100 * (commit->high - 1);
        }
        index++;
    }
    *ret_series = (struct plot_series){
        .name =
            history->piece_count > 1
                ? sketch_name(panels->sketch, "piece %zu, relative to %s", piece + 1,
                              set->commits[history->pieces[piece].reference].label)
                : NULL,
        .kind = PLOT_INTERVALS,
        .color = piece,
        .count = count,
        .x = x,
        .y = y,
        .low = low,
        .high = high};
    return true;
}

/* A line at each change, named by its commit. */
static size_t add_changes(const struct panels *panels, bool by_time,
                          struct plot_reference *references)
{
    const struct history_set *set = panels->set;
    const struct analysis_history *history = &panels->benchmark->answer;
    size_t index = 0;
    size_t count = 0;
    for (size_t i = set->dropped; i < set->shown; i++) {
        const struct analysis_change *change = history_change_at(history, i);
        if (change != NULL) {
            struct text words = {0};
            history_append_change(&words, change->ratio, change->low, change->high);
            references[count++] = (struct plot_reference){
                .upright = true,
                .value = place_of(panels, i, index, by_time),
                .label = sketch_name(panels->sketch, "%s %s", set->commits[i].label,
                                     text_string(&words))};
            text_release(&words);
        }
        index += history->commits[i].kind != ANALYSIS_COMMIT_UNKNOWN;
    }
    return count;
}

static void add_panel(const struct panels *panels, bool by_time)
{
    const struct analysis_history *history = &panels->benchmark->answer;
    char first[DAY_MOMENT_BYTES];
    struct plot_series *series =
        sketch_take(panels->sketch, history->piece_count + 1, sizeof *series);
    struct plot_reference *references =
        sketch_take(panels->sketch, history->change_count + 1, sizeof *references);
    bool whole = series != NULL && references != NULL;
    for (size_t i = 0; i < history->piece_count && whole; i++) {
        whole = add_levels(panels, i, by_time, &series[i]);
    }
    if (!whole) {
        return;
    }
    history_date((int64_t)panels->first_ms, false, first);
    size_t count = add_changes(panels, by_time, references);
    const struct plot_panel panel = {
        .title = sketch_name(panels->sketch, "%s", panels->benchmark->name),
        .x = {.label = by_time ? sketch_name(panels->sketch,
                                             "time of the commit since %s", first)
                               : "measured commits, in order",
              .unit = by_time ? units[panels->unit].name : NULL},
        .y = {.label = "change", .unit = "%"},
        .series = series,
        .series_count = history->piece_count,
        .references = references,
        .reference_count = count};
    sketch_panel(panels->sketch, &panel);
}

static void find_times(const struct history_set *set, struct panels *panels)
{
    panels->first_ms = (double)INFINITY;
    panels->last_ms = -(double)INFINITY;
    for (size_t i = set->dropped; i < set->shown; i++) {
        double ms = (double)set->commits[i].committed_utc_ms;
        panels->first_ms = fmin(panels->first_ms, ms);
        panels->last_ms = fmax(panels->last_ms, ms);
    }
    double span_ms = panels->last_ms - panels->first_ms;
    while (panels->unit + 1 < UNITS && span_ms < 2 * units[panels->unit].ms) {
        panels->unit++;
    }
}

static size_t count_comparisons(const struct history_set *set)
{
    size_t count = 0;
    for (size_t i = 0; i < set->benchmark_count; i++) {
        count += set->benchmarks[i].comparisons;
    }
    return count;
}

enum duet_code history_export_svg(const char *path, const struct history_set *set,
                                  double confidence, struct duet_error *reterr)
{
    struct sketch sketch = {0};
    struct panels panels = {.sketch = &sketch, .set = set};
    find_times(set, &panels);
    bool has_times = panels.first_ms < panels.last_ms;
    for (size_t i = 0; i < set->benchmark_count; i++) {
        panels.benchmark = &set->benchmarks[i];
        add_panel(&panels, false);
        if (has_times) { /* all at once, there is nothing to see */
            add_panel(&panels, true);
        }
    }
    const struct plot_figure figure = {
        .title = "Time of each commit, relative to its reference",
        .description = "Points with intervals, one a commit; dashed lines where the "
                       "level changed.",
        .note = sketch_name(&sketch,
                            "commits: %zu, comparisons: %zu; %.6g %% confidence "
                            "intervals; dashed: changes",
                            set->shown - set->dropped, count_comparisons(set),
                            100 * confidence),
        .columns = 1};
    return sketch_write(&sketch, path, &figure, reterr);
}
