/* Runs on their way into the store. What a run yields is queued outside the database
 * until the run ends, so that the write lock, which only one process at a time can
 * have, is held for the saving and not for the measuring; and so that SQLite does no
 * work while the sides of a run wait for each other. */
#include "store/store_private.h"

#include "base/alloc.h"
#include "base/text.h"
#include "store/store_watch.h"

#include <stdlib.h>

/* Rows of one INSERT. One row a statement costs twice the time: each execution opens
 * the table's cursor and searches from its root. */
enum { BATCH = 50, ITERATION_COLUMNS = 16 };

static const char doing[] = "saving a run";

/* What a program has printed, on its way: of one metric a run and side. */
struct observed {
    char *metric; /* NULL: nothing */
    double value;
};

struct store_writer {
    bool in_run;
    struct observed observed[MODEL_SIDES];
    struct store_spill spills[MODEL_SIDES];
    struct region {
        int64_t experiment; /* 0: not known yet */
        struct store_spill spills[MODEL_SIDES];
    } regions[MODEL_REGIONS_MAX];
    sqlite3_stmt *insert_run;
    sqlite3_stmt *insert_side;
    sqlite3_stmt *insert_one;
    sqlite3_stmt *insert_batch;
};

static const char run_sql[] =
    "INSERT INTO run(id, uuid, experiment_id, environment_id, idx, block, schedule, mode, started_utc_ms, "
    "started_ns, ended_ns, runner_wakeups, slice_ns) VALUES(duet_new_id('run'), ?1, ?2, "
    "(SELECT max(id) FROM environment WHERE experiment_id = ?2), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

static const char side_sql[] =
    "INSERT INTO run_side(run_id, side, position, cpu, pid, exit_status, peak_memory_bytes, iterations, "
    "fillers, cycles, instructions, cache_misses, branch_misses, tasks, others_ns, window_ns) VALUES(?, "
    "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/* ?1 and ?2, run and side, serve all rows of a batch. */
static char *iteration_sql(size_t rows)
{
    struct text sql = {0};
    text_append(
        &sql,
        "INSERT INTO iteration(run_id, side, idx, filler, start_ns, end_ns, cpu_ns, user_ns, system_ns, "
        "voluntary_switches, involuntary_switches, minor_faults, major_faults, taken_ns, operations, cpu, "
        "flags, exit_status) VALUES");
    for (size_t row = 0; row < rows; row++) {
        text_append(&sql, row == 0 ? "(?1, ?2" : ", (?1, ?2");
        for (int column = 0; column < ITERATION_COLUMNS; column++) {
            text_append(&sql, ", ?");
        }
        text_append_char(&sql, ')');
    }
    return text_take(&sql);
}

static enum duet_code prepare_rows(struct store *store, size_t rows,
                                   sqlite3_stmt **ret_statement,
                                   struct duet_error *reterr)
{
    char *sql = iteration_sql(rows);
    if (sql == NULL) {
        return store_out_of_memory(store, doing, reterr);
    }
    enum duet_code code = store_prepare(store, sql, doing, ret_statement, reterr);
    free(sql);
    return code;
}

static enum duet_code prepare_all(struct store *store, struct store_writer *writer,
                                  struct duet_error *reterr)
{
    enum duet_code code =
        store_prepare(store, run_sql, doing, &writer->insert_run, reterr);
    if (code == DUET_OK) {
        code = store_prepare(store, side_sql, doing, &writer->insert_side, reterr);
    }
    if (code == DUET_OK) {
        code = prepare_rows(store, 1, &writer->insert_one, reterr);
    }
    if (code == DUET_OK) {
        code = prepare_rows(store, BATCH, &writer->insert_batch, reterr);
    }
    return code;
}

static enum duet_code make_writer(struct store *store, struct duet_error *reterr)
{
    struct store_writer *writer = alloc_array(1, sizeof *writer);
    if (writer == NULL) {
        return store_out_of_memory(store, doing, reterr);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        writer->spills[side].fd = -1;
        for (size_t i = 0; i < MODEL_REGIONS_MAX; i++) {
            writer->regions[i].spills[side].fd = -1;
        }
    }
    enum duet_code code = prepare_all(store, writer, reterr);
    if (code != DUET_OK) {
        store_writer_free(writer);
        return code;
    }
    store->writer = writer;
    return DUET_OK;
}

void store_writer_free(struct store_writer *writer)
{
    if (writer != NULL) {
        sqlite3_finalize(writer->insert_run);
        sqlite3_finalize(writer->insert_side);
        sqlite3_finalize(writer->insert_one);
        sqlite3_finalize(writer->insert_batch);
        for (int side = 0; side < MODEL_SIDES; side++) {
            store_spill_release(&writer->spills[side]);
            for (size_t i = 0; i < MODEL_REGIONS_MAX; i++) {
                store_spill_release(&writer->regions[i].spills[side]);
            }
            free(writer->observed[side].metric);
        }
        free(writer);
    }
}

static void forget_run(struct store_writer *writer)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        store_spill_clear(&writer->spills[side]);
        for (size_t i = 0; i < MODEL_REGIONS_MAX; i++) {
            store_spill_clear(&writer->regions[i].spills[side]);
        }
        free(writer->observed[side].metric);
        writer->observed[side].metric = NULL;
    }
    writer->in_run = false;
}

static enum duet_code sink_run_begin(void *context, const struct model_run *run,
                                     struct duet_error *reterr)
{
    struct store *store = context;
    if (store->writer == NULL) {
        enum duet_code code = make_writer(store, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    if (store->writer->in_run) {
        return error_set(reterr, DUET_E_INTERNAL,
                         "store '%s': run %llu begins before the one before it ended",
                         store->path, (unsigned long long)run->index + 1);
    }
    store->writer->in_run = true;
    return DUET_OK;
}

static enum duet_code sink_iterations(void *context, enum model_side side,
                                      const struct model_iteration *iterations,
                                      size_t count, struct duet_error *reterr)
{
    struct store *store = context;
    if (store->writer == NULL || !store->writer->in_run) {
        return error_set(reterr, DUET_E_INTERNAL,
                         "store '%s': iterations outside of a run", store->path);
    }
    enum duet_code code = DUET_OK;
    for (size_t first = 0, next = 0; first < count && code == DUET_OK; first = next) {
        uint32_t region = iterations[first].region;
        while (next < count && iterations[next].region == region) {
            next++;
        }
        struct store_spill *spill =
            region == 0 ? &store->writer->spills[side]
                        : &store->writer->regions[region - 1].spills[side];
        code = store_spill_put(spill, store->path, &iterations[first], next - first,
                               reterr);
    }
    return code;
}

/* Where a side's rows have got to. */
struct progress {
    bool any;
    uint64_t index; /* of the row before */
    uint64_t filler;
    uint64_t iterations;
    uint64_t fillers;
};

static void bind_usage(struct store_query *query, const struct model_iteration *it)
{
    const uint64_t fields[] = {it->cpu_ns,
                               it->user_ns,
                               it->system_ns,
                               it->voluntary_switches,
                               it->involuntary_switches,
                               it->minor_faults,
                               it->major_faults,
                               it->taken_ns};
    bool measured = (it->flags & MODEL_ITERATION_NO_USAGE) == 0;
    bool timed = (it->flags & MODEL_ITERATION_CPU_KNOWN) != 0;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (measured || (i == 0 && timed)) {
            store_bind_count(query, fields[i]);
        } else {
            store_bind_known(query, -1);
        }
    }
}

static void bind_iteration(struct store_query *query, const struct model_iteration *it,
                           uint64_t filler)
{
    store_bind_count(query, it->index);
    store_bind_count(query, filler);
    store_bind_count(query, it->start_ns);
    store_bind_count(query, it->end_ns);
    bind_usage(query, it);
    store_bind_count(query, it->operations == 0 ? 1 : it->operations);
    store_bind_int(query, it->cpu);
    store_bind_int(query, it->flags);
    store_bind_int(query, it->exit_status);
}

/* Counts the row and gives it its place among the rows of its index: 0 for the
 * observation, 1 and up for fillers. */
static enum duet_code number_row(const struct store *store, struct progress *progress,
                                 const struct model_iteration *it,
                                 struct duet_error *reterr)
{
    if (progress->any && it->index < progress->index) {
        return error_set(reterr, DUET_E_INTERNAL,
                         "store '%s': iteration %llu came after iteration %llu",
                         store->path, (unsigned long long)it->index + 1,
                         (unsigned long long)progress->index + 1);
    }
    if (!progress->any || it->index != progress->index) {
        progress->filler = 0;
    }
    if ((it->flags & MODEL_ITERATION_FILLER) != 0) {
        progress->filler++;
        progress->fillers++;
    } else {
        progress->iterations++;
    }
    progress->any = true;
    progress->index = it->index;
    return DUET_OK;
}

static enum duet_code insert_rows(struct store *store, int64_t run_id, int side,
                                  const struct model_iteration *its, size_t count,
                                  struct progress *progress, struct duet_error *reterr)
{
    struct store_writer *writer = store->writer;
    enum duet_code code = DUET_OK;
    while (code == DUET_OK && count > 0) {
        size_t rows = count < BATCH ? 1 : BATCH;
        struct store_query query = store_bind(
            store, doing, rows == 1 ? writer->insert_one : writer->insert_batch);
        store_bind_int(&query, run_id);
        store_bind_int(&query, side);
        for (size_t i = 0; i < rows && code == DUET_OK; i++) {
            bool filler = (its[i].flags & MODEL_ITERATION_FILLER) != 0;
            code = number_row(store, progress, &its[i], reterr);
            bind_iteration(&query, &its[i], filler ? progress->filler : 0);
        }
        if (code == DUET_OK) {
            code = store_run(&query, reterr);
        }
        its += rows;
        count -= rows;
    }
    return code;
}

static enum duet_code insert_side(struct store *store, int64_t run_id, int side,
                                  const struct model_run_side *run_side,
                                  struct store_spill *spill, struct duet_error *reterr)
{
    struct progress progress = {0};
    enum duet_code code = DUET_OK;
    size_t count = 1;
    while (code == DUET_OK && count > 0) {
        const struct model_iteration *its = NULL;
        code = store_spill_take(spill, store->path, &its, &count, reterr);
        if (code == DUET_OK) {
            code = insert_rows(store, run_id, side, its, count, &progress, reterr);
        }
    }
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_bind(store, doing, store->writer->insert_side);
    store_bind_int(&query, run_id);
    store_bind_int(&query, side);
    store_bind_int(&query, run_side->position);
    store_bind_int(&query, run_side->cpu);
    store_bind_int(&query, run_side->pid);
    store_bind_int(&query, run_side->exit_status);
    store_bind_count(&query, run_side->peak_memory_bytes);
    store_bind_count(&query, progress.iterations);
    /* Who measures may count fillers without keeping what each of them took. */
    store_bind_count(&query, progress.fillers > run_side->fillers ? progress.fillers
                                                                  : run_side->fillers);
    for (int i = 0; i < MODEL_COUNTERS; i++) {
        store_bind_real(&query, run_side->counters[i]);
    }
    store_bind_string(&query, run_side->tasks == MODEL_TASKS_UNKNOWN
                                  ? NULL
                                  : model_tasks_name(run_side->tasks));
    store_bind_real(&query, run_side->others_ns);
    store_bind_real(&query, run_side->window_ns);
    return store_run(&query, reterr);
}

enum duet_code store_sink_observe(struct store *store, enum model_side side,
                                  const char *metric, double value,
                                  struct duet_error *reterr)
{
    if (store->writer == NULL || !store->writer->in_run) {
        return error_set(reterr, DUET_E_INTERNAL,
                         "store '%s': an observation outside of a run", store->path);
    }
    struct observed *observed = &store->writer->observed[side];
    char *copy = alloc_string(metric);
    if (copy == NULL) {
        return store_out_of_memory(store, doing, reterr);
    }
    free(observed->metric);
    *observed = (struct observed){copy, value};
    return DUET_OK;
}

static enum duet_code insert_observed(struct store *store, int64_t run_id, int side,
                                      struct duet_error *reterr)
{
    const struct observed *observed = &store->writer->observed[side];
    if (observed->metric == NULL) {
        return DUET_OK;
    }
    struct store_query query = store_ask(
        store, doing,
        "INSERT INTO observation(run_id, side, metric_id, idx, value) SELECT ?, ?, id, 0, ? "
        "FROM metric WHERE name = ?");
    store_bind_int(&query, run_id);
    store_bind_int(&query, side);
    store_bind_real(&query, observed->value);
    store_bind_string(&query, observed->metric);
    enum duet_code code = store_run_once(&query, reterr);
    if (code == DUET_OK && sqlite3_changes(store->db) == 0) {
        code = error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no metric '%s'",
                         store->path, observed->metric);
    }
    return code;
}

static enum duet_code insert_run(struct store *store, int64_t experiment,
                                 const struct model_run *run, struct duet_error *reterr)
{
    char uuid[37];
    enum duet_code code = store_uuid_make(uuid, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_bind(store, doing, store->writer->insert_run);
    store_bind_string(&query, uuid);
    store_bind_int(&query, experiment);
    store_bind_count(&query, run->index);
    store_bind_count(&query, run->block);
    store_bind_string(&query, model_schedule_name(run->schedule));
    store_bind_string(&query, model_mode_name(run->mode));
    store_bind_int(&query, run->started_utc_ms);
    store_bind_count(&query, run->started_ns);
    store_bind_count(&query, run->ended_ns);
    store_bind_count(&query, run->runner_wakeups);
    store_bind_real(&query, run->slice_ns);
    code = store_run(&query, reterr);
    if (code == DUET_OK) {
        return DUET_OK;
    }
    if (sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_NOTNULL) {
        return error_set(
            reterr, DUET_E_NOT_FOUND,
            "store '%s': experiment %lld, which run %llu belongs to, is not there (deleted meanwhile?)",
            store->path, (long long)experiment, (unsigned long long)run->index + 1);
    }
    if (sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_UNIQUE) {
        return error_set(reterr, DUET_E_INTERNAL,
                         "store '%s': experiment %lld has a run %llu already",
                         store->path, (long long)experiment,
                         (unsigned long long)run->index + 1);
    }
    return code;
}

/* The run, with what each side has spilled. *ret_run_id: its row. */
static enum duet_code insert_all(struct store *store, int64_t experiment,
                                 const struct model_run *run,
                                 struct store_spill spills[MODEL_SIDES],
                                 int64_t *ret_run_id, struct duet_error *reterr)
{
    enum duet_code code = insert_run(store, experiment, run, reterr);
    *ret_run_id = sqlite3_last_insert_rowid(store->db);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = insert_side(store, *ret_run_id, side, &run->sides[side], &spills[side],
                           reterr);
    }
    return code;
}

static bool is_empty(const struct store_spill *spill)
{
    return spill->buffered == 0 && spill->filed == 0;
}

/* Each region's iterations into the experiment that is its own. */
static enum duet_code insert_regions(struct store *store, const struct model_run *run,
                                     struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (uint32_t i = 0; i < run->region_count && code == DUET_OK; i++) {
        struct region *region = &store->writer->regions[i];
        if (is_empty(&region->spills[MODEL_OLD]) &&
            is_empty(&region->spills[MODEL_NEW])) {
            continue;
        }
        int64_t run_id = 0;
        if (region->experiment == 0) {
            code = store_region_make(store, store->sink_experiment, run->regions[i],
                                     &region->experiment, reterr);
        }
        if (code == DUET_OK) {
            code = insert_all(store, region->experiment, run, region->spills, &run_id,
                              reterr);
        }
    }
    return code;
}

/* Experiments that were made in a transaction that failed, or for another sink. */
static void forget_regions(struct store_writer *writer)
{
    for (size_t i = 0; i < MODEL_REGIONS_MAX; i++) {
        writer->regions[i].experiment = 0;
    }
}

static enum duet_code sink_run_end(void *context, const struct model_run *run,
                                   struct duet_error *reterr)
{
    struct store *store = context;
    if (store->writer == NULL || !store->writer->in_run) {
        return error_set(reterr, DUET_E_INTERNAL,
                         "store '%s': run %llu ends without having begun", store->path,
                         (unsigned long long)run->index + 1);
    }
    int64_t run_id = 0;
    enum duet_code code = store_begin(store, doing, reterr);
    if (code == DUET_OK) {
        code = insert_all(store, store->sink_experiment, run, store->writer->spills,
                          &run_id, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = insert_observed(store, run_id, side, reterr);
    }
    if (code == DUET_OK) {
        code = insert_regions(store, run, reterr);
    }
    code = store_end_run(store, code, doing, reterr);
    if (code != DUET_OK) {
        forget_regions(store->writer);
    }
    forget_run(store->writer);
    return code;
}

static void sink_run_abort(void *context)
{
    struct store *store = context;
    if (store->writer != NULL) {
        forget_run(store->writer);
    }
}

struct model_sink store_sink(struct store *store, int64_t experiment)
{
    store->sink_experiment = experiment;
    if (store->writer != NULL) {
        forget_regions(store->writer);
    }
    return (struct model_sink){
        .context = store,
        .run_begin = sink_run_begin,
        .iterations = sink_iterations,
        .run_end = sink_run_end,
        .run_abort = sink_run_abort,
    };
}
