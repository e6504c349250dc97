#include "figures/grid_table.h"
#include "figures/study_records.h"

#include <math.h>

struct view {
    struct study_records records;
    const struct grid_question *question;
    const struct study_grid_plan *plan;
    const struct model_dataset *dataset;
    const struct study_grid_cell *cells; /* of the configuration */
    size_t configuration;
};

static void append_names(struct view *view, enum study_sampling sampling,
                         enum study_test test)
{
    study_records_text(&view->records,
                       model_dataset_benchmark(view->dataset, view->configuration));
    study_records_text(&view->records,
                       model_dataset_environment(view->dataset, view->configuration));
    study_records_text(&view->records, study_sampling_name(sampling));
    study_records_text(&view->records, study_test_name(test));
}

static void append_size(struct view *view, size_t cell)
{
    if (cell < view->plan->cell_count) {
        study_records_whole(&view->records, view->plan->cells[cell].instances);
        study_records_whole(&view->records, view->plan->cells[cell].trials);
    } else {
        study_records_number(&view->records, (double)NAN);
        study_records_number(&view->records, (double)NAN);
    }
}

static void append_false_positives(struct view *view, size_t cell, enum study_test test)
{
    append_names(view, view->plan->cells[cell].sampling, test);
    append_size(view, cell);
    study_records_whole(&view->records, view->plan->draws);
    study_records_whole(&view->records, view->cells[cell].changed[test][0]);
    study_records_number(
        &view->records,
        100.0 * study_grid_false_share(view->plan, &view->cells[cell], test));
}

/* A row a slowdown, with the smallest detectable one in each. */
static void append_detectable(struct view *view, size_t cell, enum study_test test)
{
    const struct study_detector *detector = &view->plan->detector;
    size_t found = study_grid_detectable(view->plan, &view->cells[cell], test,
                                         view->question->found_least);
    for (size_t s = 0; s < detector->slowdown_count; s++) {
        append_names(view, view->plan->cells[cell].sampling, test);
        append_size(view, cell);
        study_records_number(&view->records, 100.0 * detector->slowdowns[s]);
        study_records_whole(&view->records, view->plan->draws);
        study_records_whole(&view->records, view->cells[cell].changed[test][s]);
        study_records_whole(&view->records, view->cells[cell].faster[test][s]);
        study_records_number(&view->records, found < detector->slowdown_count
                                                 ? 100.0 * detector->slowdowns[found]
                                                 : (double)NAN);
    }
}

static void append_fewest(struct view *view, enum study_sampling sampling,
                          enum study_test test)
{
    size_t fewest = study_grid_fewest(view->plan, view->cells, sampling, test);
    if (study_grid_has_sampling(view->plan, view->cells, sampling, test)) {
        append_names(view, sampling, test);
        append_size(view, fewest);
        study_records_number(
            &view->records,
            fewest < view->plan->cell_count
                ? 100.0 * study_grid_false_share(view->plan, &view->cells[fewest], test)
                : (double)NAN);
    }
}

static void append_configuration(struct view *view)
{
    for (int test = 0; test < STUDY_TESTS; test++) {
        for (int s = 0; s < STUDY_SAMPLINGS && view->question->kind == GRID_SAMPLES;
             s++) {
            append_fewest(view, (enum study_sampling)s, (enum study_test)test);
        }
        for (size_t i = 0; i < view->plan->cell_count; i++) {
            if (!study_grid_answers(&view->cells[i], (enum study_test)test)) {
                continue;
            }
            if (view->question->kind == GRID_FALSE_POSITIVES) {
                append_false_positives(view, i, (enum study_test)test);
            } else if (view->question->kind == GRID_DETECTABLE) {
                append_detectable(view, i, (enum study_test)test);
            }
        }
    }
}

void grid_table_append_records(struct text *csv, struct text *json,
                               const struct grid_question *question,
                               const struct model_dataset *dataset,
                               const struct study_grid_cell *cells)
{
    static const struct {
        const char *study;
        const char *names;
    } kinds[] = {
        [GRID_FALSE_POSITIVES] =
            {"false-positives",
             "benchmark,environment,sampling,test,instances,trials,draws,changed,false_pct"},
        [GRID_SAMPLES] =
            {"samples",
             "benchmark,environment,sampling,test,instances,trials,false_pct"},
        [GRID_DETECTABLE] =
            {"detectable",
             "benchmark,environment,sampling,test,instances,trials,slowdown_pct,draws,changed,faster,detectable_pct"},
    };
    struct view view = {
        .question = question, .plan = &question->plan, .dataset = dataset};
    study_records_begin(&view.records, kinds[question->kind].study, question->plan.seed,
                        kinds[question->kind].names, csv, json);
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        view.configuration = c;
        view.cells = cells + c * question->plan.cell_count;
        append_configuration(&view);
    }
    study_records_end(&view.records);
}
