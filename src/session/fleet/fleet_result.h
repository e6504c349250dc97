/* A task's result: a store, or a part of a study, in one file, whose name says whose it
 * is and what it must contain, so that it can be judged wherever it has been carried
 * to. */
#ifndef DUET_SESSION_FLEET_FLEET_RESULT_H
#define DUET_SESSION_FLEET_FLEET_RESULT_H

#include "session/fleet/fleet_folder.h"

#define FLEET_STORE_ENDING ".db"
#define FLEET_PART_ENDING ".part"
enum { FLEET_RESULT_ID_DIGITS = 8, FLEET_RESULT_HASH_DIGITS = 16 };

/* "1a2b3c4d-000007-123.0-0123456789abcdef.db": the fleet, the task, the attempt and the
 * beginning of the content's SHA-256. */
struct fleet_result_name {
    char id[FLEET_RESULT_ID_DIGITS + 1];
    uint64_t task;
    char attempt[MODEL_FLEET_ATTEMPT_BYTES];
    char hash[FLEET_RESULT_HASH_DIGITS + 1];
};
/* name: of a file, without its folder. False: it is called otherwise. */
bool fleet_result_parse(const char *name, struct fleet_result_name *ret_name);

/* What the names of the fleet's results end in. */
const char *fleet_result_ending(const struct fleet *fleet);

/* Whether a word can be an attempt: letters, digits and dots, and not too many. */
bool fleet_attempt_is_right(const char *attempt);

/* Copies the file `from`, which nobody has open, to the fleet's results:
 * whole or not at all. ret_name: the file's name; of size bytes. Errors: DUET_E_IO
 * (disk full: says the path), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_result_publish(const struct fleet *fleet,
                                                  uint64_t task, const char *attempt,
                                                  const char *from, char *ret_name,
                                                  size_t size,
                                                  struct duet_error *reterr);

/* SHA-256 of a file's content. Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code fleet_file_hash(const char *path, char ret_hash[65],
                                             struct duet_error *reterr);

/* Of a result that an older duet wrote, a copy that can be brought up to date instead:
 * the name says what the file must contain. store_older_remove() it. NULL: it is none.
 * Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_result_copy(const char *path, char **ret_copy,
                                               struct duet_error *reterr);

/* Fills in ratios, node, instance and CPU model from the newest experiment of each name
 * in the store at `path`; controls, confirmations, regions and data sets are left out.
 * A benchmark that failed has no ratio, one of identical sides that of 1. A result
 * stays as it is, also where an older duet wrote it. Errors: those of store_open(),
 * DUET_E_FORMAT (damaged), DUET_E_TOO_FEW (nothing was measured), DUET_E_DOMAIN (names
 * of more than 64 MiB), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_result_read(const char *path,
                                               struct model_fleet_state *state,
                                               struct duet_error *reterr);

#endif
