/* A performance test of one program that goes on for days (He 2021): what it was asked
 * to do, and how far it has come. */
#ifndef DUET_MODEL_WATCHING_H
#define DUET_MODEL_WATCHING_H

#include "model/observation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The side of its experiment that a watch measures; the other one is empty. That of two
 * experiments `duet compare` takes. */
#define MODEL_WATCH_SIDE MODEL_NEW

/* What was asked for, beside the plan of its experiment. Strings are borrowed. */
struct model_watch {
    const char *name;
    const char *folder;    /* in which the command is executed */
    const char *cpus;      /* as typed; NULL: all that may be used */
    const char *provision; /* before each batch; NULL: none */
    const char *release;   /* after each batch; NULL: none */
    uint64_t attempts;     /* of provision and release */
    uint64_t retry_ns;     /* between them */
    uint64_t every_ns;     /* an interval */
    double per_hour;       /* executions */
    uint64_t batch_size;   /* executions that follow one another directly */
    const char *rule;      /* "metior" ... */
    const char *statistic; /* "mean", "p90" ... */
    double error;          /* allowed, as a share of the result */
    double confidence;
    uint64_t replicates;
    const char *metric;  /* "time", else what the command prints */
    const char *unit;    /* of the metric; "" unknown */
    const char *pattern; /* that finds the number; NULL: the time is measured */
    bool higher_is_better;
    uint64_t intervals_max; /* give up after so many; 0: never */
};

enum model_watch_state {
    MODEL_WATCH_RUNNING,     /* a process is at it */
    MODEL_WATCH_UNFINISHED,  /* its process is gone */
    MODEL_WATCH_INTERRUPTED, /* by the user */
    MODEL_WATCH_FAILED,      /* by an error */
    MODEL_WATCH_STABLE,      /* the rule has stopped it */
    MODEL_WATCH_UNSTABLE,    /* over without that */
    MODEL_WATCH_STATES
};
const char *model_watch_state_name(unsigned state); /* "running" ... */

/* How far it has come. Values are in the metric's unit, times in ns. */
struct model_watch_status {
    struct model_watch watch; /* borrowed strings */
    int64_t experiment;
    const char *command;
    enum model_watch_state state;
    const char *message; /* why it failed; NULL */
    int64_t pid;         /* of the process that is at it; 0: none; -1: it is unknown */
    int64_t started_utc_ms;
    int64_t next_utc_ms;    /* when the next batch is due; -1: never */
    uint64_t points;        /* executions so far */
    uint64_t missed;        /* that were due and did not take place */
    double interval_points; /* executions of an interval */
    /* Of all points so far: the statistic, its interval, and its farther end's distance
     * as a share; NaN: unknown. */
    double value;
    double low;
    double high;
    double error;
    /* MODEL_WATCH_STABLE: the rule's answer. */
    double result;
    uint64_t result_points; /* that it is the statistic of */
    uint64_t stop_points;   /* after which the rule stopped */
    double stop_low; /* what the result may be off by, as shares of it; NaN: the rule */
    double stop_high; /* makes none */
    bool release_due; /* the last batch's --release has not succeeded */
};

#endif
