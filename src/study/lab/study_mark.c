#include "study/lab/study_mark.h"

#include "base/version.h"

#include <string.h>

/* ---- Mixing ---- */

static uint64_t mix_word(uint64_t mark, uint64_t word)
{
    return (mark ^ word) * UINT64_C(0x100000001b3);
}

static uint64_t mix(uint64_t mark, uint64_t number)
{
    for (unsigned i = 0; i < 8; i++) {
        mark = mix_word(mark, number >> (8U * i) & 0xFFU);
    }
    return mark;
}

static uint64_t mix_text(uint64_t mark, const char *text)
{
    for (; *text != '\0'; text++) {
        mark = mix_word(mark, (unsigned char)*text);
    }
    return mix_word(mark, 0x100U);
}

/* values NULL: none of them. Byte by byte: a product moves bits upwards only, and those
 * of small whole numbers are the highest. */
static uint64_t mix_doubles(uint64_t mark, const double *values, size_t count)
{
    for (size_t i = 0; values != NULL && i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &values[i], sizeof bits);
        mark = mix(mark, bits);
    }
    return mark;
}

static uint64_t mix_double(uint64_t mark, double value)
{
    return mix_doubles(mark, &value, 1);
}

static uint64_t mix_rules(uint64_t mark, const bool rules[ANALYSIS_STOP_RULES])
{
    for (size_t r = 0; r < ANALYSIS_STOP_RULES; r++) {
        mark = mix(mark, rules[r]);
    }
    return mark;
}

static uint64_t begin(const char *study)
{
    return mix_text(mix_text(UINT64_C(0xcbf29ce484222325), BASE_VERSION), study);
}

static uint64_t mix_data(uint64_t mark, const struct model_dataset *dataset)
{
    mark = mix_doubles(mark, dataset->values, dataset->value_count);
    mark = mix_doubles(mark, dataset->olds, dataset->value_count);
    for (size_t c = 0; c < dataset->configuration_count; c++) {
        mark = mix(mark, dataset->configurations[c].count);
    }
    for (size_t i = 0; i < dataset->instance_count; i++) {
        mark = mix(mark, dataset->instances[i].count);
    }
    for (size_t t = 0; t < dataset->trial_count; t++) {
        mark = mix(mark, dataset->trials[t].count);
    }
    return mix(mark, dataset->configuration_count);
}

/* ---- Simulations ---- */

uint64_t study_mark_sequential(const struct study_sequential_plan *plan)
{
    const double numbers[] = {plan->confidence, plan->effect, plan->noise,
                              plan->new_noise};
    uint64_t mark = mix_doubles(begin("sequential"), numbers, 4);
    mark = mix(mark, (uint64_t)plan->location);
    mark = mix(mark, plan->iterations);
    mark = mix(mark, plan->blocks);
    mark = mix(mark, plan->coin_per_run);
    mark = mix(mark, plan->samples);
    mark = mix(mark, (uint64_t)plan->model);
    return mix(mark, plan->seed);
}

uint64_t study_mark_coverage(const struct study_coverage_plan *plan)
{
    uint64_t mark = mix_double(begin("coverage"), plan->confidence);
    mark = mix(mark, plan->samples);
    mark = mix(mark, plan->replicates);
    mark = mix(mark, (uint64_t)plan->model);
    return mix(mark, plan->seed);
}

/* ---- Data sets ---- */

uint64_t study_mark_grid(const struct model_dataset *dataset,
                         const struct study_grid_plan *plan)
{
    const struct study_detector *detector = &plan->detector;
    uint64_t mark = mix_data(begin("groups"), dataset);
    for (size_t i = 0; i < plan->cell_count; i++) {
        mark = mix(mark, (uint64_t)plan->cells[i].sampling);
        mark = mix(mark, plan->cells[i].instances);
        mark = mix(mark, plan->cells[i].trials);
    }
    mark = mix_doubles(mark, detector->slowdowns, detector->slowdown_count);
    mark = mix_double(mark, detector->confidence);
    mark = mix_double(mark, detector->delta_least);
    mark = mix_double(mark, plan->false_most);
    mark = mix(mark, detector->corrected);
    mark = mix(mark, detector->replicates);
    mark = mix(mark, plan->tests);
    mark = mix(mark, plan->draws);
    mark = mix(mark, plan->fewest);
    return mix(mark, plan->seed);
}

uint64_t study_mark_planning(const struct planning_answer *answer)
{
    const struct study_planning *planning = answer->planning;
    const double numbers[] = {planning->effect,      planning->confidence,
                              planning->delta_least, planning->found_least,
                              planning->false_most,  planning->instance_cost,
                              planning->trial_cost};
    uint64_t mark = mix_data(begin("planning"), answer->dataset);
    mark = mix_doubles(mark, numbers, sizeof numbers / sizeof numbers[0]);
    mark = mix(mark, (uint64_t)planning->sampling);
    mark = mix(mark, (uint64_t)planning->test);
    mark = mix(mark, planning->draws);
    mark = mix(mark, planning->replicates);
    return mix(mark, planning->seed);
}

uint64_t study_mark_variability(const struct model_dataset *dataset,
                                const struct study_variability_plan *plan)
{
    uint64_t mark = mix_data(begin("variability"), dataset);
    mark = mix_double(mark, plan->confidence);
    mark = mix(mark, plan->replicates);
    mark = mix(mark, plan->independent);
    return mix(mark, plan->seed);
}

/* ---- Series ---- */

uint64_t study_mark_stopping(const struct study_stopping_plan *plan,
                             const struct study_series *series, size_t count,
                             unsigned kind)
{
    uint64_t mark = mix(begin("stopping"), kind);
    mark = mix_rules(mark, plan->rules);
    for (size_t s = 0; s < plan->statistic_count; s++) {
        mark = mix(mark, (uint64_t)plan->statistics[s].kind);
        mark = mix_double(mark, plan->statistics[s].fraction);
    }
    mark = mix_doubles(mark, plan->errors, plan->error_count);
    mark = mix_double(mark, plan->confidence);
    mark = mix(mark, plan->replicates);
    mark = mix(mark, (uint64_t)plan->starts);
    mark = mix(mark, plan->every);
    for (size_t i = 0; i < count; i++) {
        mark = mix_text(mark, series[i].name);
        mark = mix_doubles(mark, series[i].values, series[i].count);
        mark = mix(mark, series[i].test_points);
        mark = mix_double(mark, series[i].interval);
    }
    return mix(mark, plan->seed);
}

uint64_t study_mark_prediction(const struct study_prediction_plan *plan,
                               const struct study_configuration *configurations,
                               size_t count)
{
    const struct study_training_plan *training = &plan->training;
    uint64_t mark = mix_rules(begin("prediction"), training->rules);
    mark = mix(mark, training->points);
    mark = mix_double(mark, training->error);
    mark = mix_double(mark, training->confidence);
    mark = mix(mark, training->replicates);
    mark = mix(mark, training->tests);
    mark = mix_text(mark, plan->target == NULL ? "" : plan->target);
    mark = mix(mark, plan->predictions);
    mark = mix(mark, plan->one_length);
    for (size_t i = 0; i < count; i++) {
        const struct study_configuration *one = &configurations[i];
        mark = mix_text(mix_text(mark, one->benchmark), one->name);
        mark = mix_doubles(mark, one->features, plan->features);
        mark = mix_doubles(mark, one->values, one->count);
        mark = mix_double(mark, one->interval);
        mark = mix_double(mark, one->truth);
    }
    return mix(mark, training->seed);
}
