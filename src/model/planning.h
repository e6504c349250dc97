/* How to spend the time of the next experiments, from a pilot. */
#ifndef DUET_MODEL_PLANNING_H
#define DUET_MODEL_PLANNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What shows one change. NaN: more than could be reckoned with. */
struct model_planned {
    double effect;           /* the change, as a fraction */
    double runs;             /* even */
    double ns;               /* what they take */
    double runs_as_measured; /* with the pilot's iterations a run */
    double ns_as_measured;
};

enum { MODEL_PLANNED_MAX = 8 };

struct model_planning {
    uint64_t runs;              /* of the pilot */
    double iterations_measured; /* a run, mean */
    double confidence;
    double power;
    /* Spread of the log ratios, as standard deviations. */
    double within;       /* between iterations of a run; NaN: runs of one iteration */
    double between;      /* between runs, beyond what their iterations explain */
    bool between_unseen; /* it came out as none */
    /* Time. */
    double run_cost_ns; /* of a run beside its iterations */
    double iteration_cost_ns;
    /* Cheapest, for any change. */
    uint64_t iterations; /* a run */
    bool bounded;        /* as many as the pilot allows; more may be cheaper still */
    struct model_planned planned[MODEL_PLANNED_MAX];
    size_t planned_count;
};

/* What to measure next. */
struct model_amount {
    double effect;       /* to be seen, a fraction */
    double runs;         /* that see it; not finite: too many */
    double decided_ns;   /* until --until decided sees it; not finite: give the runs */
    uint64_t iterations; /* a run; 0: the pilot's */
};

#endif
