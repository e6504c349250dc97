#include "figures/variability_table.h"

#include "figures/dataset_names.h"
#include "figures/study_records.h"
#include "report/columns.h"

#include <math.h>

enum {
    CELL_COLUMNS = 11,
    CELL_COLUMNS_MAX = 22,
    LEVEL_COLUMNS = 17,
    NAME_COLUMNS_MAX = 32
};

static const char *width_mark(enum study_width_class width, bool utf8)
{
    static const char *const circles[] = {"\xe2\x97\x8b", "\xe2\x97\x90",
                                          "\xe2\x97\x8f", " "};
    static const char *const letters[] = {"o", "+", "*", " "};
    return (utf8 ? circles : letters)[width];
}

static void append_cvs(struct text *text, const struct model_dataset *dataset,
                       const struct study_variability_row *rows, bool utf8)
{
    size_t width = dataset_name_width(dataset);
    size_t columns =
        2 + dataset_environment_width(dataset, CELL_COLUMNS - 2, CELL_COLUMNS_MAX - 2);
    columns_append_cell(text, -(int)width, "benchmark");
    for (size_t e = 0; e < dataset->environment_count; e++) {
        text_append(text, e == 0 ? " " : "  ");
        dataset_name_append_right(text, dataset->environments[e], columns - 2);
    }
    text_append_char(text, '\n');
    for (size_t b = 0; b < dataset->benchmark_count; b++) {
        dataset_name_append(text, dataset->benchmarks[b], width);
        for (size_t e = 0; e < dataset->environment_count; e++) {
            const struct study_variability_row *row =
                study_variability_row_of(dataset, rows, b, e);
            if (row == NULL || isnan(row->cv_total)) {
                columns_append_cell(text, (int)columns, "-");
            } else {
                columns_append_cell(text, (int)columns, "%.2f %s",
                                    100.0 * row->cv_total,
                                    width_mark(row->width, utf8));
            }
        }
        text_append_char(text, '\n');
    }
}

/* "4.31 (0.52)" */
static void append_spread(struct text *text, const struct study_cv_spread *spread)
{
    if (isnan(spread->sd)) {
        columns_append_number(text, LEVEL_COLUMNS, 2, 100.0 * spread->mean);
    } else {
        columns_append_cell(text, LEVEL_COLUMNS, "%.2f (%.2f)", 100.0 * spread->mean,
                            100.0 * spread->sd);
    }
}

static void append_number(struct text *text, double ratio)
{
    columns_append_number(text, CELL_COLUMNS, 2, 100.0 * ratio);
}

static void append_sources(struct text *text, const struct model_dataset *dataset,
                           const struct study_variability_row *rows)
{
    size_t width = dataset_name_width(dataset);
    size_t columns = dataset_environment_width(dataset, CELL_COLUMNS, NAME_COLUMNS_MAX);
    const int widths[] = {-(int)width - 1, -(int)columns, LEVEL_COLUMNS,
                          LEVEL_COLUMNS,   CELL_COLUMNS,  0,
                          CELL_COLUMNS,    CELL_COLUMNS,  CELL_COLUMNS};
    bool paired = dataset->olds != NULL;
    text_append(
        text,
        "\n"
        "Sources: CV in % in a trial and on an instance (mean over them, and standard\n"
        "deviation), in all; and what iterations, trials and instances add by themselves\n"
        "\n");
    columns_append(
        text, widths,
        "benchmark\tenvironment\ttrial\tinstance\tall\t |\titerations\ttrials\tinstances");
    text_append_format(text, "%s  %s\n", paired ? "      ratio" : "", "most");
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        const struct study_variability_row *row = &rows[c];
        if (!row->done) {
            continue;
        }
        dataset_name_append(text, model_dataset_benchmark(dataset, c), width);
        text_append_char(text, ' ');
        dataset_name_append(text, model_dataset_environment(dataset, c), columns);
        append_spread(text, &row->cv_trials);
        append_spread(text, &row->cv_instances);
        append_number(text, row->cv_total);
        text_append(text, " |");
        for (int source = 0; source < STUDY_SOURCES; source++) {
            append_number(text, row->component[source]);
        }
        if (paired) {
            append_number(text, row->cv_ratio);
        }
        text_append_format(text, "  %s\n", study_source_name(row->dominant));
    }
}

static const char *const advice[STUDY_SOURCES] = {
    [STUDY_SOURCE_ITERATIONS] =
        "the benchmark itself varies. More iterations narrow the answer as well as\n"
        "    more trials do; neither a new process nor another machine is needed.",
    [STUDY_SOURCE_TRIALS] =
        "a process differs from the next. Start more trials and shorten them;\n"
        "    iterations of the same trial say the same again and again.",
    [STUDY_SOURCE_INSTANCES] =
        "a machine differs from the next. Run both versions on the same instances\n"
        "    (trial-based sampling, or pairs), or take many instances; repeating on one\n"
        "    says little about the others.",
};

static void append_advice(struct text *text, const struct model_dataset *dataset,
                          const struct study_variability_row *rows)
{
    const struct study_variability_tally tally =
        study_variability_tally_of(rows, dataset->configuration_count);
    text_append(text, "\nWhat varies most, and what that means for measuring:\n");
    for (int source = STUDY_SOURCES - 1; source >= 0; source--) {
        if (tally.dominant[source] > 0) {
            text_append_format(text, "  %s (%zu of %zu): %s\n",
                               study_source_name((enum study_source)source),
                               tally.dominant[source], tally.done, advice[source]);
        }
    }
    if (tally.any_unknown) {
        text_append(
            text,
            "(-: with one value, trial or instance at a level, its variation counts "
            "with the level above.)\n");
    }
}

void variability_table_append(struct text *text, const struct model_dataset *dataset,
                              const struct study_variability_row *rows,
                              const struct study_variability_plan *plan, bool utf8)
{
    text_append_format(
        text,
        "Coefficient of variation in %%, with the width of its %.6g %% interval relative to it:\n",
        100.0 * plan->confidence);
    text_append_format(
        text, "%s below %.0f %%, %s to %.0f %%, %s above\n\n",
        width_mark(STUDY_WIDTH_NARROW, utf8), 100.0 * STUDY_WIDTH_NARROW_BELOW,
        width_mark(STUDY_WIDTH_MEDIUM, utf8), 100.0 * STUDY_WIDTH_WIDE_ABOVE,
        width_mark(STUDY_WIDTH_WIDE, utf8));
    append_cvs(text, dataset, rows, utf8);
    append_sources(text, dataset, rows);
    append_advice(text, dataset, rows);
}

void variability_table_append_records(struct text *csv, struct text *json,
                                      const struct model_dataset *dataset,
                                      const struct study_cleaned *cleaned,
                                      const struct study_variability_row *rows,
                                      const struct study_variability_plan *plan)
{
    struct study_records records;
    study_records_begin(
        &records, "variability", plan->seed,
        "benchmark,environment,instances,trials,values,mean,cv_pct,cv_low_pct,cv_high_pct,rciw_pct,cv_trial_pct,cv_trial_sd_pct,cv_instance_pct,cv_instance_sd_pct,iterations_pct,trials_pct,instances_pct,dominant,cv_ratio_pct,dropped",
        csv, json);
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        const struct study_variability_row *row = &rows[c];
        if (!row->done) {
            continue;
        }
        study_records_text(&records, model_dataset_benchmark(dataset, c));
        study_records_text(&records, model_dataset_environment(dataset, c));
        study_records_whole(&records, row->instances);
        study_records_whole(&records, row->trials);
        study_records_whole(&records, row->values);
        study_records_number(&records, row->mean);
        study_records_number(&records, 100.0 * row->cv_total);
        study_records_number(&records, 100.0 * row->cv_low);
        study_records_number(&records, 100.0 * row->cv_high);
        study_records_number(&records, 100.0 * row->rciw);
        study_records_number(&records, 100.0 * row->cv_trials.mean);
        study_records_number(&records, 100.0 * row->cv_trials.sd);
        study_records_number(&records, 100.0 * row->cv_instances.mean);
        study_records_number(&records, 100.0 * row->cv_instances.sd);
        for (int source = 0; source < STUDY_SOURCES; source++) {
            study_records_number(&records, 100.0 * row->component[source]);
        }
        study_records_text(&records, study_source_name(row->dominant));
        study_records_number(&records, 100.0 * row->cv_ratio);
        study_records_whole(&records, cleaned[c].before - cleaned[c].after);
    }
    study_records_end(&records);
}
