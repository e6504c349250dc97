#include "cli/study/grid_study.h"

#include "base/alloc.h"
#include "figures/grid_picture.h"
#include "figures/grid_table.h"
#include "study/lab/grid_state.h"

#include <stdlib.h>
#include <string.h>

/* Laaber 2019 s.5.3 and s.5.4.1. */
static const struct grid_sizes paper_instances = {{1, 2, 3, 5, 10, 15, 20}, 7};
static const struct grid_sizes paper_trials = {{1, 2, 3, 5}, 4};
static const double paper_slowdowns[] = {0,    0.001, 0.002, 0.005, 0.01, 0.015,
                                         0.02, 0.05,  0.1,   0.5,   1,    10};

static struct grid_sizes trials_of(const struct grid_request *request,
                                   enum study_sampling sampling)
{
    if (request->trials.count > 0) {
        return request->trials;
    }
    if (request->question.kind == GRID_DETECTABLE) {
        return (struct grid_sizes){{sampling == STUDY_SAMPLING_INSTANCES ? 1 : 5}, 1};
    }
    return paper_trials;
}

static void make_cells(struct grid_request *request, bool paired)
{
    struct study_grid_plan *plan = &request->question.plan;
    struct grid_sizes instances =
        request->instances.count > 0 ? request->instances : paper_instances;
    unsigned wanted = request->samplings;
    if (wanted == 0) {
        wanted = 1U << STUDY_SAMPLING_INSTANCES | 1U << STUDY_SAMPLING_TRIALS |
                 (paired ? 1U << STUDY_SAMPLING_PAIRS : 0U);
    }
    plan->cell_count = 0;
    for (int s = 0; s < STUDY_SAMPLINGS; s++) {
        enum study_sampling sampling = (enum study_sampling)s;
        struct grid_sizes trials = trials_of(request, sampling);
        for (size_t i = 0; i < instances.count && (wanted >> (unsigned)s & 1U); i++) {
            for (size_t t = 0; t < trials.count; t++) {
                if (plan->cell_count < STUDY_CELLS_MAX) {
                    plan->cells[plan->cell_count++] = (struct study_cell){
                        sampling, instances.sizes[i], trials.sizes[t]};
                }
            }
        }
    }
}

/* What the drawing calls between cells. */
struct keeping {
    struct study_session *session;
    struct grid_state *state; /* NULL: not asked for */
    enum duet_code code;      /* of keeping the state */
    struct duet_error error;
};

static bool go_on(void *context, uint64_t done, uint64_t planned)
{
    struct keeping *keeping = context;
    if (keeping->state != NULL && keeping->code == DUET_OK) {
        keeping->code = grid_state_keep(keeping->state, false, &keeping->error);
    }
    return keeping->code == DUET_OK &&
           study_session_go_on(keeping->session, done, planned);
}

static enum duet_code draw(const struct grid_request *request,
                           const struct dataset_loaded *loaded,
                           struct study_session *session, struct study_grid_cell *cells,
                           struct duet_error *reterr)
{
    struct grid_state state = {.kept = {.path = request->resume},
                               .dataset = &loaded->dataset,
                               .plan = &request->question.plan,
                               .cells = cells};
    struct keeping keeping = {.session = session,
                              .state = request->resume == NULL ? NULL : &state};
    enum duet_code code = DUET_OK;
    if (keeping.state != NULL) {
        code = grid_state_begin(&state, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    code = study_grid_run(&loaded->dataset, &request->question.plan, go_on, &keeping,
                          cells, reterr);
    if (keeping.code == DUET_OK && keeping.state != NULL) {
        keeping.code = grid_state_keep(&state, true, &keeping.error);
    }
    if (keeping.code != DUET_OK) {
        return error_set(reterr, keeping.code, "%s", keeping.error.message);
    }
    return code;
}

static enum duet_code study(void *context, struct study_session *session,
                            struct duet_error *reterr)
{
    struct grid_request *request = context;
    struct dataset_loaded loaded = {.cleaned = NULL};
    enum duet_code code =
        dataset_load(&request->data, request->words, request->count, &loaded, reterr);
    if (code != DUET_OK) {
        return code;
    }
    make_cells(request, loaded.dataset.olds != NULL);
    struct study_grid_cell *cells = alloc_array(loaded.dataset.configuration_count *
                                                    request->question.plan.cell_count,
                                                sizeof *cells);
    if (cells == NULL) {
        code = error_no_memory(reterr);
    } else {
        code = draw(request, &loaded, session, cells, reterr);
    }
    if (code == DUET_OK || code == DUET_E_INTERRUPTED) {
        dataset_describe(&session->table, &loaded, &request->data);
        grid_table_append(&session->table, &request->question, &loaded.dataset, cells);
        grid_table_append_records(&session->csv, &session->json, &request->question,
                                  &loaded.dataset, cells);
        struct duet_error error = {0};
        enum duet_code drawn =
            request->svg == NULL ? DUET_OK
                                 : grid_picture_write(request->svg, &request->question,
                                                      &loaded.dataset, cells, &error);
        if (drawn != DUET_OK) {
            code = error_set(reterr, drawn, "%s", error.message);
        }
    }
    free(cells);
    dataset_loaded_release(&loaded);
    return code;
}

static void finish_plan(struct grid_request *request)
{
    struct study_grid_plan *plan = &request->question.plan;
    plan->fewest = request->question.kind == GRID_SAMPLES;
    plan->detector.corrected = request->bonferroni ? plan->draws : 1;
}

int grid_study_main(const struct cli_command *command, int argc, char **argv,
                    enum grid_kind kind, const char *label)
{
    struct grid_request request = {
        .question = {.kind = kind,
                     .plan = {.detector = {.delta_least = 0.33,
                                           .replicates = 1000,
                                           .slowdown_count = 1,
                                           .confidence = 0.95},
                              .tests = (1U << STUDY_TESTS) - 1U,
                              .draws = 100,
                              .false_most = 0.05,
                              .seed = 1},
                     .found_least = 0.95},
        .bonferroni = true,
        .data = dataset_options_default(),
    };
    if (kind == GRID_DETECTABLE) {
        memcpy(request.question.plan.detector.slowdowns, paper_slowdowns,
               sizeof paper_slowdowns);
        request.question.plan.detector.slowdown_count =
            sizeof paper_slowdowns / sizeof paper_slowdowns[0];
    }
    int status = cli_options_parse(command, argc, argv, grid_option_take, &request,
                                   &request.words, &request.count);
    if (status < 0 && request.count == 0) {
        status = cli_usage(command, "expected at least one DATA file");
    } else if (status < 0) {
        finish_plan(&request);
        status = study_run(&request.common, label, study, &request);
    }
    dataset_options_release(&request.data);
    return status;
}
