/* Which rows of another store are here, and the numbers that new ones get. */
#include "store/store_merge_private.h"

#include "base/text.h"

/* An experiment that has runs which the other store does not have stays as it is. */
static const char map_experiments[] =
    "INSERT INTO temp.map_experiment SELECT s.id, ifnull(t.id, row_number() OVER (PARTITION BY t.id IS NULL ORDER BY s.id)), CASE WHEN t.id IS NULL THEN 1 WHEN EXISTS (SELECT 1 FROM main.run AS r WHERE r.experiment_id = "
    "t.id AND NOT EXISTS (SELECT 1 FROM other.run AS o WHERE o.uuid = r.uuid)) THEN 0 WHEN "
    "ifnull(s.ended_utc_ms, 0) > ifnull(t.ended_utc_ms, 0) OR EXISTS (SELECT 1 FROM other.run AS o WHERE "
    "o.experiment_id = s.id AND NOT EXISTS (SELECT 1 FROM main.run AS r WHERE r.uuid = o.uuid)) THEN 2 ELSE 0 "
    "END FROM temp.pick AS p JOIN other.experiment AS s ON s.id = p.id LEFT JOIN main.experiment AS t ON "
    "t.uuid = s.uuid";

static const char map_suite_runs[] =
    "INSERT INTO temp.map_suite_run SELECT s.id, ifnull(t.id, row_number() OVER (PARTITION BY t.id IS NULL ORDER BY s.id)), t.id IS NULL FROM other.suite_run AS s LEFT JOIN main.suite_run AS t ON t.uuid = s.uuid WHERE "
    "s.id IN (SELECT e.suite_run_id FROM temp.map_experiment AS k JOIN other.experiment AS e ON e.id = k.old)";

/* A family has no name of its own: it is here when one of its members is in one. */
static const char map_families[] =
    "INSERT INTO temp.map_family SELECT s.id, ifnull(t.id, row_number() OVER (PARTITION BY t.id IS NULL ORDER BY s.id)), t.id IS NULL FROM other.family AS s LEFT JOIN (SELECT e.family_id AS old, min(h.family_id) AS id "
    "FROM temp.map_experiment AS k JOIN other.experiment AS e ON e.id = k.old JOIN main.experiment AS h ON "
    "h.id = k.new WHERE e.family_id IS NOT NULL AND h.family_id IS NOT NULL AND k.fresh <> 1 GROUP BY "
    "e.family_id) AS t ON t.old = s.id WHERE s.id IN (SELECT e.family_id FROM temp.map_experiment AS k JOIN "
    "other.experiment AS e ON e.id = k.old)";

static const char map_environments[] =
    "INSERT OR IGNORE INTO temp.map_environment SELECT s.id, ifnull(t.id, row_number() OVER (PARTITION BY t.id IS NULL ORDER BY s.id)), CASE WHEN t.id IS NULL "
    "THEN 1 ELSE 2 END FROM temp.map_experiment AS k JOIN other.environment AS s ON s.experiment_id = k.old "
    "LEFT JOIN other.instance AS i ON i.id = s.instance_id LEFT JOIN main.environment AS t ON k.fresh = 2 AND "
    "t.experiment_id = k.new AND (SELECT uuid FROM main.instance WHERE id = t.instance_id) IS i.uuid WHERE "
    "k.fresh > 0";

/* Machines without a known uuid are all different. */
static const char map_instances[] =
    "INSERT INTO temp.map_instance SELECT s.id, ifnull(t.id, row_number() OVER (PARTITION BY t.id IS NULL ORDER BY s.id)), t.id IS NULL FROM other.instance AS s LEFT "
    "JOIN main.instance AS t ON t.uuid = s.uuid WHERE s.id IN (SELECT e.instance_id FROM temp.map_environment "
    "AS k JOIN other.environment AS e ON e.id = k.old WHERE k.fresh = 1)";

static const char map_runs[] =
    "INSERT INTO temp.map_run SELECT s.id, row_number() OVER "
    "(ORDER BY s.id), 1 FROM temp.map_experiment AS k JOIN other.run AS s ON s.experiment_id = k.old WHERE "
    "k.fresh = 1 OR (k.fresh = 2 AND NOT EXISTS (SELECT 1 FROM main.run AS t WHERE t.uuid = s.uuid))";

static const char map_comparisons[] =
    "INSERT INTO temp.map_comparison SELECT s.id, row_number() OVER (ORDER BY s.id), 1 FROM temp.map_experiment AS k JOIN "
    "other.comparison AS s ON s.experiment_id = k.old WHERE k.fresh = 1 AND (s.baseline_id IS NULL OR "
    "s.baseline_id IN (SELECT old FROM temp.map_experiment))";

#define UNIT_NAME "s.name || ' (' || s.unit || ', ' || s.direction || ' is better)'"
static const char map_metrics[] =
    "INSERT OR IGNORE INTO main.metric(name, unit, direction) SELECT name, unit, direction FROM other.metric "
    "ORDER BY id;"
    "INSERT OR IGNORE INTO main.metric(name, unit, direction) SELECT " UNIT_NAME
    ", s.unit, s.direction FROM other.metric AS s JOIN main.metric AS t ON t.name = s.name AND (t.unit <> "
    "s.unit OR t.direction <> s.direction) ORDER BY s.id;"
    "INSERT INTO temp.map_metric SELECT s.id, min(t.id), 0 FROM other.metric AS s JOIN main.metric AS t ON "
    "t.unit = s.unit AND t.direction = s.direction AND t.name IN (s.name, " UNIT_NAME
    ") GROUP BY s.id;";

/* In this order: one looks at those before it. New rows are counted from 1 by the SQL,
 * and then moved behind the ids of `table`. */
static const struct numbering {
    const char *sql;
    const char *table; /* NULL: it finds ids by itself */
} numbering[] = {{map_experiments, "experiment"}, {map_suite_runs, "suite_run"},
                 {map_families, "family"},        {map_environments, "environment"},
                 {map_instances, "instance"},     {map_runs, "run"},
                 {map_comparisons, "comparison"}, {map_metrics, NULL}};

/* An error in what is read is the other store's. */
enum duet_code store_merge_run(const struct store_merging *merge, const char *sql,
                               struct duet_error *reterr)
{
    int rc = sqlite3_exec(merge->store->db, sql, NULL, NULL, NULL);
    switch (rc & 0xff) {
    case SQLITE_OK:
        return DUET_OK;
    case SQLITE_CONSTRAINT:
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
        return error_set(
            reterr, DUET_E_FORMAT,
            "store '%s' is damaged (%s): nothing of it was taken; duet store check --store '%s' says more",
            merge->from, sqlite3_errmsg(merge->store->db), merge->from);
    default:
        return store_fail(merge->store, merge->doing, reterr);
    }
}

enum duet_code store_merge_with_id(const struct store_merging *merge, const char *sql,
                                   int64_t id, struct duet_error *reterr)
{
    struct store_query query = store_ask(merge->store, merge->doing, sql);
    store_bind_int(&query, id);
    return store_run_once(&query, reterr);
}

/* New rows were counted from 1: behind the ids that `table` has. */
static enum duet_code move_behind(const struct store_merging *merge, const char *table,
                                  struct duet_error *reterr)
{
    bool row = false;
    int64_t last = 0;
    int64_t first = 0;
    struct text count = {0};
    struct text move = {0};
    text_append_format(&count, "SELECT max(new) FROM temp.map_%s WHERE fresh = 1",
                       table);
    text_append_format(&move, "UPDATE temp.map_%s SET new = new + ? WHERE fresh = 1",
                       table);
    struct store_query query =
        store_ask(merge->store, merge->doing, text_string(&count));
    enum duet_code code = text_failed(&count) || text_failed(&move)
                              ? store_out_of_memory(merge->store, merge->doing, reterr)
                              : DUET_OK;
    if (code == DUET_OK) {
        code = store_fetch_int(&query, &row, &last, reterr);
    } else {
        store_query_end(&query);
    }
    if (code == DUET_OK && last > 0) {
        code = store_ids_reserve(merge->store, table, (uint64_t)last, &first, reterr);
    }
    if (code == DUET_OK && last > 0) {
        code = store_merge_with_id(merge, text_string(&move), first - 1, reterr);
    }
    text_release(&count);
    text_release(&move);
    return code;
}

enum duet_code store_merge_number(const struct store_merging *merge,
                                  struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < sizeof numbering / sizeof numbering[0] && code == DUET_OK;
         i++) {
        code = store_merge_run(merge, numbering[i].sql, reterr);
        if (code == DUET_OK && numbering[i].table != NULL) {
            code = move_behind(merge, numbering[i].table, reterr);
        }
    }
    return code;
}
