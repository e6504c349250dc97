/* The measurements of the run that a reader stands at. */
#include "store/store_private.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const char doing[] = "reading a run's data";

static enum duet_code need_run(const struct store_run_reader *reader,
                               struct duet_error *reterr)
{
    return reader->run_id != 0
               ? DUET_OK
               : error_set(reterr, DUET_E_INTERNAL,
                           "store '%s': no run has been read yet", reader->store->path);
}

/* One side's values in order of the iteration. */
struct cursor {
    struct store_query query;
    bool row;
    int64_t index;
    double value; /* of one operation */
    double operations;
    struct model_idle idle; /* zeroed: not a time that duet measured */
};

/* Whether values of this statement have an idle time: those of time_sql. */
enum { INDEX, TIME, CPU_TIME, SWITCHES, TAKEN, FLAGS, OPERATIONS, TIME_COLUMNS };
enum { MEASURED_COLUMNS = 3 }; /* the fewest that end with the operations */
static bool has_idle(sqlite3_stmt *row)
{
    return sqlite3_column_count(row) == TIME_COLUMNS;
}

/* Of an imported time nothing is known. */
static struct model_idle idle_in(sqlite3_stmt *row)
{
    bool measured = sqlite3_column_type(row, CPU_TIME) != SQLITE_NULL;
    const struct model_iteration iteration = {
        .end_ns = store_column_count(row, TIME),
        .cpu_ns = store_column_count(row, CPU_TIME),
        .voluntary_switches = store_column_u32(row, SWITCHES),
        .flags = measured ? store_column_u32(row, FLAGS) : MODEL_ITERATION_NO_USAGE,
        .taken_ns = store_column_count(row, TAKEN),
    };
    return model_iteration_idle(&iteration);
}

static enum duet_code cursor_step(struct cursor *cursor, struct duet_error *reterr)
{
    enum duet_code code = store_step(&cursor->query, &cursor->row, reterr);
    if (code == DUET_OK && cursor->row) {
        sqlite3_stmt *row = cursor->query.statement;
        cursor->index = sqlite3_column_int64(row, 0);
        int columns = sqlite3_column_count(row);
        uint64_t operations =
            columns < MEASURED_COLUMNS ? 0 : store_column_count(row, columns - 1);
        cursor->operations = operations == 0 ? 1.0 : (double)operations;
        cursor->value = sqlite3_column_double(row, 1) / cursor->operations;
        if (has_idle(row)) {
            cursor->idle = idle_in(row);
        }
    }
    return code;
}

/* Times are in `iteration` where duet measured them and in `observation` where they
 * were imported; a run has one or the other. */
static const char time_sql[] =
    "SELECT idx, end_ns - start_ns, cpu_ns, voluntary_switches, taken_ns, "
    "flags, operations FROM iteration WHERE run_id = ?1 AND side = ?2 AND idx >= ?3 AND filler = 0 UNION "
    "ALL SELECT idx, value, NULL, NULL, NULL, NULL, NULL FROM observation WHERE run_id = ?1 AND side = ?2 AND metric_id = "
    "1 AND idx >= ?3 ORDER BY idx";
static const char cpu_time_sql[] =
    "SELECT idx, cpu_ns, operations FROM iteration WHERE run_id = ?1 AND side = ?2 AND idx >= ?3 AND filler = 0 AND "
    "cpu_ns IS NOT NULL ORDER BY idx";
static const char other_sql[] =
    "SELECT idx, value FROM observation WHERE run_id = ?1 AND side = ?2 AND metric_id = (SELECT id FROM "
    "metric WHERE name = ?4) AND idx >= ?3 ORDER BY idx";

static const char *sql_for(const char *metric)
{
    if (strcmp(metric, "time") == 0) {
        return time_sql;
    }
    return strcmp(metric, "cpu_time") == 0 ? cpu_time_sql : other_sql;
}

static enum duet_code cursor_open(struct store_run_reader *reader, int side,
                                  uint64_t drop, struct cursor *cursor,
                                  struct duet_error *reterr)
{
    struct store_query *query = &cursor->query;
    *query = store_bind(reader->store, doing, reader->values[side]);
    store_bind_int(query, reader->run_id);
    store_bind_int(query, side);
    store_bind_count(query, drop);
    if (sql_for(reader->metric) == other_sql) {
        store_bind_string(query, reader->metric);
    }
    return cursor_step(cursor, reterr);
}

static enum duet_code check_metric(struct store *store, const char *metric,
                                   struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, doing, "SELECT id FROM metric WHERE name = ?");
    store_bind_string(&query, metric);
    bool row = false;
    int64_t id = 0;
    enum duet_code code = store_fetch_int(&query, &row, &id, reterr);
    if (code == DUET_OK && !row) {
        return error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no metric '%s'",
                         store->path, metric);
    }
    return code;
}

void store_runs_forget_metric(struct store_run_reader *reader)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        sqlite3_finalize(reader->values[side]);
        reader->values[side] = NULL;
    }
    free(reader->metric);
    reader->metric = NULL;
}

/* Makes the statements that read `metric`, unless they are there. */
static enum duet_code use_metric(struct store_run_reader *reader, const char *metric,
                                 struct duet_error *reterr)
{
    if (reader->metric != NULL && strcmp(reader->metric, metric) == 0) {
        return DUET_OK;
    }
    store_runs_forget_metric(reader);
    enum duet_code code = check_metric(reader->store, metric, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = store_prepare(reader->store, sql_for(metric), doing,
                             &reader->values[side], reterr);
    }
    if (code == DUET_OK) {
        reader->metric = alloc_string(metric);
        if (reader->metric == NULL) {
            code = store_out_of_memory(reader->store, doing, reterr);
        }
    }
    if (code != DUET_OK) {
        store_runs_forget_metric(reader);
    }
    return code;
}

static enum duet_code gather(const struct store *store,
                             struct model_run_gather *reading, int side,
                             const struct cursor *cursor, struct duet_error *reterr)
{
    struct duet_error why;
    enum duet_code code = model_run_gather_add(
        reading, (enum model_side)side, cursor->value,
        has_idle(cursor->query.statement) ? &cursor->idle : NULL, &why);
    reading->values.operations[side] += cursor->operations; /* their mean in the end */
    return code == DUET_OK
               ? code
               : error_set(reterr, code, "store '%s': %s", store->path, why.message);
}

/* run_side says how many values a side has, unless its metric is one that not every
 * iteration has. The number is only believed up to a bound: the file is not ours. */
static enum duet_code reserve(const struct store_run_reader *reader,
                              struct model_run_gather *reading,
                              struct duet_error *reterr)
{
    enum { BELIEVED_MAX = 1 << 16 };
    for (int side = 0; side < MODEL_SIDES; side++) {
        uint64_t said = reader->run.sides[side].iterations;
        size_t most = reading->most > 0 ? reading->most : BELIEVED_MAX;
        size_t capacity = said < most ? (size_t)said : most;
        double *values = alloc_array(capacity, sizeof *values);
        reading->values.values[side] = values;
        bool idle = has_idle(reader->values[side]);
        reading->values.idle[side] =
            idle ? alloc_array(capacity, sizeof *reading->values.idle[side]) : NULL;
        if (values == NULL || (idle && reading->values.idle[side] == NULL)) {
            return error_set(reterr, DUET_E_NOMEM,
                             "store '%s': no memory for the %zu values of run %llu",
                             reader->store->path, capacity,
                             (unsigned long long)reader->run.index + 1);
        }
        reading->capacities[side] = capacity;
    }
    return DUET_OK;
}

/* Pairs: the indexes that both sides have. */
static enum duet_code gather_pairs(struct store *store,
                                   struct cursor cursors[MODEL_SIDES],
                                   struct model_run_gather *reading,
                                   struct duet_error *reterr)
{
    struct cursor *old_side = &cursors[MODEL_OLD];
    struct cursor *new_side = &cursors[MODEL_NEW];
    enum duet_code code = DUET_OK;
    while (code == DUET_OK && old_side->row && new_side->row) {
        int64_t ahead = old_side->index - new_side->index;
        if (ahead == 0) {
            code = gather(store, reading, MODEL_OLD, old_side, reterr);
            if (code == DUET_OK) {
                code = gather(store, reading, MODEL_NEW, new_side, reterr);
            }
        }
        if (code == DUET_OK && ahead <= 0) {
            code = cursor_step(old_side, reterr);
        }
        if (code == DUET_OK && ahead >= 0) {
            code = cursor_step(new_side, reterr);
        }
    }
    return code;
}

static enum duet_code gather_side(struct store *store, struct cursor *cursor, int side,
                                  struct model_run_gather *reading,
                                  struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    while (code == DUET_OK && cursor->row) {
        code = gather(store, reading, side, cursor, reterr);
        if (code == DUET_OK) {
            code = cursor_step(cursor, reterr);
        }
    }
    return code;
}

static enum duet_code gather_all(struct store_run_reader *reader,
                                 struct cursor cursors[MODEL_SIDES],
                                 struct model_run_gather *reading,
                                 struct duet_error *reterr)
{
    if (model_schedule_is_paired(reader->run.schedule)) {
        return gather_pairs(reader->store, cursors, reading, reterr);
    }
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = gather_side(reader->store, &cursors[side], side, reading, reterr);
    }
    return code;
}

static void describe(const struct store_run_reader *reader,
                     struct model_run_values *values)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct model_run_side *from = &reader->run.sides[side];
        if (values->counts[side] > 0) {
            values->operations[side] /= (double)values->counts[side];
        }
        values->single[side] = from->tasks == MODEL_TASKS_ONE;
        values->others_ns[side] = from->others_ns;
        values->window_ns[side] = from->window_ns;
    }
}

enum duet_code store_runs_long_values(struct store_run_reader *reader,
                                      const char *metric, uint64_t drop, size_t most,
                                      struct model_run_values *ret_values,
                                      struct duet_error *reterr)
{
    struct model_run_gather reading = {
        .most = most,
        .values = {.run = reader->run.index,
                   .block = reader->run.block,
                   .old_position = reader->run.sides[MODEL_OLD].position}};
    struct cursor cursors[MODEL_SIDES] = {0};
    enum duet_code code = need_run(reader, reterr);
    if (code == DUET_OK) {
        code = use_metric(reader, metric, reterr);
    }
    if (code == DUET_OK) {
        code = reserve(reader, &reading, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = cursor_open(reader, side, drop, &cursors[side], reterr);
    }
    if (code == DUET_OK) {
        code = gather_all(reader, cursors, &reading, reterr);
    }
    for (int side = 0; side < MODEL_SIDES; side++) {
        sqlite3_reset(
            cursors[side].query.statement); /* no read transaction stays open */
    }
    if (code != DUET_OK) {
        model_run_values_release(&reading.values);
        return code;
    }
    describe(reader, &reading.values);
    *ret_values = reading.values;
    return DUET_OK;
}

enum duet_code store_runs_values(struct store_run_reader *reader, const char *metric,
                                 uint64_t drop, struct model_run_values *ret_values,
                                 struct duet_error *reterr)
{
    return store_runs_long_values(reader, metric, drop, 0, ret_values, reterr);
}

static const char visit_sql[] =
    "SELECT idx, start_ns, end_ns, cpu_ns, user_ns, system_ns, voluntary_switches, involuntary_switches, "
    "minor_faults, major_faults, cpu, flags, exit_status, taken_ns, operations FROM iteration WHERE run_id = ? "
    "AND side = ? ORDER BY idx, filler";

enum duet_code store_runs_begin(struct store_run_reader *reader, enum model_side side,
                                struct duet_error *reterr)
{
    enum duet_code code = need_run(reader, reterr);
    struct store_query *visit = &reader->visits[side];
    if (code == DUET_OK && visit->statement == NULL) {
        code =
            store_prepare(reader->store, visit_sql, doing, &visit->statement, reterr);
    }
    if (code == DUET_OK) {
        *visit = store_bind(reader->store, doing, visit->statement);
        store_bind_int(visit, reader->run_id);
        store_bind_int(visit, side);
    }
    return code;
}

enum duet_code store_runs_iteration(struct store_run_reader *reader,
                                    enum model_side side,
                                    struct model_iteration *ret_iteration,
                                    bool *ret_more, struct duet_error *reterr)
{
    sqlite3_stmt *row = reader->visits[side].statement;
    enum duet_code code = store_step(&reader->visits[side], ret_more, reterr);
    if (code != DUET_OK || !*ret_more) {
        sqlite3_reset(row); /* no read transaction stays open */
        return code;
    }
    *ret_iteration = (struct model_iteration){
        .index = store_column_count(row, 0),
        .start_ns = store_column_count(row, 1),
        .end_ns = store_column_count(row, 2),
        .cpu_ns = store_column_count(row, 3),
        .user_ns = store_column_count(row, 4),
        .system_ns = store_column_count(row, 5),
        .voluntary_switches = store_column_u32(row, 6),
        .involuntary_switches = store_column_u32(row, 7),
        .minor_faults = store_column_u32(row, 8),
        .major_faults = store_column_u32(row, 9),
        .cpu = store_column_u32(row, 10),
        .flags = store_column_u32(row, 11),
        .exit_status = sqlite3_column_int(row, 12),
        .taken_ns = store_column_count(row, 13),
        .operations = store_column_count(row, 14),
    };
    return DUET_OK;
}

enum duet_code store_runs_visit(
    struct store_run_reader *reader, enum model_side side,
    enum duet_code (*visit)(void *context, const struct model_iteration *it,
                            struct duet_error *reterr),
    void *context, struct duet_error *reterr)
{
    enum duet_code code = store_runs_begin(reader, side, reterr);
    bool more = code == DUET_OK;
    while (more && code == DUET_OK) {
        struct model_iteration iteration;
        code = store_runs_iteration(reader, side, &iteration, &more, reterr);
        if (code == DUET_OK && more) {
            code = visit(context, &iteration, reterr);
        }
    }
    sqlite3_reset(reader->visits[side].statement);
    return code;
}
