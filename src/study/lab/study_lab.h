/* Where the studies measure: workloads, the machine, the store, and how long each may
 * take. Every measurement is an experiment of the store, as those of `duet run` are, so
 * that a study's answer can be had again from what is stored. */
#ifndef DUET_STUDY_LAB_STUDY_LAB_H
#define DUET_STUDY_LAB_STUDY_LAB_H

#include "machine/machine.h"
#include "model/plan.h"
#include "store/store.h"
#include "study/lab/study_session.h"
#include "study/lab/study_suite.h"
#include "study/study_accuracy.h"

enum { STUDY_LAB_ONLY_MAX = 16 };

/* What to measure, and how it is analysed. Strings are borrowed. */
struct study_lab_options {
    struct study_accuracy_plan analysis; /* its seed is that of everything */
    const char *store;
    const char *platform;                 /* NULL: the host's name */
    const char *suite_file;               /* NULL: none */
    const char *only[STUDY_LAB_ONLY_MAX]; /* patterns of its benchmarks */
    size_t only_count;
    const char *suite_name; /* NULL: the suite's, or what fits */
    const char *cpus;
    const char *pictures; /* a folder for those of the answer; NULL: none */
    const char *set;      /* artificial workloads, with commas; NULL: not given */
    char *const *commands;
    size_t command_count;
    uint64_t budget_ns;
    uint64_t runs;
    uint64_t iterations;  /* of a run; 0: as the budget allows */
    uint64_t duration_ns; /* of an artificial workload's iteration */
};

struct study_workload {
    char *name;
    char *command;
    bool artificial; /* takes --scale */
    bool of_suite;   /* `command` is empty, and `entry` the benchmark's number */
    size_t entry;
    struct model_cleaning cleaning; /* what the suite leaves out; none otherwise */
    uint64_t iterations;            /* of a run; set by study_lab_fit() */
};

struct study_lab {
    const struct study_lab_options *options;
    struct study_session *session;
    struct machine *machine;
    struct store *store;
    struct study_suite *suite; /* NULL: none */
    char platform[80];         /* what to call this machine */
    double
        busy_load; /* load average before, when others were at work; 0: they were not */
    int num_cpus;
    const char *suite_name;
    const char *only[STUDY_LAB_ONLY_MAX];
    struct study_workload *workloads;
    size_t workload_count;
    uint64_t done; /* experiments, for the progress */
    uint64_t planned;
    uint64_t seed; /* of the next experiment */
    bool leaves;   /* it has been said that a workload leaves processes running */
    /* When the first and the last began of the experiments that were read for a
     * workload; 0: none. */
    int64_t first_utc_ms;
    int64_t last_utc_ms;
    struct text failures; /* a line each: which workload, and why */
};

/* Behind the stored name of a workload that was measured under load; then the load's
 * profile and a closing bracket. */
#define STUDY_LAB_BUSY " (busy: "

/* Opens the machine and the store (created when there are workloads to measure) and
 * lists the workloads: the commands, or the set of artificial ones. Errors: those of
 * the machine and the store; DUET_E_USAGE (an unknown artificial workload). Release in
 * any case. */
BASE_MUST_USE enum duet_code study_lab_open(const struct study_lab_options *options,
                                            struct study_session *session,
                                            struct study_lab *ret_lab,
                                            struct duet_error *reterr);
void study_lab_release(struct study_lab *lab);

/* What is left out of a workload's runs: what --drop-warmup says, else its suite. It is
 * recorded with each experiment. */
const struct model_cleaning *study_lab_cleaning(const struct study_lab *lab,
                                                const struct study_workload *workload);

/* Measures how long an iteration takes and decides from it how many a run has, so that
 * `weight` times options->runs runs of it take a workload's share of the budget: 1 for
 * an experiment of pairs, 2 for one of a side at a time. Where the head of a run is
 * left out, there is an iteration behind it, whatever the budget. A workload that fails
 * is noted; it then has 0 iterations. Errors: DUET_E_INTERRUPTED, those of the store.
 * (study_fit.c) */
BASE_MUST_USE enum duet_code study_lab_fit(struct study_lab *lab, double weight,
                                           struct duet_error *reterr);

struct study_measurement {
    const struct study_workload *workload;
    const char *new_command; /* of the new side; NULL: the same */
    enum model_schedule schedule;
    const char *condition; /* behind the workload's name: "", or STUDY_LAB_BUSY ... */
    bool fill_given;       /* false: the default */
    enum model_fill fill;
};

/* One experiment of so many runs and iterations, in `store`; outputs are checked, and
 * warm-up is left out, when it is the lab's own. Errors: those of the measurement, the
 * workload's too. */
BASE_MUST_USE enum duet_code study_lab_try(struct study_lab *lab, struct store *store,
                                           const struct study_measurement *measurement,
                                           uint64_t runs, uint64_t iterations,
                                           int64_t *ret_experiment,
                                           struct duet_error *reterr);

/* One experiment. *ret_experiment: 0 when the workload failed, which is noted. Errors:
 * DUET_E_INTERRUPTED, DUET_E_USAGE, those of machine and store. */
BASE_MUST_USE enum duet_code
study_lab_measure(struct study_lab *lab, const struct study_measurement *measurement,
                  int64_t *ret_experiment, struct duet_error *reterr);

/* The runs of a stored experiment, and how they are analysed: what is left out is what
 * --drop-warmup says, else what was recorded. Errors: those of recorded_from_store().
 */
BASE_MUST_USE enum duet_code study_lab_values(struct study_lab *lab, int64_t experiment,
                                              struct model_values *ret_values,
                                              struct study_accuracy_plan *ret_plan,
                                              struct duet_error *reterr);

/* Notes that a workload has failed; an error that no other workload can share (that of
 * the machine, an interruption) is passed on. */
BASE_MUST_USE enum duet_code study_lab_forgive(struct study_lab *lab, const char *name,
                                               enum duet_code code,
                                               const struct duet_error *error,
                                               struct duet_error *reterr);

/* Appends what failed to the session's table. DUET_E_WORKLOAD when anything did. */
BASE_MUST_USE enum duet_code study_lab_conclude(struct study_lab *lab,
                                                struct duet_error *reterr);

#endif
