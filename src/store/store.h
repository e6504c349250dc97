/* The store: one SQLite file, or a database of PostgreSQL, that holds experiments and
 * every observation of theirs. Tables: docs/store.md. Threads: one handle, one thread.
 */
#ifndef DUET_STORE_STORE_H
#define DUET_STORE_STORE_H

#include "base/error.h"
#include "model/comparison.h"
#include "model/dataset_builder.h"
#include "model/sink.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

/* The file that is used when none is named: `.duet/results.db` of the nearest parent of
 * `folder` that has one, else of `folder` itself. free() the result; NULL: no memory.
 */
char *store_default_path(const char *folder);

/* Whether the file that store_default_path() named can be written, or made where it is
 * not there yet. Makes nothing. false too when memory is short. */
bool store_may_write(const char *path);

/* Opens `path`, creating the file when `create`, and never its folder; brings an older
 * schema up to date. Errors, each naming the path and what to do: DUET_E_NOT_FOUND (no
 * file, or no folder for it), DUET_E_FORMAT (not a database, or another program's),
 * DUET_E_VERSION (written by a newer duet), DUET_E_IO (folder not writable, disk full,
 * locked), DUET_E_USAGE (empty path, a URL with a password), DUET_E_UNSUITABLE (a
 * URL of another kind, or no libpq), DUET_E_NOMEM. `path` may be a URL of PostgreSQL
 * (docs/postgresql.md), which needs a database that is there. A store that may only be
 * read can be opened without `create`, and then only read. A file that is made is
 * closed to other users: mode 0600. */
BASE_MUST_USE enum duet_code store_open(const char *path, bool create,
                                        struct store **ret_store,
                                        struct duet_error *reterr);

/* As store_open(), for a path that the user did not name: store_default_path(). Makes
 * its folder, too, with mode 0700 and a .gitignore. Refuses a store or a folder of it
 * that belongs to another user, or that another user can write: DUET_E_IO. */
BASE_MUST_USE enum duet_code store_open_found(const char *path, bool create,
                                              struct store **ret_store,
                                              struct duet_error *reterr);

/* A store that ends with store_close(), or with the process: SQLite keeps what does not
 * fit into its cache in an unnamed file in the folder for temporary ones. Errors:
 * DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_open_scratch(struct store **ret_store,
                                                struct duet_error *reterr);

void store_close(struct store *store);

/* Who waits for another process's lock as long as it takes. */
struct store_patience {
    int cancel_fd; /* readable: no longer than others do; must stay open until the store
                      is closed */
    /* Called when others would have given up, and every ten minutes from then on; uses
     * the store for store_path() only. */
    void (*locked)(void *context, int waited_s);
    void *context;
};
/* From now on a lock of another process is waited for until it is gone, instead of ten
 * seconds: for what goes on for days. */
void store_wait_long(struct store *store, const struct store_patience *patience);
/* Whether its file was deleted, moved or emptied since it was opened, or its server did
 * not take runs that were measured: what is written can only be read through this
 * handle. */
bool store_is_gone(const struct store *store);
/* Whether what it holds is there after it is closed. NULL is not. */
bool store_is_kept(const struct store *store);
/* Writes all that a store holds whose file is gone into a new one (mode 0600) in the
 * folder where it was, or the nearest parent that is there; of one on a server, what
 * was measured, into the current folder or the one for temporary files. *ret_path:
 * free(). Errors: DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_rescue(struct store *store, char **ret_path,
                                          struct duet_error *reterr);
const char *store_path(const struct store *store);

/* A new experiment; *ret_experiment is its row id. `host` and `load` are recorded with
 * it; `version` is duet's. Committed when this returns. */
BASE_MUST_USE enum duet_code
store_experiment_begin(struct store *store, const struct model_plan *plan,
                       const struct model_host *host,
                       const struct model_host_load *load, const char *version,
                       int64_t *ret_experiment, struct duet_error *reterr);

/* A sink that writes runs of `experiment`, each in one transaction, which run_end makes
 * and commits; until then a run waits in memory and an unnamed file beside the store,
 * so that other processes can write meanwhile. The store must outlive it; one sink at a
 * time. Errors: DUET_E_IO (disk full, locked, read-only; run_end forgets the run, those
 * before it stay), DUET_E_NOT_FOUND (experiment deleted meanwhile), DUET_E_INTERNAL
 * (calls or iterations out of order), DUET_E_NOMEM. */
struct model_sink store_sink(struct store *store, int64_t experiment);

enum store_state { STORE_RUNNING, STORE_DONE, STORE_INTERRUPTED, STORE_FAILED };

/* Marks the end of an experiment. `message`: the error's, or NULL. */
BASE_MUST_USE enum duet_code
store_experiment_end(struct store *store, int64_t experiment, enum store_state state,
                     const struct model_host_load *load, const char *message,
                     struct duet_error *reterr);

/* The schedule whose runs are the experiment's; those of another one stay and are not
 * read. Errors: DUET_E_IO. */
BASE_MUST_USE enum duet_code store_experiment_schedule(struct store *store,
                                                       int64_t experiment,
                                                       enum model_schedule schedule,
                                                       struct duet_error *reterr);

/* The experiments that are regions of this one's iterations (model/observation.h) and
 * have some of both sides, in the order in which they came up; free() the list. */
BASE_MUST_USE enum duet_code
store_experiment_regions(struct store *store, int64_t experiment, int64_t **ret_list,
                         size_t *ret_count, struct duet_error *reterr);

/* The region of this name; *ret_region 0: none. */
BASE_MUST_USE enum duet_code store_region_find(struct store *store, int64_t experiment,
                                               const char *name, int64_t *ret_region,
                                               struct duet_error *reterr);

/* A region that only one side has; number `index` of them. *ret_found false: there are
 * no more. */
struct store_lopsided {
    char name[MODEL_REGION_BYTES];
    enum model_side side;
};
BASE_MUST_USE enum duet_code store_region_lopsided(struct store *store,
                                                   int64_t experiment, uint64_t index,
                                                   struct store_lopsided *ret_lopsided,
                                                   bool *ret_found,
                                                   struct duet_error *reterr);

/* One carrying out of a suite: the experiments of its benchmarks belong to it. */
struct store_suite {
    int64_t id;
    uint64_t seed;
    enum store_state state;
};

/* A new one, which this process has (store_suite_take()); *ret_suite is its row id.
 * `path`: of the suite's file; `benchmarks`: how many are to be measured. */
BASE_MUST_USE enum duet_code store_suite_begin(struct store *store, const char *name,
                                               const char *path, uint64_t seed,
                                               uint64_t benchmarks, const char *version,
                                               int64_t *ret_suite,
                                               struct duet_error *reterr);
/* Marks its end, or that it goes on (STORE_RUNNING). Errors: DUET_E_NOT_FOUND. */
BASE_MUST_USE enum duet_code store_suite_end(struct store *store, int64_t suite,
                                             enum store_state state,
                                             struct duet_error *reterr);
/* The newest of that name and file; *ret_found false: there is none. */
BASE_MUST_USE enum duet_code store_suite_find(struct store *store, const char *name,
                                              const char *path,
                                              struct store_suite *ret_suite,
                                              bool *ret_found,
                                              struct duet_error *reterr);
/* Makes an experiment part of it. `definition`: what its benchmark is, as text that is
 * equal for equal benchmarks. */
BASE_MUST_USE enum duet_code store_suite_add(struct store *store, int64_t suite,
                                             int64_t experiment, const char *definition,
                                             struct duet_error *reterr);
/* The newest experiment of that name and definition in it that is done; 0: none. */
BASE_MUST_USE enum duet_code store_suite_done(struct store *store, int64_t suite,
                                              const char *name, const char *definition,
                                              int64_t *ret_experiment,
                                              struct duet_error *reterr);
/* Takes a suite to go on with it, until the store is closed; who begins one has it.
 * *ret_taken false: another process measures it, *ret_experiment of it, or, when that
 * is 0, sets it up, confirms, or is between two of its benchmarks. */
BASE_MUST_USE enum duet_code store_suite_take(struct store *store, int64_t suite,
                                              bool *ret_taken, int64_t *ret_experiment,
                                              struct duet_error *reterr);

/* Writes runs that were measured by something else, in one transaction: times in ns,
 * kept to the last digit in the table `observation` (what duet measures is in
 * `iteration`). Each run's `run` and `block`, and both sides' values, whose indexes
 * count from 0; nothing is known about processes, CPUs and moments, which read back as
 * 0. Errors: DUET_E_IO, DUET_E_NOT_FOUND (no such experiment), DUET_E_INTERNAL (a run
 * index twice), DUET_E_NOMEM; then none of the runs is there. */
BASE_MUST_USE enum duet_code store_runs_import(struct store *store, int64_t experiment,
                                               const struct model_values *values,
                                               enum model_schedule schedule,
                                               struct duet_error *reterr);

/* What a data set of instances, trials and iterations holds, and what was not taken
 * into it from its files. */
struct store_dataset {
    uint64_t trials; /* 0: the experiment is no data set */
    uint64_t benchmarks;
    uint64_t environments;
    uint64_t iterations; /* pairs, of paired data */
    bool paired;
    uint64_t rows_read; /* 0: not counted */
    uint64_t rows_filtered;
    uint64_t values_missing;
};

/* Writes a data set, in one transaction, as what `experiment` (which has no runs)
 * measured; of `origin` only the last three are looked at. Errors: DUET_E_IO,
 * DUET_E_NOT_FOUND (no such experiment), DUET_E_INTERNAL (it has one already),
 * DUET_E_NOMEM; then nothing of it is there. */
BASE_MUST_USE enum duet_code store_dataset_import(struct store *store,
                                                  int64_t experiment,
                                                  const struct model_dataset *dataset,
                                                  const struct store_dataset *origin,
                                                  struct duet_error *reterr);
/* Adds the data set of `experiment` to what is being built, trial by trial in its own
 * order. environment: for what has none ("-"). Errors: DUET_E_USAGE (one has pairs and
 * the other has not), DUET_E_FORMAT (damaged), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code store_dataset_load(struct store *store, int64_t experiment,
                                                const char *environment,
                                                struct model_dataset_builder *builder,
                                                struct duet_error *reterr);

/* One environment of a data set. */
struct store_dataset_part {
    char environment[256];
    uint64_t benchmarks;
    uint64_t instances;
    uint64_t trials;
    uint64_t iterations;
};
/* *ret_parts, of *ret_count, in alphabetical order; free() it. */
BASE_MUST_USE enum duet_code store_dataset_parts(struct store *store,
                                                 int64_t experiment,
                                                 struct store_dataset_part **ret_parts,
                                                 size_t *ret_count,
                                                 struct duet_error *reterr);

/* Keeps an answer with its experiment (the newest of a metric wins). It is what the
 * stored analysis comes to, so that a list need not analyse again; `version`: of the
 * duet that made it. */
BASE_MUST_USE enum duet_code
store_comparison_save(struct store *store, int64_t experiment,
                      const struct model_comparison *comparison, const char *version,
                      struct duet_error *reterr);

/* Makes another description that of an experiment. Errors: DUET_E_NOT_FOUND. */
BASE_MUST_USE enum duet_code store_analysis_save(struct store *store,
                                                 int64_t experiment,
                                                 const struct model_analysis *analysis,
                                                 struct duet_error *reterr);

/* Experiments that are judged together. */
struct store_family {
    enum model_multiplicity multiplicity;
    double confidence;
    int64_t *members; /* ids, ascending; owned */
    size_t count;
};
void store_family_release(struct store_family *family);
/* Makes one of `members`, in one transaction; they leave the families that they were
 * in. *ret_family: its id. */
BASE_MUST_USE enum duet_code store_family_save(struct store *store,
                                               const struct store_family *family,
                                               int64_t *ret_family,
                                               struct duet_error *reterr);
/* Errors: DUET_E_NOT_FOUND, DUET_E_FORMAT (unknown rule). */
BASE_MUST_USE enum duet_code store_family_load(struct store *store, int64_t id,
                                               struct store_family *ret_family,
                                               struct duet_error *reterr);

/* The last saved comparison in brief. */
struct store_verdict {
    bool known; /* false: none was saved, nothing else is set */
    enum model_verdict verdict;
    double ratio;
    double old_mean_ns;    /* of the old side; NaN: unknown */
    char duet_version[32]; /* that made it; "": before it was recorded */
};

struct store_experiment {
    int64_t id;
    char uuid[37];
    char *name;
    char *commands[MODEL_SIDES]; /* as typed */
    char *names[MODEL_SIDES];
    enum model_schedule schedule;
    enum model_mode mode; /* of its runs */
    enum store_state state;
    char *message; /* why it failed; NULL */
    int64_t started_utc_ms;
    uint64_t seed;
    uint64_t warmup; /* of the plan */
    bool runs_known; /* of the plan; false in stores before it was kept */
    /* How it is to be answered; without one the defaults, with the seed. */
    struct model_analysis analysis;
    bool has_analysis;
    int64_t family;    /* store_family_save(); 0: none */
    int64_t region_of; /* the experiment of whose iterations it is a region; 0: none */
    char region[MODEL_REGION_BYTES]; /* its name; "" */
    struct store_verdict verdict;
    uint64_t runs; /* stored */
    struct store_dataset dataset;
    struct model_host host;
    struct model_host_load load_before;
    struct model_host_load load_after;
    char *duet_version;
};
void store_experiment_release(struct store_experiment *experiment);

/* Whether both sides of an experiment are the same: command, words and hooks. Not of
 * one that is part of a suite, where that is said by its file. */
BASE_MUST_USE enum duet_code store_sides_equal(struct store *store, int64_t experiment,
                                               bool *ret_equal,
                                               struct duet_error *reterr);

/* The same also of one that is part of a suite, whose words and hooks may name the
 * side: there the commands and the folders are the same. */
BASE_MUST_USE enum duet_code store_sides_alike(struct store *store, int64_t experiment,
                                               bool *ret_alike,
                                               struct duet_error *reterr);

/* The experiments of the suite called `suite`, of its newest carrying out or of `all`,
 * in order of their measurement; free() the list. Errors: DUET_E_NOT_FOUND (no such
 * suite, or nothing measured). */
BASE_MUST_USE enum duet_code store_suite_experiments(struct store *store,
                                                     const char *suite, bool all,
                                                     int64_t **ret_list,
                                                     size_t *ret_count,
                                                     struct duet_error *reterr);

/* Those experiments of the carrying out of a suite that this one belongs to that have
 * come to their end, the newest of each benchmark, in order of their measurement;
 * free() the list. *ret_count 0: there are none. *ret_left: benchmarks that have not.
 */
BASE_MUST_USE enum duet_code store_suite_of(struct store *store, int64_t experiment,
                                            int64_t **ret_list, size_t *ret_count,
                                            size_t *ret_left,
                                            struct duet_error *reterr);

/* Finds an experiment by id ("12"), the beginning of its uuid (4 characters or more),
 * its name (the newest), or "last". Errors: DUET_E_NOT_FOUND, DUET_E_USAGE (ambiguous).
 */
BASE_MUST_USE enum duet_code
store_experiment_find(struct store *store, const char *which,
                      struct store_experiment *ret_experiment,
                      struct duet_error *reterr);

/* The experiment of this id. Errors: DUET_E_NOT_FOUND. */
BASE_MUST_USE enum duet_code
store_experiment_load(struct store *store, int64_t experiment,
                      struct store_experiment *ret_experiment,
                      struct duet_error *reterr);

/* All experiments, newest first. *ret_list is one block of *ret_count; release each,
 * then free(). */
BASE_MUST_USE enum duet_code store_experiment_list(struct store *store,
                                                   struct store_experiment **ret_list,
                                                   size_t *ret_count,
                                                   struct duet_error *reterr);

/* Before answers of many experiments, which were read from the store, are made one
 * after the other: has a server send what they need at once, and keeps back what is
 * written from here on until store_settle(). A file needs neither. Errors: DUET_E_IO.
 */
BASE_MUST_USE enum duet_code store_expect(struct store *store,
                                          const int64_t *experiments, size_t count,
                                          struct duet_error *reterr);
/* Sends what was kept back. Errors: DUET_E_IO: nothing of it is kept. */
BASE_MUST_USE enum duet_code store_settle(struct store *store,
                                          struct duet_error *reterr);

/* Reads runs back in order of their index. */
struct store_run_reader;
BASE_MUST_USE enum duet_code store_runs_open(struct store *store, int64_t experiment,
                                             struct store_run_reader **ret_reader,
                                             struct duet_error *reterr);
/* The next run; *ret_more false at the end. */
BASE_MUST_USE enum duet_code store_runs_next(struct store_run_reader *reader,
                                             struct model_run *ret_run, bool *ret_more,
                                             struct duet_error *reterr);
/* The current run's analysed values of `metric` ("time", "cpu_time" in ns or an
 * imported one), fillers left out and, of each side, the iterations with an index below
 * `drop`; of paired schedules only indexes that both sides have. Counts are 0 where the
 * metric was not measured. Errors: DUET_E_NOT_FOUND (no such metric). */
BASE_MUST_USE enum duet_code store_runs_values(struct store_run_reader *reader,
                                               const char *metric, uint64_t drop,
                                               struct model_run_values *ret_values,
                                               struct duet_error *reterr);
/* The same, with no more than `most` values of a side in arrays: of a longer run all
 * are in spools (struct model_run_values). 0: always arrays. */
BASE_MUST_USE enum duet_code store_runs_long_values(struct store_run_reader *reader,
                                                    const char *metric, uint64_t drop,
                                                    size_t most,
                                                    struct model_run_values *ret_values,
                                                    struct duet_error *reterr);
/* What the instance (machine) of the current run is called: its uuid, or, unknown, the
 * number that it has in this store. */
BASE_MUST_USE enum duet_code store_runs_instance(struct store_run_reader *reader,
                                                 char *ret_name, size_t size,
                                                 struct duet_error *reterr);
/* The current run's iterations of one side, fillers included, one at a time and both
 * sides side by side: begins at the first, goes on to the next; *ret_more false, and
 * *ret_iteration as it was, at the end. */
BASE_MUST_USE enum duet_code store_runs_begin(struct store_run_reader *reader,
                                              enum model_side side,
                                              struct duet_error *reterr);
BASE_MUST_USE enum duet_code store_runs_iteration(struct store_run_reader *reader,
                                                  enum model_side side,
                                                  struct model_iteration *ret_iteration,
                                                  bool *ret_more,
                                                  struct duet_error *reterr);
/* Every iteration of one side of the current run, fillers included, one at a time into
 * `visit`; a non-OK return of it ends the walk and is returned. */
BASE_MUST_USE enum duet_code store_runs_visit(
    struct store_run_reader *reader, enum model_side side,
    enum duet_code (*visit)(void *context, const struct model_iteration *iteration,
                            struct duet_error *reterr),
    void *context, struct duet_error *reterr);
void store_runs_close(struct store_run_reader *reader);

/* Every run of an experiment in order of its index, one at a time into `take`, which
 * may ask the reader for the run's values; a non-OK return of it ends the walk and is
 * returned. */
typedef enum duet_code store_run_take(void *context, struct store_run_reader *reader,
                                      const struct model_run *run,
                                      struct duet_error *reterr);
BASE_MUST_USE enum duet_code store_runs_each(struct store *store, int64_t experiment,
                                             store_run_take *take, void *context,
                                             struct duet_error *reterr);
/* The same of the runs of every schedule that it has tried. */
BASE_MUST_USE enum duet_code store_runs_replay(struct store *store, int64_t experiment,
                                               store_run_take *take, void *context,
                                               struct duet_error *reterr);
/* Whether the experiment was resumed with the current run. */
bool store_runs_resumed(const struct store_run_reader *reader);

#endif
