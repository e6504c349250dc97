#include "store/store_merge.h"

#include "base/text.h"
#include "store/postgresql/remote.h"
#include "store/store_merge_private.h"
#include "store/store_private.h"
#include "store/store_watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Which rows: store_merge_private.h explains the maps ---- */

static const char maps[] =
    "CREATE TEMP TABLE pick(id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE map_experiment(old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL);"
    "CREATE TEMP TABLE map_suite_run(old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL);"
    "CREATE TEMP TABLE map_family(old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL);"
    "CREATE TEMP TABLE map_instance(old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL);"
    "CREATE TEMP TABLE map_environment(old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL);"
    "CREATE TEMP TABLE map_run(old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL);"
    "CREATE TEMP TABLE map_comparison(old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL);"
    "CREATE TEMP TABLE map_metric(old INTEGER PRIMARY KEY, new INTEGER NOT NULL, fresh INTEGER NOT NULL);";

static const char no_maps[] =
    "DROP TABLE temp.pick;DROP TABLE temp.map_experiment;DROP TABLE temp.map_suite_run;DROP TABLE "
    "temp.map_family;DROP TABLE temp.map_instance;DROP TABLE temp.map_environment;DROP TABLE "
    "temp.map_run;DROP TABLE temp.map_comparison;DROP TABLE temp.map_metric;";

/* What goes with the picked ones: the whole of a region, what was judged together, what
 * was measured for them, and regions. */
static const char pick_more[] =
    "INSERT OR IGNORE INTO temp.pick SELECT region_of FROM other.experiment WHERE region_of IS NOT NULL AND "
    "id IN (SELECT id FROM temp.pick);"
    "INSERT OR IGNORE INTO temp.pick SELECT id FROM other.experiment WHERE family_id IN (SELECT family_id "
    "FROM other.experiment WHERE id IN (SELECT id FROM temp.pick));"
    "INSERT OR IGNORE INTO temp.pick SELECT experiment_id FROM other.companion WHERE of_experiment_id IN "
    "(SELECT id FROM temp.pick);"
    "INSERT OR IGNORE INTO temp.pick SELECT id FROM other.experiment WHERE region_of IN (SELECT id FROM "
    "temp.pick);";

/* ---- What is copied as it is, but for numbers ---- */

struct copy {
    const char *table;
    const char *column; /* that says whose it is, or its own number */
    const char *map;    /* in which that column's numbers are */
    bool grown;         /* also of what has grown, in place of what is here */
    bool owns;          /* it has a number to which nothing refers */
};

static const struct copy copies[] = {
    {"suite_run", "id", "suite_run", false, false},
    {"family", "id", "family", false, false},
    {"instance", "id", "instance", false, false},
    {"experiment", "id", "experiment", false, false},
    {"side", "experiment_id", "experiment", false, false},
    {"environment", "id", "environment", false, false},
    {"environment_load", "environment_id", "environment", true, false},
    {"run", "id", "run", false, false},
    {"run_side", "run_id", "run", false, false},
    {"iteration", "run_id", "run", false, false},
    {"observation", "run_id", "run", false, false},
    {"comparison", "id", "comparison", false, false},
    {"comparison_side", "comparison_id", "comparison", false, false},
    {"comparison_warning", "comparison_id", "comparison", false, false},
    {"dataset", "experiment_id", "experiment", false, false},
    {"trial", "experiment_id", "experiment", false, true},
    {"watch", "experiment_id", "experiment", false, true},
    {"resumption", "experiment_id", "experiment", true, false},
    {"revision", "experiment_id", "experiment", false, false},
    {"companion", "experiment_id", "experiment", false, false},
    {"acceptance", "experiment_id", "experiment", false, false},
};

/* ---- What is not ---- */

static const char finish_sql[] =
    /* Of what has grown, how it ended; its answer is made anew. */
    "UPDATE main.experiment AS t SET (state, message, ended_utc_ms, schedule, analysis) = (SELECT s.state, "
    "s.message, s.ended_utc_ms, s.schedule, s.analysis FROM temp.map_experiment AS k JOIN other.experiment AS "
    "s ON s.id = k.old WHERE k.new = t.id) WHERE id IN (SELECT new FROM temp.map_experiment WHERE fresh = 2);"
    "DELETE FROM main.comparison WHERE experiment_id IN (SELECT new FROM temp.map_experiment WHERE fresh = 2);"
    "UPDATE main.suite_run AS t SET (state, ended_utc_ms) = (SELECT s.state, s.ended_utc_ms FROM "
    "temp.map_suite_run AS k JOIN other.suite_run AS s ON s.id = k.old WHERE k.new = t.id) WHERE id IN "
    "(SELECT k.new FROM temp.map_suite_run AS k JOIN other.suite_run AS s ON s.id = k.old WHERE k.fresh = 0 "
    "AND ifnull(s.ended_utc_ms, 0) > ifnull(t.ended_utc_ms, 0));"
    /* Of a watch only how far it is: one that began here is resumed here, with its own
     * commands, in its own folder. */
    "UPDATE main.watch AS t SET (intervals_max, next_batch, open_batch, stopped, result, result_points, "
    "stop_points, stop_low, stop_high) = (SELECT s.intervals_max, s.next_batch, s.open_batch, s.stopped, s.result, "
    "s.result_points, s.stop_points, s.stop_low, s.stop_high FROM temp.map_experiment AS k JOIN other.watch AS s "
    "ON s.experiment_id = k.old WHERE k.fresh = 2 AND k.new = t.experiment_id) WHERE experiment_id IN (SELECT k.new "
    "FROM temp.map_experiment AS k JOIN other.watch AS s ON s.experiment_id = k.old WHERE k.fresh = 2);"
    /* Of what was judged together since: likewise. */
    "UPDATE main.experiment AS t SET family_id = (SELECT f.new FROM temp.map_experiment AS k JOIN "
    "other.experiment AS s ON s.id = k.old JOIN temp.map_family AS f ON f.old = s.family_id WHERE k.new = "
    "t.id) WHERE family_id IS NULL AND id IN (SELECT new FROM temp.map_experiment WHERE fresh <> 1);"
    "DELETE FROM main.comparison WHERE experiment_id IN (SELECT t.id FROM main.experiment AS t JOIN "
    "temp.map_family AS f ON f.new = t.family_id WHERE t.id NOT IN (SELECT new FROM temp.map_experiment WHERE "
    "fresh = 1) AND EXISTS (SELECT 1 FROM temp.map_experiment AS k JOIN other.experiment AS s ON s.id = k.old "
    "WHERE k.fresh = 1 AND s.family_id = f.old));"
    /* Of what came before that for which it was measured. What was measured here is not
     * made another one's: it would go with that. */
    "INSERT OR IGNORE INTO main.companion(experiment_id, of_experiment_id, role) SELECT k.new, m.new, s.role FROM "
    "other.companion AS s JOIN temp.map_experiment AS k ON k.old = s.experiment_id JOIN temp.map_experiment AS m "
    "ON m.old = s.of_experiment_id JOIN main.experiment AS e ON e.id = k.new WHERE e.merged_utc_ms IS NOT NULL;"
    "INSERT INTO main.baseline(name, experiment_id, saved_utc_ms) SELECT s.name, k.new, s.saved_utc_ms FROM "
    "other.baseline AS s JOIN temp.map_experiment AS k ON k.old = s.experiment_id WHERE s.name NOT IN (SELECT "
    "name FROM main.baseline);";

/* ---- Carrying it out ---- */

/* One column of what is copied, and what it refers to (""). first_id: of numbers that
 * nothing refers to; 0: SQLite finds them. */
static void append_column(const struct copy *copy, const char *column,
                          const char *parent, bool optional, int64_t first_id,
                          struct text *columns, struct text *values, struct text *joins)
{
    bool own_id = strcmp(column, "id") == 0 && strcmp(copy->column, "id") != 0;
    if ((own_id && first_id == 0) || strcmp(column, "baseline_name") == 0) {
        return; /* the second one is a name that is not used any more */
    }
    text_append_format(columns, "%s%s", columns->length == 0 ? "" : ", ", column);
    text_append(values, values->length == 0 ? "" : ", ");
    if (own_id) {
        text_append_format(values, "%lld + row_number() OVER (ORDER BY s.id)",
                           (long long)first_id - 1);
    } else if (strcmp(column, copy->column) == 0) {
        text_append(values, "k.new");
    } else if (parent[0] == '\0') {
        text_append_format(values, "s.%s", column);
    } else {
        text_append_format(values, "of_%s.new", column);
        text_append_format(joins, " %s temp.map_%s AS of_%s ON of_%s.old = s.%s",
                           optional ? "LEFT JOIN" : "JOIN", parent, column, column,
                           column);
    }
}

/* Numbers for rows that nothing refers to, where a server gives them: for as many as
 * the other store has. */
static enum duet_code reserve_own(const struct store_merging *merge,
                                  const struct copy *copy, int64_t *ret_first,
                                  struct duet_error *reterr)
{
    bool row = false;
    int64_t count = 0;
    const char *sql = strcmp(copy->table, "trial") == 0
                          ? "SELECT count(*) FROM other.trial"
                          : "SELECT count(*) FROM other.watch";
    *ret_first = 0;
    if (merge->store->remote == NULL || copy->owns == false) {
        return DUET_OK;
    }
    struct store_query query = store_ask(merge->store, merge->doing, sql);
    enum duet_code code = store_fetch_int(&query, &row, &count, reterr);
    return code == DUET_OK && count > 0
               ? store_ids_reserve(merge->store, copy->table, (uint64_t)count,
                                   ret_first, reterr)
               : code;
}

/* Which rows of its map a table is copied for. */
static const char *wanted(const struct copy *copy)
{
    return copy->grown ? "> 0" : "= 1";
}

/* The columns are read from the table, so that one that a later version adds is copied
 * like the others. The rows come in the order of their numbers, without sorting. The
 * limit, of none, has SQLite list what a table refers to once, not for each column. */
static enum duet_code append_copy(const struct store_merging *merge,
                                  const struct copy *copy, struct text *sql,
                                  struct duet_error *reterr)
{
    struct text columns = {0};
    struct text values = {0};
    struct text joins = {0};
    bool row = false;
    int64_t first_id = 0;
    enum duet_code code = reserve_own(merge, copy, &first_id, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        merge->store, merge->doing,
        "SELECT c.name, ifnull(f.parent, ''), c.\"notnull\" = 0 FROM pragma_table_info(?1, 'main') AS c LEFT JOIN "
        "(SELECT \"from\" AS child, \"table\" AS parent FROM pragma_foreign_key_list(?1, 'main') LIMIT -1) AS f ON "
        "f.child = c.name ORDER BY c.cid");
    store_bind_string(&query, copy->table);
    code = store_step(&query, &row, reterr);
    while (code == DUET_OK && row) {
        char name[64];
        char parent[64];
        store_column_text(query.statement, 0, name, sizeof name);
        store_column_text(query.statement, 1, parent, sizeof parent);
        append_column(copy, name, parent, sqlite3_column_int(query.statement, 2) != 0,
                      first_id, &columns, &values, &joins);
        code = store_step(&query, &row, reterr);
    }
    store_query_end(&query);
    text_append_format(
        sql,
        "INSERT %sINTO main.%s(%s) SELECT %s FROM temp.map_%s AS k CROSS "
        "JOIN other.%s AS s ON s.%s = k.old%s WHERE k.fresh %s",
        copy->grown ? "OR REPLACE " : "", copy->table, text_string(&columns),
        text_string(&values), copy->map, copy->table, copy->column, text_string(&joins),
        wanted(copy));
    if (code == DUET_OK && (text_failed(&columns) || text_failed(&values) ||
                            text_failed(&joins) || text_failed(sql))) {
        code = store_out_of_memory(merge->store, merge->doing, reterr);
    }
    text_release(&columns);
    text_release(&values);
    text_release(&joins);
    return code;
}

/* Whether there are any; there are none where everything is here already. */
static enum duet_code has_rows(const struct store_merging *merge,
                               const struct copy *copy, bool *ret_has,
                               struct duet_error *reterr)
{
    char sql[128];
    (void)snprintf(sql, sizeof sql, "SELECT 1 FROM temp.map_%s WHERE fresh %s LIMIT 1",
                   copy->map, wanted(copy));
    struct store_query query = store_ask(merge->store, merge->doing, sql);
    enum duet_code code = store_step(&query, ret_has, reterr);
    store_query_end(&query);
    return code;
}

static enum duet_code copy_rows(const struct store_merging *merge,
                                const struct copy *copy, struct duet_error *reterr)
{
    struct text sql = {0};
    bool has = false;
    enum duet_code code = has_rows(merge, copy, &has, reterr);
    if (code != DUET_OK || !has) {
        return code;
    }
    code = append_copy(merge, copy, &sql, reterr);
    if (code == DUET_OK) {
        code = store_merge_run(merge, text_string(&sql), reterr);
    }
    text_release(&sql);
    return code;
}

/* ---- Which experiments ---- */

static enum duet_code pick(const struct store_merging *merge,
                           const int64_t *experiments, size_t count,
                           struct duet_error *reterr)
{
    if (experiments == NULL) {
        return store_merge_run(
            merge, "INSERT INTO temp.pick SELECT id FROM other.experiment", reterr);
    }
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = store_merge_with_id(merge,
                                   "INSERT OR IGNORE INTO temp.pick SELECT id FROM "
                                   "other.experiment WHERE id = ?",
                                   experiments[i], reterr);
    }
    return code == DUET_OK ? store_merge_run(merge, pick_more, reterr) : code;
}

/* Those of the other store that a process works on, by its locks. */
static enum duet_code find_measured(struct store *from, int64_t **ret_ids,
                                    size_t *ret_count, struct duet_error *reterr)
{
    static const char doing[] = "looking what is being measured";
    int64_t *ids = NULL;
    size_t count = 0;
    size_t kept = 0;
    struct store_query query = store_ask(
        from, doing,
        "SELECT id FROM experiment WHERE state = 'running' AND region_of IS NULL");
    enum duet_code code = remote_need(
        from, "SELECT id FROM duet.experiment WHERE state = 'running'", NULL, reterr);
    if (code == DUET_OK) {
        code = store_fetch_ints(&query, &ids, &count, reterr);
    } else {
        store_query_end(&query);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        bool row = false;
        int64_t watch = 0;
        query = store_ask(from, doing, "SELECT id FROM watch WHERE experiment_id = ?");
        store_bind_int(&query, ids[i]);
        code = store_fetch_int(&query, &row, &watch, reterr);
        if (store_experiment_is_locked(from, ids[i]) ||
            (row && store_watch_holder(from, watch) != 0)) {
            ids[kept++] = ids[i];
        }
    }
    if (code != DUET_OK) {
        free(ids);
        return code;
    }
    *ret_ids = ids;
    *ret_count = kept;
    return DUET_OK;
}

/* With what was measured for them: without them it would not be known for what. */
static enum duet_code leave_out(const struct store_merging *merge, const int64_t *ids,
                                size_t count, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = store_merge_with_id(
            merge,
            "WITH busy(id) AS (SELECT ?1 UNION SELECT experiment_id FROM other.companion WHERE of_experiment_id = ?1) "
            "DELETE FROM temp.pick WHERE id IN (SELECT id FROM busy UNION SELECT e.id FROM other.experiment AS e JOIN "
            "busy ON e.region_of = busy.id)",
            ids[i], reterr);
    }
    return code;
}

/* ---- The whole ---- */

static enum duet_code count_up(const struct store_merging *merge,
                               struct store_merged *merged, struct duet_error *reterr)
{
    bool row = false;
    struct store_query query = store_ask(
        merge->store, merge->doing,
        "SELECT count(*) FILTER (WHERE k.fresh = 1), count(*) FILTER (WHERE k.fresh = 2), count(*) FILTER "
        "(WHERE k.fresh = 0 AND NOT k.apart), count(*) FILTER (WHERE k.apart) FROM (SELECT m.old, m.fresh, m.fresh = 0 "
        "AND EXISTS (SELECT 1 FROM other.run AS o WHERE o.experiment_id = m.old AND NOT EXISTS (SELECT 1 FROM main.run "
        "AS r WHERE r.uuid = o.uuid)) AS apart FROM temp.map_experiment AS m) AS k JOIN other.experiment AS s ON s.id = "
        "k.old WHERE s.region_of IS NULL");
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK) {
        merged->added = store_column_count(query.statement, 0);
        merged->grown = store_column_count(query.statement, 1);
        merged->known = store_column_count(query.statement, 2);
        merged->apart = store_column_count(query.statement, 3);
    }
    store_query_end(&query);
    return code;
}

static enum duet_code mark(const struct store_merging *merge, struct duet_error *reterr)
{
    return store_merge_with_id(
        merge,
        "UPDATE main.experiment SET merged_utc_ms = ? WHERE id IN (SELECT "
        "new FROM temp.map_experiment WHERE fresh = 1)",
        store_utc_ms(), reterr);
}

/* Inside the transaction, with what was picked. */
static enum duet_code take(const struct store_merging *merge,
                           struct store_merged *merged, struct duet_error *reterr)
{
    enum duet_code code = store_merge_number(merge, reterr);
    for (size_t i = 0; i < sizeof copies / sizeof copies[0] && code == DUET_OK; i++) {
        code = copy_rows(merge, &copies[i], reterr);
    }
    if (code == DUET_OK) {
        code = store_merge_run(merge, finish_sql, reterr);
    }
    if (code == DUET_OK) {
        code = mark(merge, reterr);
    }
    if (code == DUET_OK) {
        code = count_up(merge, merged, reterr);
    }
    return code == DUET_OK ? store_merge_run(merge, no_maps, reterr) : code;
}

static enum duet_code transact(const struct store_merging *merge,
                               const int64_t *experiments, size_t count,
                               const int64_t *measured, size_t busy,
                               struct store_merged *ret_merged,
                               struct duet_error *reterr)
{
    struct store *store = merge->store;
    struct store_merged merged = {.measured = busy};
    enum duet_code code = store_begin(store, merge->doing, reterr);
    if (code == DUET_OK) {
        code = store_merge_run(merge, maps, reterr);
    }
    if (code == DUET_OK) {
        code = pick(merge, experiments, count, reterr);
    }
    if (code == DUET_OK) {
        code = leave_out(merge, measured, busy, reterr);
    }
    if (code == DUET_OK) {
        code = take(merge, &merged, reterr);
    }
    code = store_end(store, code, merge->doing, reterr);
    if (code == DUET_OK) {
        *ret_merged = merged;
    }
    return code;
}

static enum duet_code attach(const struct store_merging *merge,
                             const struct store *from, struct duet_error *reterr)
{
    struct store_path_facts facts = {0};
    enum duet_code code = store_path_facts_look(merge->from, &facts, reterr);
    bool immutable = from->read_only && !facts.has_log;
    struct text uri = {0};
    char *path = store_uri(merge->from, immutable);
    text_append(&uri, path == NULL ? "" : path);
    text_append(&uri, immutable ? "" : "?mode=ro");
    if (code == DUET_OK && (path == NULL || text_failed(&uri))) {
        code = store_out_of_memory(merge->store, merge->doing, reterr);
    }
    if (code == DUET_OK) {
        struct store_query query =
            store_ask(merge->store, merge->doing, "ATTACH ? AS other");
        store_bind_string(&query, text_string(&uri));
        code = store_run_once(&query, reterr);
    }
    free(path);
    text_release(&uri);
    return code;
}

static void detach(const struct store_merging *merge)
{
    (void)sqlite3_exec(merge->store->db, "DETACH other", NULL, NULL, NULL);
    (void)sqlite3_exec(merge->store->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL);
}

bool store_is_file(const struct store *store, const char *path)
{
    struct stat mine;
    struct stat theirs;
    const char *name = sqlite3_db_filename(store->db, "main");
    return name != NULL && name[0] != '\0' && stat(name, &mine) == 0 &&
           stat(path, &theirs) == 0 && mine.st_dev == theirs.st_dev &&
           mine.st_ino == theirs.st_ino;
}

/* From the opened store `other`, whose file is merge->from. */
static enum duet_code merge_opened(const struct store_merging *merge,
                                   struct store *other, const int64_t *experiments,
                                   size_t count, const int64_t *measured, size_t busy,
                                   struct store_merged *ret_merged,
                                   struct duet_error *reterr)
{
    struct store *store = merge->store;
    enum duet_code code = attach(merge, other, reterr);
    if (code == DUET_OK) {
        code = remote_merge_begin(store, reterr);
    }
    if (code == DUET_OK) {
        /* On for what is replaced and deleted, and as a test of the other store. */
        code = store_execute(store, "PRAGMA foreign_keys = ON", merge->doing, reterr);
    }
    if (code == DUET_OK) {
        code = transact(merge, experiments, count, measured, busy, ret_merged, reterr);
    }
    detach(merge);
    remote_merge_end(store);
    return code;
}

/* What is on a server is fetched into a file first. */
static enum duet_code merge_fetched(struct store *store, struct store *other,
                                    const int64_t *measured, size_t busy,
                                    struct store_merged *ret_merged,
                                    struct duet_error *reterr)
{
    struct store_merging merge = {.store = store};
    struct store *fetched = NULL;
    char *path = NULL;
    enum duet_code code = store_fetch_scratch(other, &path, reterr);
    if (code == DUET_OK) {
        code = store_open(path, false, &fetched, reterr);
    }
    if (code == DUET_OK) {
        merge.from = path;
        (void)snprintf(merge.doing, sizeof merge.doing, "merging '%s'",
                       store_path(other));
        code =
            merge_opened(&merge, fetched, NULL, 0, measured, busy, ret_merged, reterr);
    }
    store_close(fetched);
    store_remove_scratch(path);
    return code;
}

enum duet_code store_merge(struct store *store, const char *from,
                           const int64_t *experiments, size_t count,
                           struct store_merged *ret_merged, struct duet_error *reterr)
{
    struct store_merging merge = {.store = store, .from = from};
    struct store *other = NULL;
    int64_t *measured = NULL;
    size_t busy = 0;
    (void)snprintf(merge.doing, sizeof merge.doing, "merging '%s'", from);
    if (store_is_file(store, from) || strcmp(store_path(store), from) == 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "cannot merge store '%s' into itself: name another one", from);
    }
    enum duet_code code = store_open(from, false, &other, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (experiments == NULL) {
        code = find_measured(other, &measured, &busy, reterr);
    }
    if (code == DUET_OK) {
        code = other->remote != NULL
                   ? merge_fetched(store, other, measured, busy, ret_merged, reterr)
                   : merge_opened(&merge, other, experiments, count, measured, busy,
                                  ret_merged, reterr);
    }
    free(measured);
    /* Behind detach(): closing it drops this process's locks on the file. */
    store_close(other);
    return code;
}
