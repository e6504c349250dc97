/* Made-up runs whose truth is known. */
#ifndef TESTS_UNIT_ANALYSIS_ANALYSIS_DATA_H
#define TESTS_UNIT_ANALYSIS_ANALYSIS_DATA_H

#include "analysis/conclude.h"
#include "base/random.h"
#include "support/alloc_fail.h"

#include <stdlib.h>

/* Times about 1 ms that a run (30 %) and an iteration (5 %) disturb on both sides
 * alike, and each side by itself by 0.2 %; new is `ratio` times old. Runs 2k and 2k + 1
 * make block k. */
struct data {
    size_t runs;
    size_t iterations;
    double ratio;
    double scale;   /* 0: 1 */
    double outlier; /* factor on the new side's second iteration; 0: 1 */
    bool constant;  /* no disturbance */
    bool swapped;   /* old is called new and new old */
    bool backwards; /* the last run is added first */
};

static inline void data_fill(struct data data, uint64_t run,
                             struct model_run_values *ret_values)
{
    struct random_stream stream = random_stream_at(4711, run);
    double of_run = 1.0 + 0.3 * random_uniform(&stream);
    *ret_values = (struct model_run_values){.run = run, .block = run / 2};
    for (int side = 0; side < MODEL_SIDES; side++) {
        ret_values->values[side] = calloc(data.iterations, sizeof(double));
        ret_values->counts[side] = data.iterations;
        if (ret_values->values[side] == NULL) {
            abort();
        }
    }
    int old_side = data.swapped ? MODEL_NEW : MODEL_OLD;
    for (size_t i = 0; i < data.iterations; i++) {
        double common = of_run * (1.0 + 0.05 * random_uniform(&stream)) * 1e6;
        double own[MODEL_SIDES];
        for (int side = 0; side < MODEL_SIDES; side++) {
            own[side] = 1.0 + 0.002 * random_uniform(&stream);
        }
        if (data.constant) {
            common = 1e6;
            own[0] = own[1] = 1.0;
        }
        common *= data.scale > 0 ? data.scale : 1.0;
        ret_values->values[old_side][i] = common * own[0];
        ret_values->values[1 - old_side][i] = common * own[1] * data.ratio;
        if (i == 1 && data.outlier > 0) {
            ret_values->values[1 - old_side][i] *= data.outlier;
        }
    }
}

static inline struct analysis *data_analysis(const struct model_analysis *options,
                                             bool paired, struct data data)
{
    struct analysis *analysis = NULL;
    if (analysis_new(options, paired, &analysis, NULL) != DUET_OK) {
        abort();
    }
    for (size_t i = 0; i < data.runs; i++) {
        struct model_run_values values;
        data_fill(data, data.backwards ? data.runs - 1 - i : i, &values);
        if (analysis_add_run(analysis, &values, NULL) != DUET_OK) {
            abort();
        }
        model_run_values_release(&values);
    }
    return analysis;
}

/* A whole analysis during which the n-th allocation fails. */
static inline enum duet_code data_compare_failing(unsigned long n,
                                                  const struct model_analysis *options,
                                                  struct data data,
                                                  struct model_comparison *comparison)
{
    struct analysis *analysis = NULL;
    alloc_fail_at(n);
    enum duet_code code = analysis_new(options, true, &analysis, NULL);
    for (uint64_t r = 0; r < data.runs && code == DUET_OK; r++) {
        struct model_run_values values;
        data_fill(data, r, &values);
        code = analysis_add_run(analysis, &values, NULL);
        model_run_values_release(&values);
    }
    if (code == DUET_OK) {
        code = analysis_conclude(analysis, comparison, NULL);
    }
    alloc_fail_at(0);
    analysis_free(analysis);
    return code;
}

#endif
