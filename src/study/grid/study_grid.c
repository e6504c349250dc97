#include "study/grid/study_grid.h"

#include "base/alloc.h"
#include "base/threads.h"
#include "study/grid/study_critical.h"
#include "study/grid/study_grid_page.h"
#include "study/study_streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS_MAX = 65535, CONFIGURATIONS_MAX = 1 << 14 };

bool study_grid_can_change(const struct model_dataset *dataset,
                           const struct study_grid_plan *plan, size_t configuration,
                           size_t cell, enum study_test test)
{
    struct model_extent extent = model_dataset_extent(dataset, configuration);
    size_t most = 0;
    for (size_t t = 0; t < extent.trials; t++) {
        size_t count = dataset->trials[extent.first_trial + t].count;
        most = count > most ? count : most;
    }
    most *= plan->cells[cell].instances * plan->cells[cell].trials;
    double level = (1.0 - plan->detector.confidence) / (double)plan->detector.corrected;
    return test != STUDY_TEST_RANKSUM || study_critical_is_reachable(most, most, level);
}

double study_grid_false_share(const struct study_grid_plan *plan,
                              const struct study_grid_cell *cell, enum study_test test)
{
    return (double)cell->changed[test][0] / (double)plan->draws;
}

static bool has(unsigned tests, enum study_test test)
{
    return (tests >> (unsigned)test & 1U) != 0;
}

static bool is_acceptable(const struct study_grid_plan *plan,
                          const struct study_grid_cell *cell, enum study_test test)
{
    return cell->done && has(cell->tests, test) &&
           study_grid_false_share(plan, cell, test) <= plan->false_most;
}

size_t study_grid_detectable(const struct study_grid_plan *plan,
                             const struct study_grid_cell *cell, enum study_test test,
                             double found_least)
{
    size_t slowdowns = plan->detector.slowdown_count;
    if (!is_acceptable(plan, cell, test)) {
        return slowdowns;
    }
    for (size_t s = 1; s < slowdowns; s++) {
        if ((double)cell->changed[test][s] / (double)plan->draws >= found_least) {
            return s;
        }
    }
    return slowdowns;
}

/* ---- Order ---- */

static bool comes_before(const struct study_cell *a, const struct study_cell *b)
{
    size_t a_size = a->instances * a->trials;
    size_t b_size = b->instances * b->trials;
    if (a->sampling != b->sampling) {
        return a->sampling < b->sampling;
    }
    return a_size != b_size ? a_size < b_size : a->trials > b->trials;
}

/* Indices of the cells: as they are, or the smallest first. */
static void order_cells(const struct study_grid_plan *plan, size_t *order)
{
    for (size_t i = 0; i < plan->cell_count; i++) {
        size_t at = i;
        while (plan->fewest && at > 0 &&
               comes_before(&plan->cells[i], &plan->cells[order[at - 1]])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
}

size_t study_grid_fewest(const struct study_grid_plan *plan,
                         const struct study_grid_cell *cells,
                         enum study_sampling sampling, enum study_test test)
{
    size_t best = plan->cell_count;
    for (size_t i = 0; i < plan->cell_count; i++) {
        if (plan->cells[i].sampling == sampling &&
            is_acceptable(plan, &cells[i], test) &&
            (best == plan->cell_count ||
             comes_before(&plan->cells[i], &plan->cells[best]))) {
            best = i;
        }
    }
    return best;
}

/* ---- One cell ---- */

struct worker {
    struct study_groups groups;
    struct study_detector_space *space;
};

/* The largest group that there can be. */
struct extent {
    size_t instances;
    size_t trials;
    size_t longest; /* values of a trial */
};

struct walk {
    const struct study_grid_plan *plan;
    struct extent extent;
    struct study_subject subject;
    struct worker *workers;
    int threads;
    struct study_outcome *outcomes; /* of a cell's draws */
};

static uint64_t stream_of(const struct walk *walk, const struct study_cell *cell,
                          size_t draw)
{
    return study_stream(STUDY_USE_DRAWS) + ((uint64_t)cell->sampling << 46U) +
           ((uint64_t)walk->subject.number << 32U) +
           ((uint64_t)cell->instances << 24U) + ((uint64_t)cell->trials << 16U) + draw;
}

static enum duet_code draw_once(struct walk *walk, const struct study_cell *cell,
                                unsigned tests, size_t draw, struct worker *worker,
                                struct duet_error *reterr)
{
    struct random_stream stream =
        random_stream_at(walk->plan->seed, stream_of(walk, cell, draw));
    study_groups_draw(&walk->subject, cell, &stream, &worker->groups);
    return study_detect(&walk->plan->detector, &walk->subject, &worker->groups, tests,
                        random_u64(&stream), worker->space, &walk->outcomes[draw],
                        reterr);
}

static void count_outcomes(const struct walk *walk, struct study_grid_cell *cell)
{
    for (size_t d = 0; d < walk->plan->draws; d++) {
        const struct study_outcome *outcome = &walk->outcomes[d];
        for (int test = 0; test < STUDY_TESTS; test++) {
            for (size_t s = 0; s < walk->plan->detector.slowdown_count; s++) {
                cell->changed[test][s] += outcome->changed[test] >> s & 1U;
                cell->faster[test][s] += outcome->faster[test] >> s & 1U;
            }
        }
    }
}

struct drawing {
    struct walk *walk;
    const struct study_cell *cell;
    unsigned tests;
};

static enum duet_code draw_some(void *context, size_t first, size_t end, size_t thread,
                                struct duet_error *reterr)
{
    const struct drawing *all = context;
    enum duet_code code = DUET_OK;
    for (size_t draw = first; draw < end && code == DUET_OK; draw++) {
        code = draw_once(all->walk, all->cell, all->tests, draw,
                         &all->walk->workers[thread], reterr);
    }
    return code;
}

static enum duet_code run_cell(struct walk *walk, const struct study_cell *cell,
                               unsigned tests, struct study_grid_cell *ret_cell,
                               struct duet_error *reterr)
{
    struct study_grid_cell made = {.done = true, .tests = tests};
    struct drawing all = {walk, cell, tests};
    const struct threads_loop loop = {.count = walk->plan->draws,
                                      .chunk = 4,
                                      .threads = walk->threads,
                                      .body = draw_some,
                                      .context = &all};
    enum duet_code code = threads_for(&loop, reterr);
    if (code == DUET_OK) {
        count_outcomes(walk, &made);
        *ret_cell = made;
    }
    return code;
}

/* Which tests a cell still has to answer. */
static unsigned tests_for(const struct walk *walk, const struct study_cell *cell,
                          const struct study_grid_cell *cells)
{
    const struct study_grid_plan *plan = walk->plan;
    unsigned tests = 0;
    for (int t = 0; t < STUDY_TESTS; t++) {
        enum study_test test = (enum study_test)t;
        bool apt = has(plan->tests, test) &&
                   (test != STUDY_TEST_RATIO || cell->sampling == STUDY_SAMPLING_PAIRS);
        bool settled = plan->fewest && study_grid_fewest(plan, cells, cell->sampling,
                                                         test) < plan->cell_count;
        tests |= (unsigned)(apt && !settled) << (unsigned)t;
    }
    return study_cell_fits(&walk->subject, cell) ? tests : 0;
}

/* ---- All of them ---- */

static struct extent extent_of(const struct model_dataset *dataset,
                               const struct study_grid_plan *plan)
{
    struct extent extent = {0};
    for (size_t i = 0; i < plan->cell_count; i++) {
        const struct study_cell *cell = &plan->cells[i];
        extent.instances =
            cell->instances > extent.instances ? cell->instances : extent.instances;
        extent.trials = cell->trials > extent.trials ? cell->trials : extent.trials;
    }
    for (size_t t = 0; t < dataset->trial_count; t++) {
        size_t count = dataset->trials[t].count;
        extent.longest = count > extent.longest ? count : extent.longest;
    }
    return extent;
}

/* The detectors' spaces serve all configurations: what they know about sizes of groups
 * is expensive to find out. */
static enum duet_code begin_walk(const struct model_dataset *dataset, struct walk *walk,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    walk->extent = extent_of(dataset, walk->plan);
    size_t values = walk->extent.instances * walk->extent.trials * walk->extent.longest;
    values = values < dataset->value_count ? values : dataset->value_count;
    for (int w = 0; w < walk->threads && code == DUET_OK; w++) {
        code = study_detector_space_new(&walk->plan->detector, values,
                                        &walk->workers[w].space, reterr);
    }
    return code;
}

static void end_walk(struct walk *walk)
{
    for (int w = 0; w < walk->threads && walk->workers != NULL; w++) {
        study_detector_space_free(walk->workers[w].space);
    }
    free(walk->outcomes);
    free(walk->workers);
}

static enum duet_code begin_subject(const struct model_dataset *dataset,
                                    size_t configuration, struct walk *walk,
                                    struct duet_error *reterr)
{
    enum duet_code code =
        study_subject_init(dataset, configuration, &walk->subject, reterr);
    for (int w = 0; w < walk->threads && code == DUET_OK; w++) {
        study_detector_space_renew(walk->workers[w].space);
        code = study_groups_init(&walk->subject, walk->extent.instances,
                                 walk->extent.trials, &walk->workers[w].groups, reterr);
    }
    return code;
}

static void end_subject(struct walk *walk)
{
    for (int w = 0; w < walk->threads; w++) {
        study_groups_release(&walk->workers[w].groups);
    }
    study_subject_release(&walk->subject);
}

/* Work of a cell, roughly: the trials it draws. */
static uint64_t work_of(const struct study_cell *cell)
{
    return (uint64_t)cell->instances * cell->trials;
}

struct progress {
    bool (*call)(void *context, uint64_t done, uint64_t planned);
    void *context;
    uint64_t done;
    uint64_t planned;
};

/* ---- Units ---- */

/* One behind the last place in the order of cells that the unit at `from` has. */
static size_t unit_end(const struct study_grid_plan *plan, const size_t *order,
                       size_t from)
{
    size_t to = from + 1;
    while (plan->fewest && to < plan->cell_count &&
           plan->cells[order[to]].sampling == plan->cells[order[from]].sampling) {
        to++;
    }
    return to;
}

uint64_t study_grid_units(const struct model_dataset *dataset,
                          const struct study_grid_plan *plan)
{
    unsigned samplings = 0;
    uint64_t units = plan->cell_count;
    for (size_t i = 0; i < plan->cell_count; i++) {
        samplings |= 1U << (unsigned)plan->cells[i].sampling;
    }
    if (plan->fewest) {
        for (units = 0; samplings != 0; samplings >>= 1U) {
            units += samplings & 1U;
        }
    }
    return units * dataset->configuration_count;
}

/* Cells order[from] to order[to - 1]. */
struct unit {
    const size_t *order;
    size_t from;
    size_t to;
    uint64_t number;
};

static enum duet_code take_known(const struct walk *walk, const struct unit *unit,
                                 const struct study_page *page,
                                 struct study_grid_cell *cells,
                                 struct duet_error *reterr)
{
    size_t at = 0;
    bool right = true;
    for (size_t i = unit->from; i < unit->to && right; i++) {
        right = study_grid_page_read(walk->plan, page, &at, &cells[unit->order[i]]);
    }
    return right && at == page->count ? DUET_OK
                                      : study_page_wrong(unit->number, reterr);
}

static enum duet_code keep_unit(const struct walk *walk, const struct unit *unit,
                                const struct study_grid_cell *cells,
                                struct duet_error *reterr)
{
    const size_t most = STUDY_GRID_PAGE_NUMBERS;
    double *numbers = NULL;
    size_t count = 0;
    if (walk->plan->book == NULL) {
        return DUET_OK;
    }
    numbers = alloc_array(most * (unit->to - unit->from), sizeof *numbers);
    if (numbers == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = unit->from; i < unit->to; i++) {
        count +=
            study_grid_page_write(walk->plan, &cells[unit->order[i]], numbers + count);
    }
    enum duet_code code =
        study_book_put(walk->plan->book, unit->number, numbers, count, reterr);
    free(numbers);
    return code;
}

static enum duet_code compute_unit(struct walk *walk, const struct unit *unit,
                                   struct progress *progress,
                                   struct study_grid_cell *cells,
                                   struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = unit->from; i < unit->to && code == DUET_OK; i++) {
        const struct study_cell *cell = &walk->plan->cells[unit->order[i]];
        struct study_grid_cell *answer = &cells[unit->order[i]];
        if (progress->call != NULL &&
            !progress->call(progress->context, progress->done, progress->planned)) {
            return error_set(reterr, DUET_E_INTERRUPTED, "interrupted");
        }
        unsigned tests = tests_for(walk, cell, cells);
        if (tests == 0) {
            *answer = (struct study_grid_cell){.done = true};
        } else {
            code = run_cell(walk, cell, tests, answer, reterr);
        }
        progress->done += work_of(cell);
    }
    return code == DUET_OK ? keep_unit(walk, unit, cells, reterr) : code;
}

static enum duet_code take_unit(struct walk *walk, const struct unit *unit,
                                struct progress *progress,
                                struct study_grid_cell *cells,
                                struct duet_error *reterr)
{
    const struct study_page *known = study_book_find(walk->plan->book, unit->number);
    if (known == NULL && study_book_wants(walk->plan->book, unit->number)) {
        return compute_unit(walk, unit, progress, cells, reterr);
    }
    for (size_t i = unit->from; i < unit->to; i++) {
        progress->done += work_of(&walk->plan->cells[unit->order[i]]);
    }
    return known == NULL ? DUET_OK : take_known(walk, unit, known, cells, reterr);
}

/* *unit_number: of the configuration's first one; then that of the next's. */
static enum duet_code run_subject(struct walk *walk, const size_t *order,
                                  uint64_t *unit_number, struct progress *progress,
                                  struct study_grid_cell *cells,
                                  struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t from = 0; from < walk->plan->cell_count && code == DUET_OK;) {
        const struct unit unit = {order, from, unit_end(walk->plan, order, from),
                                  (*unit_number)++};
        code = take_unit(walk, &unit, progress, cells, reterr);
        from = unit.to;
    }
    return code;
}

static bool is_cell(const struct study_cell *cell)
{
    return (unsigned)cell->sampling < STUDY_SAMPLINGS && cell->instances >= 1 &&
           cell->instances <= STUDY_SIDE_MAX && cell->trials >= 1 &&
           cell->trials <= STUDY_SIDE_MAX;
}

static enum duet_code check_plan(const struct model_dataset *dataset,
                                 const struct study_grid_plan *plan,
                                 struct duet_error *reterr)
{
    const struct study_detector *detector = &plan->detector;
    bool right = plan->draws >= 1 && plan->draws <= DRAWS_MAX &&
                 plan->cell_count <= STUDY_CELLS_MAX &&
                 dataset->configuration_count <= CONFIGURATIONS_MAX &&
                 detector->confidence > 0 && detector->confidence < 1 &&
                 detector->replicates >= 1 && detector->corrected >= 1 &&
                 detector->slowdown_count >= 1 &&
                 detector->slowdown_count <= STUDY_SLOWDOWNS_MAX &&
                 fpclassify(detector->slowdowns[0]) == FP_ZERO;
    for (size_t i = 0; i < plan->cell_count && right; i++) {
        right = is_cell(&plan->cells[i]);
    }
    return right
               ? DUET_OK
               : error_set(
                     reterr, DUET_E_DOMAIN,
                     "a study of groups takes up to %d draws, %d cells of up to %d instances and trials, "
                     "and %d configurations",
                     DRAWS_MAX, STUDY_CELLS_MAX, STUDY_SIDE_MAX, CONFIGURATIONS_MAX);
}

enum duet_code
study_grid_run(const struct model_dataset *dataset, const struct study_grid_plan *plan,
               bool (*progress)(void *context, uint64_t done, uint64_t planned),
               void *context, struct study_grid_cell *ret_cells,
               struct duet_error *reterr)
{
    struct walk walk = {.plan = plan, .threads = threads_wanted(plan->threads)};
    struct progress shown = {.call = progress, .context = context};
    enum duet_code code = check_plan(dataset, plan, reterr);
    if (code != DUET_OK) {
        return code;
    }
    size_t *order = alloc_array(plan->cell_count, sizeof *order);
    walk.outcomes = alloc_array(plan->draws, sizeof *walk.outcomes);
    walk.workers = alloc_array((size_t)walk.threads, sizeof *walk.workers);
    if (order == NULL || walk.outcomes == NULL || walk.workers == NULL) {
        code = error_set(reterr, DUET_E_NOMEM, "no memory for a study");
    } else {
        order_cells(plan, order);
        for (size_t i = 0; i < plan->cell_count; i++) {
            shown.planned += work_of(&plan->cells[i]) * dataset->configuration_count;
        }
        code = begin_walk(dataset, &walk, reterr);
    }
    memset(ret_cells, 0,
           dataset->configuration_count * plan->cell_count * sizeof *ret_cells);
    uint64_t unit = 0;
    for (size_t c = 0; c < dataset->configuration_count && code == DUET_OK; c++) {
        code = begin_subject(dataset, c, &walk, reterr);
        if (code == DUET_OK) {
            code = run_subject(&walk, order, &unit, &shown,
                               ret_cells + c * plan->cell_count, reterr);
        }
        end_subject(&walk);
    }
    free(order);
    end_walk(&walk);
    return code;
}
