#include "cli/study/grid_study.h"

#include "base/alloc.h"
#include "figures/grid_picture.h"
#include "figures/grid_table.h"

#include <stdlib.h>
#include <string.h>

/* Laaber 2019 s.5.4.1. */
static const double paper_slowdowns[] = {0,    0.001, 0.002, 0.005, 0.01, 0.015,
                                         0.02, 0.05,  0.1,   0.5,   1,    10};

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
    grid_cells_make(&request->wish, loaded.dataset.olds != NULL,
                    &request->question.plan);
    struct study_grid_cell *cells = alloc_array(loaded.dataset.configuration_count *
                                                    request->question.plan.cell_count,
                                                sizeof *cells);
    if (cells == NULL) {
        code = error_no_memory(reterr);
    } else {
        code = grid_cells_draw(&loaded.dataset, &request->question.plan, session, cells,
                               reterr);
    }
    if (study_session_shows(session, code)) {
        dataset_describe(&session->table, &loaded, &request->data);
        grid_table_append(&session->table, &request->question, &loaded.dataset, cells);
        grid_table_append_records(&session->csv, &session->json, &request->question,
                                  &loaded.dataset, cells);
        struct duet_error error = {0};
        const char *svg = request->sharing.common.svg;
        enum duet_code drawn = svg == NULL
                                   ? DUET_OK
                                   : grid_picture_write(svg, &request->question,
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
                     .plan = {.detector = {.delta_least = MODEL_RANKSUM_DELTA_LEAST,
                                           .replicates = 1000,
                                           .slowdown_count = 1,
                                           .confidence = 0.95},
                              .tests = (1U << STUDY_TESTS) - 1U,
                              .draws = 100,
                              .false_most = 0.05,
                              .seed = 1},
                     .found_least = 0.95},
        .wish = {.few_trials = kind == GRID_DETECTABLE},
        .bonferroni = true,
        .sharing = STUDY_SHARING_DEFAULT,
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
        request.sharing.common.store = request.data.store;
        status = study_share_run(command, argc, argv, &request.sharing, label, study,
                                 &request);
    }
    study_sharing_release(&request.sharing);
    dataset_options_release(&request.data);
    return status;
}
