/* A program against itself: what an experiment can see here, and what it costs. */
#ifndef DUET_MODEL_SELF_COMPARISON_H
#define DUET_MODEL_SELF_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>

/* What it takes to see a change. NaN: more than could be reckoned with. */
struct model_visibility {
    double effect; /* the change, as a fraction */
    /* With a number of runs that is fixed beforehand, and power 0.9. */
    double fixed_runs;
    double fixed_ns;
    /* With --until decided: time to the verdict, median and 90 % of experiments. */
    double decided_median_ns;
    double decided_p90_ns;
};

enum { MODEL_VISIBILITIES = 3 };

struct model_self_comparison {
    uint64_t runs;
    double wall_ns;
    double confidence; /* of the intervals; 1 - confidence alarms are to be expected */
    /* The runs parted into experiments of window_runs each, by time. */
    uint64_t window_runs;
    uint64_t windows;
    uint64_t false_alarms; /* windows with a verdict */
    double false_share;    /* of the windows */
    double false_low;      /* its 95 % Clopper-Pearson interval */
    double false_high;
    bool false_too_many;   /* more than are to be expected, beyond chance */
    double window_ns;      /* how long a window took, mean */
    double window_visible; /* smallest change that it could have shown, median; NaN */
    struct model_visibility visibilities[MODEL_VISIBILITIES]; /* 0.5, 1 and 2 % */
};

#endif
