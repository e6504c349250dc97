#include "study/grid/study_grid_summary.h"

#include "stats/rank/order.h"

#include <math.h>

const struct study_grid_cell *study_grid_at(const struct study_grid *grid,
                                            size_t configuration, size_t cell)
{
    return &grid->cells[configuration * grid->plan->cell_count + cell];
}

bool study_grid_answers(const struct study_grid_cell *cell, enum study_test test)
{
    return cell->done && (cell->tests >> (unsigned)test & 1U) != 0;
}

bool study_grid_any_answers(const struct study_grid *grid, size_t cell,
                            enum study_test test)
{
    for (size_t c = 0; c < grid->dataset->configuration_count; c++) {
        if (study_grid_answers(study_grid_at(grid, c, cell), test)) {
            return true;
        }
    }
    return false;
}

bool study_grid_has_sampling(const struct study_grid_plan *plan,
                             const struct study_grid_cell *cells,
                             enum study_sampling sampling, enum study_test test)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].sampling == sampling &&
            study_grid_answers(&cells[i], test)) {
            return true;
        }
    }
    return false;
}

/* ---- False positives ---- */

size_t study_grid_shares(const struct study_grid *grid, size_t environment, size_t cell,
                         enum study_test test, double *ret_shares)
{
    const struct model_dataset *dataset = grid->dataset;
    size_t count = 0;
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        const struct study_grid_cell *of = study_grid_at(grid, c, cell);
        bool here = environment == dataset->environment_count ||
                    dataset->configurations[c].environment == environment;
        if (here && study_grid_answers(of, test)) {
            ret_shares[count++] = study_grid_false_share(grid->plan, of, test);
        }
    }
    return count;
}

bool study_grid_density(const struct study_grid *grid, size_t environment, size_t cell,
                        enum study_test test, double *room, size_t points,
                        struct stats_spread *ret_spread, double *ret_at,
                        double *ret_density)
{
    struct duet_error ignored;
    double step = fmax(100 / (double)grid->plan->draws, 1.0);
    size_t count = study_grid_shares(grid, environment, cell, test, room);
    for (size_t i = 0; i < count; i++) {
        room[i] *= 100;
    }
    return count > 0 && stats_spread_of(room, count, ret_spread, &ignored) == DUET_OK &&
           stats_density_between(room, count, 0, 100, step, points, ret_at, ret_density,
                                 &ignored) == DUET_OK;
}

/* Of shares in ascending order. */
static size_t count_up_to(const double *shares, size_t count, double most)
{
    size_t within = 0;
    while (within < count && shares[within] <= most) {
        within++;
    }
    return within;
}

struct study_grid_spread study_grid_spread_of(const struct study_grid *grid,
                                              size_t cell, enum study_test test,
                                              double *room)
{
    size_t count =
        study_grid_shares(grid, grid->dataset->environment_count, cell, test, room);
    double sum = 0;
    if (count == 0) {
        return (struct study_grid_spread){.count = 0};
    }
    stats_sort(room, count);
    for (size_t i = 0; i < count; i++) {
        sum += room[i];
    }
    return (struct study_grid_spread){
        .count = count,
        .within_most = count_up_to(room, count, grid->plan->false_most),
        .within_10 = count_up_to(room, count, 0.1),
        .within_20 = count_up_to(room, count, 0.2),
        .median = (room[(count - 1) / 2] + room[count / 2]) / 2,
        .mean = sum / (double)count,
        .most = room[count - 1]};
}

/* ---- Counts ---- */

/* Where values are equal the p value is approximate, and may be smaller than so few
 * different ones can have: a change that was seen can be. */
static bool is_powerless(const struct study_grid *grid, size_t configuration,
                         size_t cell, enum study_test test)
{
    const struct study_grid_cell *of = study_grid_at(grid, configuration, cell);
    bool seen = false;
    for (size_t s = 0; s < grid->plan->detector.slowdown_count; s++) {
        seen = seen || of->changed[test][s] > 0;
    }
    return !seen &&
           !study_grid_can_change(grid->dataset, grid->plan, configuration, cell, test);
}

size_t study_grid_count_powerless(const struct study_grid *grid, size_t cell,
                                  enum study_test test)
{
    size_t count = 0;
    for (size_t c = 0; c < grid->dataset->configuration_count; c++) {
        count += study_grid_answers(study_grid_at(grid, c, cell), test) &&
                 is_powerless(grid, c, cell, test);
    }
    return count;
}

size_t study_grid_count_fewest(const struct study_grid *grid,
                               enum study_sampling sampling, enum study_test test,
                               size_t cell, size_t *ret_powerless)
{
    size_t count = 0;
    *ret_powerless = 0;
    for (size_t c = 0; c < grid->dataset->configuration_count; c++) {
        const struct study_grid_cell *cells = study_grid_at(grid, c, 0);
        if (study_grid_has_sampling(grid->plan, cells, sampling, test) &&
            study_grid_fewest(grid->plan, cells, sampling, test) == cell) {
            count++;
            *ret_powerless +=
                cell < grid->plan->cell_count && is_powerless(grid, c, cell, test);
        }
    }
    return count;
}

size_t study_grid_count_detectable(const struct study_grid *grid, size_t cell,
                                   enum study_test test, double found_least,
                                   size_t slowdown)
{
    size_t count = 0;
    for (size_t c = 0; c < grid->dataset->configuration_count; c++) {
        const struct study_grid_cell *of = study_grid_at(grid, c, cell);
        count += study_grid_answers(of, test) &&
                 study_grid_detectable(grid->plan, of, test, found_least) == slowdown;
    }
    return count;
}
