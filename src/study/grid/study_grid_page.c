#include "study/grid/study_grid_page.h"

size_t study_grid_page_write(const struct study_grid_plan *plan,
                             const struct study_grid_cell *cell, double *numbers)
{
    size_t count = 0;
    numbers[count++] = (double)cell->tests;
    for (int test = 0; test < STUDY_TESTS; test++) {
        for (size_t s = 0; s < plan->detector.slowdown_count &&
                           (cell->tests >> (unsigned)test & 1U) != 0;
             s++) {
            numbers[count++] = (double)cell->changed[test][s];
            numbers[count++] = (double)cell->faster[test][s];
        }
    }
    return count;
}

bool study_grid_page_read(const struct study_grid_plan *plan,
                          const struct study_page *page, size_t *at,
                          struct study_grid_cell *ret_cell)
{
    struct study_grid_cell cell = {.done = true};
    uint64_t tests = 0;
    bool right = study_page_whole(page, (*at)++, (1U << STUDY_TESTS) - 1U, &tests);
    cell.tests = (unsigned)tests;
    for (int test = 0; test < STUDY_TESTS && right; test++) {
        for (size_t s = 0; s < plan->detector.slowdown_count && right &&
                           (cell.tests >> (unsigned)test & 1U) != 0;
             s++) {
            uint64_t changed = 0;
            uint64_t faster = 0;
            right = study_page_whole(page, *at, plan->draws, &changed) &&
                    study_page_whole(page, *at + 1, changed, &faster);
            *at += 2;
            cell.changed[test][s] = (uint32_t)changed;
            cell.faster[test][s] = (uint32_t)faster;
        }
    }
    *ret_cell = cell;
    return right;
}
