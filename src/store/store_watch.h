/* Watches: performance tests that go on for days, each an experiment whose runs are its
 * executions. A run's index is the execution's place in the timetable, so that none can
 * be there twice and those that are missing were missed. */
#ifndef DUET_STORE_STORE_WATCH_H
#define DUET_STORE_STORE_WATCH_H

#include "model/watching.h"
#include "store/store.h"

enum { STORE_WATCH_TEXTS = 15 };

struct store_watch {
    int64_t id;
    int64_t experiment;
    struct model_watch watch; /* its strings are in `texts` */
    /* Of its experiment. */
    const char *command;
    const char *shell;    /* NULL: none */
    const char *prepare;  /* NULL: none */
    const char *conclude; /* NULL: none */
    const char *message;  /* why it failed; NULL */
    uint64_t timeout_ns;
    bool ignore_failure;
    bool merged; /* from another store: it is not resumed here */
    uint64_t seed;
    enum store_state state;
    int64_t started_utc_ms;
    /* Where it stands. */
    int64_t start_utc_ns; /* of the timetable */
    uint64_t next_batch;  /* the first that was neither begun nor given up */
    int64_t open_batch;   /* begun, and its --release has not succeeded; -1: none */
    bool stopped;         /* by its rule, with this answer */
    double result;
    uint64_t result_points;
    uint64_t stop_points;
    double stop_low;
    double stop_high;
    char *texts[STORE_WATCH_TEXTS]; /* owned */
};
void store_watch_release(struct store_watch *watch);

/* Makes an experiment a watch, and its metric when the store does not have it. Errors:
 * DUET_E_IO, DUET_E_NOT_FOUND (no such experiment), DUET_E_USAGE (an unfinished one has
 * this name). */
BASE_MUST_USE enum duet_code store_watch_begin(struct store *store, int64_t experiment,
                                               const struct model_watch *watch,
                                               int64_t start_utc_ns, int64_t *ret_watch,
                                               struct duet_error *reterr);

/* By the number of its experiment or its name (the newest that began in this store,
 * else the newest); NULL: the only one that is neither stable nor unstable. Errors:
 * DUET_E_NOT_FOUND, DUET_E_USAGE (several), DUET_E_FORMAT. */
BASE_MUST_USE enum duet_code store_watch_find(struct store *store, const char *which,
                                              struct store_watch *ret_watch,
                                              struct duet_error *reterr);
/* All, oldest first; release each, then free(). */
BASE_MUST_USE enum duet_code store_watch_list(struct store *store,
                                              struct store_watch **ret_list,
                                              size_t *ret_count,
                                              struct duet_error *reterr);
/* Whether the experiment is a watch. */
BASE_MUST_USE enum duet_code store_watch_has(struct store *store, int64_t experiment,
                                             bool *ret_has, struct duet_error *reterr);

/* All: errors DUET_E_IO, DUET_E_NOT_FOUND (deleted meanwhile). */

/* Where it stands: batches before `next_batch` are never begun again; open_batch: one
 * that is under way or not released, -1: none. */
BASE_MUST_USE enum duet_code store_watch_move(struct store *store, int64_t watch,
                                              uint64_t next_batch, int64_t open_batch,
                                              struct duet_error *reterr);
/* Keeps the rule's answer of status->result and so on. */
BASE_MUST_USE enum duet_code store_watch_stop(struct store *store, int64_t watch,
                                              const struct model_watch_status *status,
                                              struct duet_error *reterr);
/* It goes on, for so many intervals in all. */
BASE_MUST_USE enum duet_code store_watch_resume(struct store *store,
                                                const struct store_watch *watch,
                                                uint64_t intervals_max,
                                                struct duet_error *reterr);

/* One process at a time works on a watch: the kernel's record lock on a byte of a file
 * beside the store, which ends with the process, whatever its end, and with the
 * machine. */
struct store_watch_lock {
    int fd; /* -1: not held */
};
/* A holder whose number means nothing here: it is in another PID namespace. */
enum { STORE_WATCH_ELSEWHERE = -1, STORE_WATCH_HOLDER_BYTES = 40 };
/* *ret_pid: who holds it when it cannot be had (0: had). Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_watch_lock(const struct store *store, int64_t watch,
                                              struct store_watch_lock *ret_lock,
                                              int64_t *ret_pid,
                                              struct duet_error *reterr);
/* Who holds it; 0: nobody, or it is this process. Not in a process that holds a lock:
 * looking would end it. */
int64_t store_watch_holder(const struct store *store, int64_t watch);
/* "process 4711", for messages. */
void store_watch_holder_name(int64_t pid, char ret_name[STORE_WATCH_HOLDER_BYTES]);
void store_watch_unlock(struct store_watch_lock *lock);

/* The number that a run's command has printed, of the store's metric `metric`, kept
 * with the run that is under way in the sink. Errors: DUET_E_NOT_FOUND, DUET_E_INTERNAL
 * (no run). */
BASE_MUST_USE enum duet_code store_sink_observe(struct store *store,
                                                enum model_side side,
                                                const char *metric, double value,
                                                struct duet_error *reterr);

#endif
