#include "figures/grid_picture.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MAPS = (int)STUDY_TESTS * (int)STUDY_SAMPLINGS,
    ROWS_MAX = STUDY_SIZES_MAX,
    COLUMNS_MAX = STUDY_SLOWDOWNS_MAX + 1,
    NAME_BYTES = 24
};

/* A heat map under way. */
struct map {
    double values[ROWS_MAX * COLUMNS_MAX];
    char title[64];
    struct plot_grid grid;
};

struct picture {
    const struct grid_question *question;
    struct study_grid grid;
    double *room;          /* a number for every configuration */
    size_t rows[ROWS_MAX]; /* numbers of instances */
    size_t row_count;
    size_t columns[COLUMNS_MAX]; /* numbers of trials, or indices of slowdowns */
    size_t column_count;
    char row_names[ROWS_MAX][NAME_BYTES];
    char column_names[COLUMNS_MAX][NAME_BYTES];
    const char *row_list[ROWS_MAX];
    const char *column_list[COLUMNS_MAX];
    struct map maps[MAPS];
    size_t count;
    struct sketch sketch;
};

static void add_size(size_t *sizes, size_t *count, size_t most, size_t size)
{
    for (size_t i = 0; i < *count; i++) {
        if (sizes[i] == size) {
            return;
        }
    }
    if (*count < most) {
        sizes[(*count)++] = size;
    }
}

static void name_axes(struct picture *picture)
{
    const struct study_grid_plan *plan = &picture->question->plan;
    bool slowdowns = picture->question->kind == GRID_DETECTABLE;
    for (size_t i = 0; i < plan->cell_count; i++) {
        add_size(picture->rows, &picture->row_count, ROWS_MAX,
                 plan->cells[i].instances);
        if (!slowdowns) {
            add_size(picture->columns, &picture->column_count, COLUMNS_MAX,
                     plan->cells[i].trials);
        }
    }
    for (size_t s = 1; slowdowns && s <= plan->detector.slowdown_count; s++) {
        picture->columns[picture->column_count++] = s;
    }
    for (size_t r = 0; r < picture->row_count; r++) {
        (void)snprintf(picture->row_names[r], NAME_BYTES, "%zu", picture->rows[r]);
        picture->row_list[r] = picture->row_names[r];
    }
    for (size_t c = 0; c < picture->column_count; c++) {
        size_t column = picture->columns[c];
        char *name = picture->column_names[c];
        if (!slowdowns) {
            (void)snprintf(name, NAME_BYTES, "%zu", column);
        } else if (column < plan->detector.slowdown_count) {
            (void)snprintf(name, NAME_BYTES, "%.4g %%",
                           100.0 * plan->detector.slowdowns[column]);
        } else {
            (void)snprintf(name, NAME_BYTES, "none");
        }
        picture->column_list[c] = name;
    }
}

/* Of all configurations in a cell; NaN: none answers. */
static double value_in(const struct picture *picture, size_t cell, enum study_test test,
                       size_t column)
{
    const struct study_grid *grid = &picture->grid;
    const struct study_grid_spread spread =
        study_grid_spread_of(grid, cell, test, picture->room);
    size_t powerless = 0;
    if (spread.count == 0) {
        return (double)NAN;
    }
    switch (picture->question->kind) {
    case GRID_FALSE_POSITIVES:
        return 100.0 * spread.mean;
    case GRID_SAMPLES:
        return (double)study_grid_count_fewest(grid, grid->plan->cells[cell].sampling,
                                               test, cell, &powerless);
    case GRID_DETECTABLE:
        break;
    }
    return (double)study_grid_count_detectable(grid, cell, test,
                                               picture->question->found_least, column);
}

/* The value of a place: of its cell (of detectable slowdowns the one with the most
 * trials). */
static double value_of(const struct picture *picture, enum study_sampling sampling,
                       enum study_test test, size_t row, size_t column)
{
    const struct study_grid_plan *plan = picture->grid.plan;
    double value = (double)NAN;
    size_t most = 0;
    for (size_t i = 0; i < plan->cell_count; i++) {
        bool here = plan->cells[i].trials >= most &&
                    plan->cells[i].sampling == sampling &&
                    plan->cells[i].instances == picture->rows[row] &&
                    (picture->question->kind == GRID_DETECTABLE ||
                     plan->cells[i].trials == picture->columns[column]);
        double known =
            here ? value_in(picture, i, test, picture->columns[column]) : (double)NAN;
        if (!isnan(known)) {
            value = known;
            most = plan->cells[i].trials;
        }
    }
    return value;
}

static void add_map(struct picture *picture, enum study_sampling sampling,
                    enum study_test test)
{
    struct map *map = &picture->maps[picture->count];
    bool any = false;
    for (size_t r = 0; r < picture->row_count; r++) {
        for (size_t c = 0; c < picture->column_count; c++) {
            double value = value_of(picture, sampling, test, r, c);
            map->values[r * picture->column_count + c] = value;
            any = any || !isnan(value);
        }
    }
    if (!any) {
        return;
    }
    (void)snprintf(map->title, sizeof map->title, "%s, %s", study_test_name(test),
                   study_sampling_name(sampling));
    map->grid = (struct plot_grid){.values = map->values};
    picture->count++;
    const struct plot_panel panel = {
        .title = map->title,
        .x = {.label = picture->question->kind == GRID_DETECTABLE
                           ? "smallest slowdown found"
                           : "trials",
              .categories = picture->column_list,
              .category_count = picture->column_count},
        .y = {.label = "instances",
              .categories = picture->row_list,
              .category_count = picture->row_count},
        .grid = &map->grid,
    };
    sketch_panel(&picture->sketch, &panel);
}

/* One range of colours for all, beside which the key stands. */
static void share_colors(struct picture *picture)
{
    double most = 0;
    for (size_t m = 0; m < picture->count; m++) {
        for (size_t i = 0; i < picture->row_count * picture->column_count; i++) {
            most = fmax(most, picture->maps[m].values[i]);
        }
    }
    for (size_t m = 0; m < picture->count; m++) {
        picture->maps[m].grid.high = most;
    }
}

enum duet_code grid_picture_write(const char *path,
                                  const struct grid_question *question,
                                  const struct model_dataset *dataset,
                                  const struct study_grid_cell *cells,
                                  struct duet_error *reterr)
{
    static const char *const titles[] = {
        [GRID_FALSE_POSITIVES] =
            "False positives in %: mean of the benchmarks, and spread",
        [GRID_SAMPLES] = "Benchmarks that need so few samples",
        [GRID_DETECTABLE] = "Benchmarks by the smallest slowdown that is found"};
    static const char *const descriptions[] = {
        [GRID_FALSE_POSITIVES] =
            "Heat maps, one for each test and sampling; rows are numbers of instances. "
            "Then how the benchmarks' false positives are spread, a curve (of more than eight: "
            "a violin) an environment.",
        [GRID_SAMPLES] =
            "Heat maps, one for each test and sampling; rows are numbers of instances.",
        [GRID_DETECTABLE] =
            "Heat maps, one for each test and sampling; rows are numbers of instances. Then the same as bars."};
    struct picture *picture = alloc_array(1, sizeof *picture);
    double *room = alloc_array(dataset->configuration_count, sizeof *room);
    if (picture == NULL || room == NULL) {
        free(picture);
        free(room);
        return error_set(reterr, DUET_E_NOMEM, "no memory for a picture");
    }
    picture->question = question;
    picture->grid = (struct study_grid){&question->plan, dataset, cells};
    picture->room = room;
    name_axes(picture);
    for (int s = 0; s < STUDY_SAMPLINGS; s++) {
        for (int test = 0; test < STUDY_TESTS; test++) {
            add_map(picture, (enum study_sampling)s, (enum study_test)test);
        }
    }
    share_colors(picture);
    const struct grid_drawing drawing = {&picture->sketch, question, picture->grid};
    if (question->kind == GRID_FALSE_POSITIVES) {
        grid_picture_add_densities(&drawing);
    } else if (question->kind == GRID_DETECTABLE) {
        grid_picture_add_histograms(&drawing);
    }
    const struct plot_figure figure = {
        .title = titles[question->kind],
        .description = descriptions[question->kind],
        .note = sketch_dataset_note(&picture->sketch, dataset),
        .columns = 1};
    enum duet_code code = sketch_write(&picture->sketch, path, &figure, reterr);
    free(room);
    free(picture);
    return code;
}
