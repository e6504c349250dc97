/* The models of simulated data by their names. */
#ifndef DUET_STUDY_STUDY_DATA_H
#define DUET_STUDY_STUDY_DATA_H

#include "base/error.h"

/* The number of the model called `name` among the first `models`. Errors: DUET_E_USAGE
 * (says which there are). */
enum duet_code study_data_find(const char *name, int models, int *ret_model,
                               struct duet_error *reterr);

#endif
