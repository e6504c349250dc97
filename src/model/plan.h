/* What an experiment is asked to do: nothing in it is measured. */
#ifndef DUET_MODEL_PLAN_H
#define DUET_MODEL_PLAN_H

#include "model/observation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of struct model_plan's budget_ns: no limit. */
#define MODEL_BUDGET_NONE ((uint64_t)INT64_MAX)

/* How the two sides share the machine (method: Bulej 2020 s.3, s.4.1). */
enum model_schedule {
    MODEL_SCHEDULE_DUET,        /* at the same time, one CPU set each */
    MODEL_SCHEDULE_INTERLEAVED, /* one at a time, in random order (RMIT) */
    MODEL_SCHEDULE_SEQUENTIAL,  /* all of old, then all of new */
    MODEL_SCHEDULE_TIMESLICE,   /* both on one CPU, compared by CPU time */
    MODEL_SCHEDULES
};

const char *model_schedule_name(unsigned schedule); /* "duet" ... */
/* true and *ret_schedule when `name` is one of them. */
bool model_schedule_from_name(const char *name, enum model_schedule *ret_schedule);
/* Whether its observations come in pairs released together. */
bool model_schedule_is_paired(enum model_schedule schedule);
/* How often a plan's numbers of runs are carried out: once, but for each side by itself
 * where a run has only one. */
uint64_t model_schedule_passes(enum model_schedule schedule);

enum model_fill { MODEL_FILL_OFF, MODEL_FILL_ON, MODEL_FILL_KILL };
const char *model_fill_name(unsigned fill); /* "off", ... */

/* The random offset of each run's environment, which moves its programs' stacks. */
enum model_layout {
    MODEL_LAYOUT_SAME,        /* both sides have the same */
    MODEL_LAYOUT_INDEPENDENT, /* each its own */
    MODEL_LAYOUT_FIXED,       /* none: every run begins alike */
    MODEL_LAYOUTS
};
const char *model_layout_name(unsigned layout); /* "same", ... */

/* What ends a measurement beside its budget and its number of runs. */
enum model_until {
    MODEL_UNTIL_FIXED,    /* nothing: whatever the data say, the same is measured */
    MODEL_UNTIL_DECIDED,  /* the verdict is certain */
    MODEL_UNTIL_PRECISION /* the interval is narrow enough */
};
const char *model_until_name(unsigned until); /* "fixed", ... */

/* Where a workload's standard streams go. */
enum model_stream_kind {
    MODEL_STREAM_NULL,    /* /dev/null */
    MODEL_STREAM_INHERIT, /* duet's own */
    MODEL_STREAM_PIPE,    /* read and dropped; stderr: last lines are kept */
    MODEL_STREAM_FILE     /* `path` */
};
const char *model_stream_kind_name(unsigned kind); /* "null", ... */

struct model_stream {
    enum model_stream_kind kind;
    const char *path;
};

/* One workload: how to start it. Strings are borrowed from whoever made the plan. */
struct model_workload {
    const char *name;        /* shown to the user; -n, else the command line */
    const char *command;     /* the command line as typed */
    const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
    const char *setup;       /* once before this side's first run; NULL: none */
    const char *prepare;     /* before every execution, untimed; NULL: none */
    const char *conclude;    /* after every execution, untimed; NULL: none */
    const char *cleanup;     /* once, at the end; NULL: none */
    const char *folder;      /* of the command and the hooks; NULL: duet's own */
};

enum { MODEL_CPUS_MAX = 1024 };

struct model_cpu_set {
    unsigned cpus[MODEL_CPUS_MAX];
    size_t count;
};

struct model_analysis;

struct model_plan {
    const char *name;   /* of the experiment (a benchmark's name); never NULL */
    const char *folder; /* in which duet was started; NULL: not known */
    /* How its measurements become an answer, borrowed; NULL: they are not compared. */
    const struct model_analysis *analysis;
    enum model_schedule schedule;
    bool choose_schedule; /* `duet`, unless taking turns on one CPU is found to say more
                             (analysis/plan/schedule_choice.h) */
    struct model_workload sides[MODEL_SIDES];
    uint64_t seed;

    /* A run is `iterations` executions or iterations of each side in fresh processes
     * (0: the mode's default, 1 in command mode and 100 in harness mode) or
     * run_time_ns, whichever is first (0: no limit). */
    uint64_t iterations;
    uint64_t run_time_ns;
    bool adapt_run_time; /* run_time_ns is that of the first runs of a benchmark
                            program; then it follows from what was seen */
    uint64_t warmup; /* iterations at the head of each run that are marked as warm-up by
                        the analysis (harness) or executions before the first run
                        (command mode) */
    /* Runs: exactly `runs` when not 0; else at least min_runs, at most max_runs, and
     * otherwise as many as fit into budget_ns (MODEL_BUDGET_NONE: no limit). Of
     * `sequential` these are the runs of each side, and old has half of the budget. */
    uint64_t runs;
    uint64_t min_runs;
    bool min_runs_held; /* by the user: of the runs that the answer takes, and no rule
                           ends it before */
    uint64_t max_runs;
    uint64_t budget_ns;
    bool budget_given; /* by the user */
    enum model_until until;
    double precision_ratio; /* MODEL_UNTIL_PRECISION: half the interval's width */

    uint64_t timeout_ns; /* of one execution, harness: of one run; 0: none */
    enum model_layout layout;
    bool ignore_failure;     /* accept a non-zero exit status */
    enum model_fill fill[2]; /* [0] command mode, [1] harness mode */
    bool usage;              /* resource usage per iteration */
    const char *shell;       /* run commands by this shell; NULL: without one */
    bool runs_known;         /* of what other programs measured: a run is a process */
    struct model_stream input;
    struct model_stream output;
    struct model_stream error_output;
    /* CPUs of position 0 and 1; timeslice and solo schedules use position 0's. */
    struct model_cpu_set cpus[2];
};

#endif
