/* What is measured twice: on the machine as it is, and beside competing load. */
#ifndef DUET_STUDY_LAB_STUDY_CONDITIONS_H
#define DUET_STUDY_LAB_STUDY_CONDITIONS_H

#include "study/lab/study_measured.h"
#include "study/study_ratio.h"

enum { STUDY_QUIET, STUDY_BUSY, STUDY_CONDITIONS };

/* Bulej 2020, figure 5: every workload against itself, together and one side after the
 * other (with `timeslice` also both on one CPU), quiet and then under load, which the
 * session's table names; of a lab without workloads what is stored. Errors: those of
 * study_measure_or_find() and the load. */
BASE_MUST_USE enum duet_code
study_sharing_measure(struct study_lab *lab, bool timeslice,
                      struct study_measured_list lists[STUDY_CONDITIONS],
                      struct duet_error *reterr);

/* Figures 6 and 7: every workload against itself, quiet, into lists[0]; and every
 * artificial one against twice its work, without and with fill, quiet and under load,
 * into *ratio, which is zeroed before and goes to study_ratio_release() in any case.
 * Errors: as above, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_ratio_measure(struct study_lab *lab,
                                                 struct study_ratio *ratio,
                                                 struct study_measured_list *lists,
                                                 struct duet_error *reterr);
void study_ratio_release(struct study_ratio *ratio);

#endif
