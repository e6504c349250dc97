/* Values of foreign files on their way to runs and pairs. */
#ifndef DUET_FORMATS_GATHER_H
#define DUET_FORMATS_GATHER_H

#include "base/error.h"
#include "base/text.h"
#include "model/experiment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One value, as a reader found it. Texts are borrowed. */
struct formats_record {
    enum model_side side;
    double ns;             /* positive and finite */
    const char *benchmark; /* NULL: the file names none, "" to all functions below */
    const char *run;       /* label; NULL: the file knows no runs */
    const char *instance;  /* label of the machine; NULL: not known */
    bool has_iteration;    /* and has_block: the file says it */
    bool has_block;
    uint64_t iteration; /* index within its run */
    uint64_t block;
    bool beside; /* its file holds both sides, so that they may be pairs */
};

struct formats_gather;

BASE_MUST_USE enum duet_code formats_gather_new(struct formats_gather **ret_gather,
                                                struct duet_error *reterr);
void formats_gather_free(struct formats_gather *gather);
/* Keeps only the values of this benchmark, which is borrowed; of the others the names.
 * Before the first value. NULL: all. */
void formats_gather_choose(struct formats_gather *gather, const char *wanted);

/* A run takes a kilobyte of memory until it is analysed, however few bytes of a file
 * name it. */
enum { FORMATS_LABELS_MAX = 100000 };

/* Errors: DUET_E_FORMAT (more than FORMATS_LABELS_MAX runs), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_gather_add(struct formats_gather *gather,
                                                const struct formats_record *record,
                                                struct duet_error *reterr);

enum formats_pairing {
    FORMATS_PAIRING_AUTO,  /* as the data says */
    FORMATS_PAIRING_PAIRS, /* or an error */
    FORMATS_PAIRING_UNPAIRED
};

/* What came out of the files. */
struct formats_data {
    struct model_values values; /* `paired` says how to take it; times in ns */
    bool has_runs; /* false, unpaired: a side's values are one sample, in one run */
};
void formats_data_release(struct formats_data *data);

enum { FORMATS_RUNS_MAX = 10000 };

/* Which benchmarks are compared. Zeroed storage is none. */
struct formats_match {
    size_t count;   /* of benchmarks */
    size_t *groups; /* `count`, for the functions below; owned */
    bool several;   /* whether a side has more than one, and none was chosen */
    struct text only[MODEL_SIDES]; /* of several, those of one side, in quotes; owned */
};
void formats_match_release(struct formats_match *match);

/* Asked once, when all is added: the chosen benchmark; the one of each side, where
 * neither has several, whatever they are called; else those of the same name. Errors:
 * DUET_E_NOT_FOUND (a side does not have the chosen one; lists what it has),
 * DUET_E_FORMAT (of several, the sides share none; lists them), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_gather_match(struct formats_gather *gather,
                                                  struct formats_match *ret_match,
                                                  struct duet_error *reterr);

/* What `side` calls the benchmark of a group of the match; "" when it names none. Valid
 * until the gather is freed. */
const char *formats_gather_name(const struct formats_gather *gather, size_t group,
                                enum model_side side);

/* The values of a group of the match as runs; the group is empty afterwards.
 *
 * Runs are those of the (instance, run) labels, in the order of their numbers when all
 * labels are numbers, else of their first appearance; `run` counts them from 0. Blocks
 * are the file's, else run / 2. Iterations are in the order of their index, else of
 * appearance.
 *
 * Pairs are the values of one run and iteration. By themselves (AUTO) they are taken
 * for such when one file holds both sides and says the run or the iteration of each
 * value, and no value is left without its partner. Asked for (PAIRS), the n-th value of
 * old in a run belongs to the n-th of new, or those with the same iteration belong
 * together and the others are left out. Pairs without runs become runs of one pair
 * each, or of several consecutive ones where there would be more than FORMATS_RUNS_MAX.
 *
 * Errors: DUET_E_TOO_FEW (a side has no value), DUET_E_FORMAT (PAIRS, and the counts of
 * a run differ; an iteration twice), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_gather_finish_group(struct formats_gather *gather,
                                                         size_t group,
                                                         enum formats_pairing pairing,
                                                         struct formats_data *ret_data,
                                                         struct duet_error *reterr);
/* The same of the only group. */
BASE_MUST_USE enum duet_code formats_gather_finish(struct formats_gather *gather,
                                                   enum formats_pairing pairing,
                                                   struct formats_data *ret_data,
                                                   struct duet_error *reterr);

#endif
