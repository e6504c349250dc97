/* How many operations a second this machine executes of each workload: measured once
 * and kept in a file, so that both sides of a comparison, and every later one, count
 * from the same number. A second process that asks while the first one measures waits
 * and takes the first one's answer.
 *
 * The file is text: the line "duet-calibration 1", then one line a host and kind, of
 * three fields separated by tabs: host, kind, operations per second. It is replaced by
 * renaming, under a lock on FILE.lock; one that cannot be understood is made anew. */
#ifndef DUET_WORKLOADS_CALIBRATION_H
#define DUET_WORKLOADS_CALIBRATION_H

#include "base/error.h"
#include "workloads/workload.h"

#include <stdint.h>

/* Raised when the file's format or the inner loop of a workload changes. */
#define CALIBRATION_VERSION "1"

typedef enum duet_code calibration_measure_fn(const struct workload_kind *kind,
                                              void *context,
                                              uint64_t *ret_rate_operations_per_s,
                                              struct duet_error *reterr);

struct calibration_source {
    const char *path;                /* of the file; its folder is made when missing */
    const char *host;                /* whose speed: calibration_host_new() */
    calibration_measure_fn *measure; /* called when the file has no answer */
    void *context;                   /* passed to `measure` */
};

/* Where the calibrations are kept: $DUET_CALIBRATION, else
 * $XDG_CACHE_HOME/duet/calibration-1, else ~/.cache/duet/calibration-1. A string for
 * free(). Errors: DUET_E_NOT_FOUND (none of the three variables is set), DUET_E_NOMEM.
 */
BASE_MUST_USE enum duet_code calibration_path_new(char **ret_path,
                                                  struct duet_error *reterr);

/* The machine's key: node name, architecture and CPU model, for free(). Not the
 * compiler: two builds of this program that are compared must use the same counts.
 * Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code calibration_host_new(char **ret_host,
                                                  struct duet_error *reterr);

/* The rate of `kind` in the file; measured and stored when it is not there. Writes
 * nothing when it is there, so that the folder may be read-only then.
 * Errors: DUET_E_IO (the file or its lock cannot be written; the message names the ways
 * around it), DUET_E_INTERRUPTED (a signal while waiting for another process),
 * DUET_E_NOMEM, and those of `measure`. */
BASE_MUST_USE enum duet_code calibration_rate(const struct calibration_source *source,
                                              const struct workload_kind *kind,
                                              uint64_t *ret_rate_operations_per_s,
                                              struct duet_error *reterr);

/* All of the above for this machine, measuring with workload_rate_measure(). */
BASE_MUST_USE enum duet_code workload_calibrate(const struct workload_kind *kind,
                                                uint64_t *ret_rate_operations_per_s,
                                                struct duet_error *reterr);

#endif
