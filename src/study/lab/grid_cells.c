#include "study/lab/grid_cells.h"

#include "study/lab/study_mark.h"

static const struct grid_sizes paper_instances = {{1, 2, 3, 5, 10, 15, 20}, 7};
static const struct grid_sizes paper_trials = {{1, 2, 3, 5}, 4};

static struct grid_sizes trials_of(const struct grid_wish *wish,
                                   enum study_sampling sampling)
{
    if (wish->trials.count > 0) {
        return wish->trials;
    }
    if (wish->few_trials) {
        return (struct grid_sizes){{sampling == STUDY_SAMPLING_INSTANCES ? 1 : 5}, 1};
    }
    return paper_trials;
}

void grid_cells_make(const struct grid_wish *wish, bool paired,
                     struct study_grid_plan *plan)
{
    const struct grid_sizes *instances =
        wish->instances.count > 0 ? &wish->instances : &paper_instances;
    unsigned wanted = wish->samplings;
    if (wanted == 0) {
        wanted = 1U << STUDY_SAMPLING_INSTANCES | 1U << STUDY_SAMPLING_TRIALS |
                 (paired ? 1U << STUDY_SAMPLING_PAIRS : 0U);
    }
    plan->cell_count = 0;
    for (int s = 0; s < STUDY_SAMPLINGS; s++) {
        enum study_sampling sampling = (enum study_sampling)s;
        struct grid_sizes trials = trials_of(wish, sampling);
        for (size_t i = 0; i < instances->count && (wanted >> (unsigned)s & 1U); i++) {
            for (size_t t = 0; t < trials.count; t++) {
                plan->cells[plan->cell_count++] =
                    (struct study_cell){sampling, instances->sizes[i], trials.sizes[t]};
            }
        }
    }
}

enum duet_code grid_cells_draw(const struct model_dataset *dataset,
                               struct study_grid_plan *plan,
                               struct study_session *session,
                               struct study_grid_cell *ret_cells,
                               struct duet_error *reterr)
{
    enum duet_code code =
        study_session_begin(session, study_grid_units(dataset, plan),
                            study_mark_grid(dataset, plan), &plan->book, reterr);
    if (code == DUET_OK) {
        code = study_grid_run(dataset, plan, study_session_go_on, session, ret_cells,
                              reterr);
        code = study_session_end(session, code, reterr);
    }
    return code;
}
