/* Several benchmarks in one number: the geometric mean of their ratios. */
#ifndef DUET_MODEL_GEOMEAN_H
#define DUET_MODEL_GEOMEAN_H

#include "model/comparison.h"

#include <stddef.h>

enum model_geomean_rule {
    MODEL_GEOMEAN_NO_INTERVAL,
    MODEL_GEOMEAN_INDEPENDENT, /* roots of sums of squares: intervals of fixed data */
    MODEL_GEOMEAN_ENDS,        /* means of the ends: Bonferroni's intervals */
    MODEL_GEOMEAN_DEPENDENT,   /* likewise: of benchmarks that may have shared processes
                                */
    MODEL_GEOMEAN_RULES
};
/* "none", "independent", "bonferroni", "dependent". */
const char *model_geomean_rule_name(unsigned rule);

/* Unknown numbers are NaN. */
struct model_geomean {
    size_t count; /* of the benchmarks in it; failed ones are not */
    double ratio; /* new / old */
    double low;   /* ratio; NaN: unbounded or no interval */
    double high;
    double confidence; /* of the interval; NaN: none */
    enum model_geomean_rule rule;
    enum model_verdict verdict; /* MODEL_VERDICTS: none */
    double same_within;         /* fraction; NaN: not asked, or not of all alike */
    enum model_statistic_kind statistic; /* what all have compared; NONE also when they
                                            differ */
};

#endif
