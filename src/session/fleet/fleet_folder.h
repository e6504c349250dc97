/* The folder that a fleet is: everything about it can be read from its files
 * (docs/fleet.md). */
#ifndef DUET_SESSION_FLEET_FLEET_FOLDER_H
#define DUET_SESSION_FLEET_FLEET_FOLDER_H

#include "base/text.h"
#include "model/fleet.h"

#include <dirent.h>

#define FLEET_PLAN "plan.json"
#define FLEET_PROGRAM "duet"    /* a copy, which all tasks execute */
#define FLEET_FILES "files"     /* what was shipped */
#define FLEET_RESULTS "results" /* a store a task */
#define FLEET_STATES "states"   /* what tasks say of themselves */
#define FLEET_LOGS "logs"       /* what they print */
#define FLEET_JOBS "jobs"       /* of Slurm: a file a job, called by its number */
#define FLEET_ENDED "ended"     /* is there once no task is to begin any more */
#define FLEET_TAKEN "taken"     /* results that `collect` has chosen, a name a line */
#define FLEET_STORE "results.db"

/* Where nobody says otherwise. */
enum { FLEET_TASKS_USUAL = 10 };
#define FLEET_CONFIDENCE 0.99
#define FLEET_SAME_WITHIN 0.01

struct fleet {
    char *path; /* absolute */
    struct model_fleet_plan plan;
};

/* Makes the folder (mode 0700), which must not be there or be empty, and everything in
 * it; its parent must be there. program: copied to FLEET_PROGRAM. The plan is moved
 * into the fleet. Errors: DUET_E_USAGE (the folder has something in it), DUET_E_IO,
 * DUET_E_NOMEM; what was made is removed, or the message says that it stays. */
BASE_MUST_USE enum duet_code fleet_make(const char *path, const char *program,
                                        struct model_fleet_plan *take_plan,
                                        struct fleet *ret_fleet,
                                        struct duet_error *reterr);
/* Removes the folder of a fleet that was made and cannot be completed: *reterr, which
 * says why, says so when the folder stays. */
void fleet_discard(struct fleet *fleet, struct duet_error *reterr);
/* Whether the folder has a plan, or cannot be asked. */
bool fleet_is(const char *path);
/* Makes folders that are missing in it, where that is allowed. Errors: DUET_E_NOT_FOUND
 * (no fleet there), and those of the plan. */
BASE_MUST_USE enum duet_code fleet_open(const char *path, struct fleet *ret_fleet,
                                        struct duet_error *reterr);
void fleet_close(struct fleet *fleet);

/* `name` below the folder, or as it is when it is absolute; free(). NULL: no memory. */
char *fleet_path(const struct fleet *fleet, const char *name);
/* "FOLDER/NAME" of one of its folders; likewise. */
char *fleet_path_in(const struct fleet *fleet, const char *folder, const char *name);

/* Makes the folder where it was submitted the current one: files that its words name
 * are found from there. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_go_to_folder(const struct fleet *fleet,
                                                struct duet_error *reterr);

/* Writes a file so that it is there whole or not at all, whatever fails meanwhile:
 * under another name, to the disk, renamed. Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_write(const struct fleet *fleet, const char *folder,
                                         const char *name, const char *bytes,
                                         size_t length, struct duet_error *reterr);

/* The names in one of its folders, sorted; hidden ones and those that do not end in
 * `ending` are left out. A folder that is not there is empty. Errors: DUET_E_IO,
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_list(const struct fleet *fleet, const char *folder,
                                        const char *ending,
                                        struct model_words *ret_names,
                                        struct duet_error *reterr);

/* Why no task is to begin any more: "cancelled" or "decided"; "": tasks may begin.
 * Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code fleet_ended(const struct fleet *fleet, char ret_why[32],
                                         struct duet_error *reterr);

/* The next entry of a folder whose name does not begin with a dot; NULL: there is none,
 * or *ret_code is DUET_E_IO. path: for the message. */
const struct dirent *fleet_next_entry(DIR *entries, const char *path,
                                      enum duet_code *ret_code,
                                      struct duet_error *reterr);

/* Milliseconds since 1970. */
int64_t fleet_now_utc_ms(void);

#endif
