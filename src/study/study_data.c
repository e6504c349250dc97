#include "study/study_data.h"

#include "study/study_sequential.h"

#include <string.h>

enum duet_code study_data_find(const char *name, int models, int *ret_model,
                               struct duet_error *reterr)
{
    for (int model = 0; model < models; model++) {
        if (strcmp(name, study_sequential_model_name(model)) == 0) {
            *ret_model = model;
            return DUET_OK;
        }
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "--data %s: expected normal, lognormal, pareto, bimodal, ar1, twolevel%s", name,
        models > STUDY_SEQUENTIAL_DRIFT ? ", drift, steal, noisier, onesided" : "");
}
