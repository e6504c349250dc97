/* What a study's data is: how much of each environment, and what was left out. */
#include "cli/study/dataset_option.h"
#include "figures/dataset_names.h"
#include "report/columns.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

static const int columns[] = {12, 12, 12, 12, 12, 12};

/* Counts of one environment. */
struct tally {
    size_t configurations;
    /* The most of a configuration, an instance, a trial. */
    size_t instances;
    size_t trials;
    size_t iterations;
    size_t before;
    size_t after;
};

static void raise(size_t *most, size_t count)
{
    *most = count > *most ? count : *most;
}

static void tally_levels(struct tally *tally, const struct model_dataset *dataset,
                         const struct model_configuration *of)
{
    raise(&tally->instances, of->count);
    for (size_t i = 0; i < of->count; i++) {
        const struct model_instance *instance = &dataset->instances[of->first + i];
        raise(&tally->trials, instance->count);
        for (size_t t = 0; t < instance->count; t++) {
            raise(&tally->iterations, dataset->trials[instance->first + t].count);
        }
    }
}

static struct tally tally_of(const struct dataset_loaded *loaded, size_t environment)
{
    struct tally tally = {0};
    for (size_t c = 0; c < loaded->dataset.configuration_count; c++) {
        if (loaded->dataset.configurations[c].environment == environment) {
            tally.configurations++;
            tally_levels(&tally, &loaded->dataset, &loaded->dataset.configurations[c]);
            tally.before += loaded->cleaned[c].before;
            tally.after += loaded->cleaned[c].after;
        }
    }
    return tally;
}

static void append_ranks(struct text *text, const struct dataset_loaded *loaded)
{
    static const int widths[] = {-8, 8};
    text_append_format(text, "Selected by variability (CV), of %zu benchmarks:\n",
                       loaded->ranked_of);
    for (size_t i = 0; i < loaded->ranked_count; i++) {
        const struct dataset_rank *ranked = &loaded->ranked[i];
        text_append(text, "  ");
        columns_append(text, widths, "%s\t%.2f", study_rank_name(ranked->rank),
                       100.0 * ranked->cv);
        text_append(text, " %  ");
        dataset_name_append_whole(text, ranked->benchmark, 0);
        text_append_char(text, '\n');
    }
    text_append_char(text, '\n');
}

void dataset_describe(struct text *text, const struct dataset_loaded *loaded,
                      const struct dataset_options *options)
{
    const struct model_dataset *dataset = &loaded->dataset;
    size_t width = dataset_environment_width(dataset, strlen("environment"), SIZE_MAX);
    columns_append_cell(text, -(int)width, "environment");
    columns_append(text, columns,
                   "benchmarks\tinstances\ttrials\titerations\t%s\tcleaned\n",
                   dataset->olds == NULL ? "values" : "pairs");
    for (size_t e = 0; e < dataset->environment_count; e++) {
        struct tally tally = tally_of(loaded, e);
        dataset_name_append(text, dataset->environments[e], width);
        columns_append(text, columns, "%zu\t%zu\t%zu\t%zu\t%zu\t%zu\n",
                       tally.configurations, tally.instances, tally.trials,
                       tally.iterations, tally.before, tally.after);
    }
    text_append(
        text,
        "(at most: instances of a benchmark, trials of an instance, iterations of a trial;\n");
    if (options->outliers > 0) {
        text_append_format(text,
                           "cleaned: without values of %.6g times the median or more",
                           options->outliers);
    } else {
        text_append(text, "nothing was dropped");
    }
    if (loaded->counts.filtered > 0) {
        text_append_format(text,
                           "; %" PRIu64 " of %" PRIu64 " rows left out by --where",
                           loaded->counts.filtered, loaded->counts.rows);
    }
    if (loaded->counts.missing > 0) {
        text_append_format(text, "; %" PRIu64 " without a value",
                           loaded->counts.missing);
    }
    text_append(text, ")\n\n");
    if (loaded->ranked_count > 0) {
        append_ranks(text, loaded);
    }
}
