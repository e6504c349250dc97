/* Studies that are computed in shares: by several processes, or by the tasks of a
 * fleet. Their answer is the same as without. */
#ifndef DUET_CLI_STUDY_SHARING_H
#define DUET_CLI_STUDY_SHARING_H

#include "cli/study/study_run.h"
#include "model/fleet.h"

/* Where a study is computed. */
struct study_fleet {
    /* MODEL_FLEET_ENGINES: here, in this process. */
    enum model_fleet_engine engine;
    uint64_t tasks; /* 0: not given */
    const char *to; /* NULL: fleet-ID in the current folder */
    const char **ship;
    size_t ship_count;
    struct model_words sbatch;
};

/* Of a study's request; the common part is its own. */
struct study_sharing {
    struct study_common common;
    struct study_fleet fleet;
};
#define STUDY_SHARING_DEFAULT                     \
    {                                             \
        .fleet = {.engine = MODEL_FLEET_ENGINES } \
    }

enum {
    SHARE_OPTION_SHIP = 1950,
    SHARE_OPTION_SBATCH,
    SHARE_OPTION_PART,
    SHARE_OPTION_PARTS
};

#define STUDY_SHARE_ROWS                                                                    \
    {"resume", 0, "FILE", CLI_OPTION_SETTING,                                               \
     "Save progress in FILE, and go on from there when it has the same study of the same "  \
     "data."},                                                                              \
        {"part", 0, "I/N", SHARE_OPTION_PART,                                               \
         "Compute only part I of N, and write it into the file of --resume in place of an " \
         "answer."},                                                                        \
        {"parts", 0, "PATH", SHARE_OPTION_PARTS,                                            \
         "Take what was computed elsewhere from this file, or from all files in this "      \
         "folder, and compute only the rest. May be repeated."},                            \
        {"engine", 0, "here|local|files|slurm", CLI_OPTION_SETTING,                         \
         "Choose who computes: this process (here, the default), or the tasks of a "        \
         "fleet, by Slurm, by whoever calls 'duet fleet task' (files), or on this "         \
         "machine in turns (local)."},                                                      \
        {"tasks", 0, "N", CLI_OPTION_SETTING,                                               \
         "With --engine: make N tasks. Default: 10."},                                      \
        {"to", 0, "DIR", CLI_OPTION_SETTING,                                                \
         "With --engine: make this folder for the fleet. With Slurm all nodes must see "    \
         "it. Default: fleet-ID in the current folder."},                                   \
        {"ship", 0, "PATH", SHARE_OPTION_SHIP,                                              \
         "With --engine: add a copy of this file or folder of the current folder to the "   \
         "fleet, and run the tasks there. May be repeated. Default: tasks use the "         \
         "current folder."},                                                                \
    {                                                                                       \
        "sbatch", 0, "WORDS", SHARE_OPTION_SBATCH,                                          \
            "With --engine slurm: give sbatch these words, such as "                        \
            "'--cpus-per-task=8'. May be repeated."                                         \
    }

extern const char *const study_engine_words[];

/* sharing: where the struct study_sharing is in a request of this type. */
#define STUDY_SHARE_FIELDS(type, sharing)                                            \
    FIELD_TEXT("--resume", type, sharing.common.share.resume),                       \
        FIELD_WORD("--engine", type, sharing.fleet.engine, study_engine_words),      \
        FIELD_WHOLE("--tasks", type, sharing.fleet.tasks, 1, MODEL_FLEET_TASKS_MAX), \
        FIELD_TEXT("--to", type, sharing.fleet.to)

/* Takes option `id` with its value. Returns false when it is not one of these. */
bool study_share_take(struct study_sharing *sharing, int id, const char *value,
                      enum duet_code *ret_code, struct duet_error *reterr);

/* study_run() for a study that can be shared: here, or as a fleet whose tasks compute a
 * part each and whose collection gives the answer. argc and argv: what the command was
 * called with. Returns an exit status. */
int study_share_run(const struct cli_command *command, int argc, char **argv,
                    struct study_sharing *sharing, const char *label,
                    enum duet_code (*study)(void *context,
                                            struct study_session *session,
                                            struct duet_error *reterr),
                    void *context);
void study_sharing_release(struct study_sharing *sharing);

#endif
