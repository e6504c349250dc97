/* Runs, read back one after the other. Each call asks anew, by key, so that no read
 * transaction stays open between calls: an open one would keep the log from being
 * folded back into the file while another process writes. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const char doing[] = "reading runs";

static const char run_sql[] =
    "SELECT id, idx, environment_id, block, schedule, mode, started_utc_ms, started_ns, ended_ns, "
    "runner_wakeups, slice_ns, EXISTS(SELECT 1 FROM resumption AS s WHERE s.experiment_id = ?1 AND s.idx = "
    "run.idx) FROM run WHERE experiment_id = ?1 AND (idx, environment_id) > (?2, "
    "?3) AND (?4 OR schedule = (SELECT schedule FROM experiment WHERE id = ?1)) ORDER BY idx, "
    "environment_id LIMIT 1";

enum { FIRST_COUNTER_COLUMN = 7, TASKS_COLUMN = FIRST_COUNTER_COLUMN + MODEL_COUNTERS };
static const char side_sql[] =
    "SELECT position, cpu, pid, exit_status, peak_memory_bytes, iterations, fillers, cycles, "
    "instructions, cache_misses, branch_misses, tasks, others_ns, "
    "window_ns FROM run_side WHERE run_id = ? AND side = ?";

static enum duet_code check_experiment(struct store *store, int64_t experiment,
                                       struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, doing, "SELECT id FROM experiment WHERE id = ?");
    store_bind_int(&query, experiment);
    bool row = false;
    enum duet_code code = store_fetch_int(&query, &row, &experiment, reterr);
    if (code == DUET_OK && !row) {
        return error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no experiment %lld",
                         store->path, (long long)experiment);
    }
    return code;
}

enum duet_code store_expect(struct store *store, const int64_t *experiments,
                            size_t count, struct duet_error *reterr)
{
    remote_hold(store, true);
    return remote_need_rows_of(store, experiments, count, reterr);
}

enum duet_code store_settle(struct store *store, struct duet_error *reterr)
{
    remote_hold(store, false);
    return remote_send(store, "saving answers", reterr);
}

enum duet_code store_runs_open(struct store *store, int64_t experiment,
                               struct store_run_reader **ret_reader,
                               struct duet_error *reterr)
{
    enum duet_code code = remote_need_rows(store, experiment, reterr);
    if (code == DUET_OK) {
        code = check_experiment(store, experiment, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct store_run_reader *reader = alloc_array(1, sizeof *reader);
    if (reader == NULL) {
        return store_out_of_memory(store, doing, reterr);
    }
    reader->store = store;
    reader->experiment = experiment;
    reader->index = -1;
    code = store_prepare(store, run_sql, doing, &reader->next_run, reterr);
    if (code == DUET_OK) {
        code = store_prepare(store, side_sql, doing, &reader->side, reterr);
    }
    if (code != DUET_OK) {
        store_runs_close(reader);
        return code;
    }
    *ret_reader = reader;
    return DUET_OK;
}

void store_runs_close(struct store_run_reader *reader)
{
    if (reader != NULL) {
        sqlite3_finalize(reader->next_run);
        sqlite3_finalize(reader->side);
        store_runs_forget_metric(reader);
        for (int side = 0; side < MODEL_SIDES; side++) {
            sqlite3_finalize(reader->visits[side].statement);
        }
        sqlite3_finalize(reader->instance);
        free(reader);
    }
}

static enum duet_code read_run(struct store_run_reader *reader, struct model_run *run,
                               struct duet_error *reterr)
{
    sqlite3_stmt *row = reader->next_run;
    unsigned schedule = 0;
    unsigned mode = 0;
    enum duet_code code = store_column_enum(reader->store, row, 4, model_schedule_name,
                                            MODEL_SCHEDULES, &schedule, reterr);
    if (code == DUET_OK) {
        code = store_column_enum(reader->store, row, 5, model_mode_name, STORE_MODES,
                                 &mode, reterr);
    }
    if (code == DUET_OK) {
        reader->run_id = sqlite3_column_int64(row, 0);
        reader->index = sqlite3_column_int64(row, 1);
        reader->environment = sqlite3_column_int64(row, 2);
        reader->resumed = sqlite3_column_int(row, 11) != 0;
        *run = (struct model_run){
            .index = store_column_count(row, 1),
            .block = store_column_count(row, 3),
            .schedule = (enum model_schedule)schedule,
            .mode = (enum model_mode)mode,
            .started_utc_ms = sqlite3_column_int64(row, 6),
            .started_ns = store_column_count(row, 7),
            .ended_ns = store_column_count(row, 8),
            .runner_wakeups = store_column_count(row, 9),
            .slice_ns = store_column_real(row, 10),
        };
    }
    return code;
}

static enum model_tasks tasks_in(sqlite3_stmt *row, int column)
{
    const char *name = (const char *)sqlite3_column_text(row, column);
    for (int tasks = MODEL_TASKS_ONE; name != NULL && tasks < MODEL_TASKS; tasks++) {
        if (strcmp(name, model_tasks_name((enum model_tasks)tasks)) == 0) {
            return (enum model_tasks)tasks;
        }
    }
    return MODEL_TASKS_UNKNOWN;
}

static enum duet_code read_side(struct store_run_reader *reader, int side,
                                struct model_run_side *ret_side,
                                struct duet_error *reterr)
{
    struct store_query query = store_bind(reader->store, doing, reader->side);
    store_bind_int(&query, reader->run_id);
    store_bind_int(&query, side);
    bool row = false;
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        *ret_side = (struct model_run_side){
            .position = store_column_u32(reader->side, 0),
            .cpu = store_column_u32(reader->side, 1),
            .pid = sqlite3_column_int64(reader->side, 2),
            .exit_status = sqlite3_column_int(reader->side, 3),
            .peak_memory_bytes = store_column_count(reader->side, 4),
            .iterations = store_column_count(reader->side, 5),
            .fillers = store_column_count(reader->side, 6),
        };
        for (int i = 0; i < MODEL_COUNTERS; i++) {
            ret_side->counters[i] =
                store_column_real(reader->side, FIRST_COUNTER_COLUMN + i);
        }
        ret_side->tasks = tasks_in(reader->side, TASKS_COLUMN);
        ret_side->others_ns = store_column_real(reader->side, TASKS_COLUMN + 1);
        ret_side->window_ns = store_column_real(reader->side, TASKS_COLUMN + 2);
    }
    sqlite3_reset(reader->side);
    return code;
}

enum duet_code store_runs_next(struct store_run_reader *reader,
                               struct model_run *ret_run, bool *ret_more,
                               struct duet_error *reterr)
{
    struct store_query query = store_bind(reader->store, doing, reader->next_run);
    store_bind_int(&query, reader->experiment);
    store_bind_int(&query, reader->index);
    store_bind_int(&query, reader->environment);
    store_bind_int(&query, reader->every_schedule);
    bool row = false;
    struct model_run run = {0};
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        code = read_run(reader, &run, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK && row; side++) {
        code = read_side(reader, side, &run.sides[side], reterr);
    }
    sqlite3_reset(reader->next_run);
    if (code != DUET_OK) {
        return code;
    }
    if (row) {
        reader->run = run;
        *ret_run = run;
    }
    *ret_more = row;
    return DUET_OK;
}

enum duet_code store_runs_instance(struct store_run_reader *reader, char *ret_name,
                                   size_t size, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    if (reader->instance == NULL) {
        code = store_prepare(
            reader->store,
            "SELECT ifnull(i.uuid, 'instance ' || i.id) FROM environment AS v JOIN instance AS i ON i.id = "
            "v.instance_id WHERE v.id = ?",
            doing, &reader->instance, reterr);
    }
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_bind(reader->store, doing, reader->instance);
    store_bind_int(&query, reader->environment);
    bool row = false;
    code = store_step(&query, &row, reterr);
    if (code == DUET_OK && !row) {
        code = error_set(reterr, DUET_E_INTERNAL, "store '%s': no run has been read",
                         reader->store->path);
    }
    if (code == DUET_OK) {
        store_column_text(reader->instance, 0, ret_name, size);
    }
    sqlite3_reset(reader->instance);
    return code;
}

static enum duet_code each_of(struct store *store, int64_t experiment,
                              bool every_schedule, store_run_take *take, void *context,
                              struct duet_error *reterr)
{
    struct store_run_reader *reader = NULL;
    enum duet_code code = store_runs_open(store, experiment, &reader, reterr);
    bool more = code == DUET_OK;
    if (more) {
        reader->every_schedule = every_schedule;
    }
    while (more) {
        struct model_run run = {0};
        code = store_runs_next(reader, &run, &more, reterr);
        if (code == DUET_OK && more) {
            code = take(context, reader, &run, reterr);
        }
        more = more && code == DUET_OK;
    }
    store_runs_close(reader);
    return code;
}

enum duet_code store_runs_each(struct store *store, int64_t experiment,
                               store_run_take *take, void *context,
                               struct duet_error *reterr)
{
    return each_of(store, experiment, false, take, context, reterr);
}

enum duet_code store_runs_replay(struct store *store, int64_t experiment,
                                 store_run_take *take, void *context,
                                 struct duet_error *reterr)
{
    return each_of(store, experiment, true, take, context, reterr);
}

bool store_runs_resumed(const struct store_run_reader *reader)
{
    return reader->resumed;
}
