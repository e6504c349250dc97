/* One suite measured by many machines, or a study that many processes compute: what is
 * planned, what has become of each task, and what they say together. */
#ifndef DUET_MODEL_FLEET_H
#define DUET_MODEL_FLEET_H

#include "model/comparison.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owned strings. Zeroed storage is an empty list. */
struct model_words {
    char **list; /* with NULL behind the last one, as argv; NULL: it is empty */
    size_t count;
};
/* Appends a copy. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
model_words_add(struct model_words *words, const char *word, struct duet_error *reterr);
void model_words_release(struct model_words *words);

enum model_fleet_engine {
    MODEL_FLEET_LOCAL, /* this machine, one task after the other */
    MODEL_FLEET_FILES, /* whoever calls `duet fleet task` */
    MODEL_FLEET_SLURM,
    MODEL_FLEET_ENGINES
};
const char *model_fleet_engine_name(unsigned engine);

/* What counts as an instance in stored results (model_host.uuid). */
enum model_fleet_instance {
    MODEL_FLEET_BY_MACHINE, /* its machine id */
    MODEL_FLEET_BY_NODE,    /* and the name of the node, for clones of one image */
    MODEL_FLEET_BY_TASK,    /* and the task: each rents a machine of its own */
    MODEL_FLEET_INSTANCES
};
const char *model_fleet_instance_name(unsigned instance);

enum {
    MODEL_FLEET_ID_BYTES = 33,
    MODEL_FLEET_ATTEMPT_BYTES = 48,
    MODEL_FLEET_TASKS_MAX = 1000000
};

struct model_fleet_plan {
    char id[MODEL_FLEET_ID_BYTES]; /* 32 hexadecimal digits, random */
    bool
        study; /* tasks compute parts of a study; then no field says what is measured */
    char *suite;  /* its file; relative: to the fleet's folder, which has a copy. Of a
                     study  its command: "study coverage" */
    char *folder; /* where tasks run; likewise */
    char suite_sha256[65];      /* "" of a study */
    struct model_words options; /* of `duet suite`, beside what the plan says; of a
                                   study all its words, the study's name first */
    uint64_t tasks;             /* instances */
    uint64_t runs;              /* of each benchmark, by a task */
    uint64_t seed;
    enum model_fleet_engine engine;
    enum model_fleet_instance instance;
    bool until_decided;
    double confidence;
    double same_within; /* NaN: no such verdict */
    uint64_t limit;     /* tasks at the same time; 0: as many as there is room for */
    struct model_words sbatch; /* words for Slurm's sbatch */
    int64_t created_utc_ms;
    char version[32]; /* of the duet that made it */
};
void model_fleet_plan_release(struct model_fleet_plan *plan);

/* One benchmark of one task. */
struct model_fleet_ratio {
    char *name;
    double log_ratio; /* of new / old; NaN: it failed there */
    double old_ns;    /* mean of the old side; NaN: unknown */
    bool identical;   /* the same program, not measured: log_ratio is 0 */
    struct model_acceptance *acceptance; /* owned; NULL: nothing is accepted */
};

enum model_fleet_phase {
    MODEL_FLEET_WAITING, /* not begun, as far as is known */
    MODEL_FLEET_RUNNING,
    MODEL_FLEET_DONE,   /* there is a result */
    MODEL_FLEET_FAILED, /* it said so, and there is no result */
    MODEL_FLEET_LOST,   /* it began, its job is gone, and there is no result */
    MODEL_FLEET_PHASES
};
const char *model_fleet_phase_name(unsigned phase);

/* What a task says of itself, in a file of its own. */
struct model_fleet_state {
    uint64_t task; /* from 1 */
    char attempt[MODEL_FLEET_ATTEMPT_BYTES];
    enum model_fleet_phase phase;
    char node[256];
    char cpu_model[128];
    char instance[37]; /* model_host.uuid */
    int64_t began_utc_ms;
    int64_t ended_utc_ms; /* 0: it has not */
    char result[160];     /* the file's name; "": none */
    char message[512];    /* why it failed, or what was odd; of a waiting one
                             why Slurm has not started it; "" */
    struct model_fleet_ratio *ratios; /* owned */
    size_t ratio_count;
};
void model_fleet_state_release(struct model_fleet_state *state);

/* One benchmark over all instances. */
struct model_fleet_answer {
    char name[256];
    size_t instances; /* that took part */
    size_t failed;    /* instances where it failed */
    double ratio;     /* NaN: no instance */
    double low;       /* of the ratio; NaN: open */
    double high;
    bool interval_refused; /* later instances contradict the first ones */
    double confidence;     /* of the interval */
    enum model_interval_method
        method; /* T, or ANYTIME where the fleet may stop early */
    enum model_verdict verdict;
    double p_value;         /* of no difference; NaN: unknown */
    double could_have_seen; /* smallest change, as a fraction, that a fixed number of
                               instances would have shown with power 0.9; else NaN */
    double same_within;     /* NaN: not asked */
    double sd_between;      /* sample standard deviation of the log ratios */
    size_t decided_after;   /* instances after which a verdict was certain first, which
                               later ones may have taken back; 0: not yet, or a fixed
                               number of instances */
    struct model_acceptance acceptance; /* what all instances accept: the lowest */
};

/* Instances of one CPU model, or one host. */
struct model_fleet_stratum {
    char name[256];
    char benchmark[256];
    size_t instances;               /* that have it */
    struct model_interval interval; /* ends NaN: too few instances */
    double ratio;
    double old_ns; /* geometric mean of the old sides' means; NaN: unknown */
};

/* An answer as the comparison that it is, for what shows and judges those: what it does
 * not have is unknown. */
void model_fleet_comparison(const struct model_fleet_answer *answer,
                            struct model_comparison *ret_comparison);

/* All that is shown of a fleet, or of results without one; borrowed. */
struct model_fleet_view {
    const char *path;                    /* the fleet's folder; NULL: none */
    const struct model_fleet_plan *plan; /* NULL: none */
    const struct model_fleet_state *tasks;
    size_t count;
    double left_ms;    /* until all are done; NaN: unknown */
    const char *ended; /* why no task begins any more; "": they may */
    const char
        *trouble; /* why Slurm could not be asked; NULL: it was, or need not be */
    const struct model_fleet_answer *answers;
    size_t answer_count;
    const struct model_fleet_stratum *strata;
    size_t stratum_count;
    size_t used;    /* results that the answers rest on */
    size_t waiting; /* results that wait for a task before them */
    bool decided;
    double confidence;
    /* Of a collection; NULL and 0 of a status. */
    const struct model_words *doubled;
    const struct model_words *damaged;
    const struct model_words *foreign;
    const char *store; /* where the experiments are */
    size_t results;
    size_t hosts;
    uint64_t added; /* experiments, of this time */
    uint64_t known; /* experiments that were there */
};

#endif
