#include "store/postgresql/remote_private.h"

#include <string.h>

#define WANTED "SELECT id FROM temp.wanted"
#define IN_WANTED " WHERE experiment_id IN (" WANTED ")"
#define OF_EXPERIMENT "experiment_id", WANTED
#define OF_RUN "run_id", "SELECT id FROM run" IN_WANTED
#define OF_COMPARISON "comparison_id", "SELECT id FROM comparison" IN_WANTED
#define OF_ENVIRONMENT "environment_id", "SELECT id FROM environment" IN_WANTED

const struct remote_table remote_tables[] = {
    {"metric", {"id", NULL}, REMOTE_SMALL, false, "id", NULL},
    {"instance",
     {"id", NULL},
     REMOTE_SMALL,
     false,
     "id",
     "SELECT DISTINCT instance_id FROM environment" IN_WANTED},
    {"suite_run",
     {"id", NULL},
     REMOTE_SMALL,
     true,
     "id",
     "SELECT DISTINCT suite_run_id FROM experiment WHERE suite_run_id IS NOT NULL AND id IN (" WANTED
     ")"},
    {"family",
     {"id", NULL},
     REMOTE_SMALL,
     true,
     "id",
     "SELECT DISTINCT family_id FROM experiment WHERE family_id IS NOT NULL AND id IN (" WANTED
     ")"},
    {"experiment", {"id", NULL}, REMOTE_SMALL, true, "id", WANTED},
    {"side", {"experiment_id", "side"}, REMOTE_SMALL, false, OF_EXPERIMENT},
    {"environment", {"id", NULL}, REMOTE_SMALL, false, OF_EXPERIMENT},
    {"environment_load",
     {"environment_id", "moment"},
     REMOTE_SMALL,
     false,
     OF_ENVIRONMENT},
    {"run", {"id", NULL}, REMOTE_RUN, false, OF_EXPERIMENT},
    {"run_side", {"run_id", "side"}, REMOTE_OF_RUN, false, OF_RUN},
    {"iteration", {"run_id", NULL}, REMOTE_OF_RUN, false, OF_RUN},
    {"observation", {"run_id", NULL}, REMOTE_OF_RUN, false, OF_RUN},
    {"comparison", {"id", NULL}, REMOTE_SMALL, true, OF_EXPERIMENT},
    {"comparison_side", {"comparison_id", "side"}, REMOTE_SMALL, false, OF_COMPARISON},
    {"comparison_warning",
     {"comparison_id", "idx"},
     REMOTE_SMALL,
     false,
     OF_COMPARISON},
    {"dataset", {"experiment_id", NULL}, REMOTE_SMALL, false, OF_EXPERIMENT},
    {"trial", {"id", NULL}, REMOTE_OF_DATASET, false, OF_EXPERIMENT},
    {"watch", {"id", NULL}, REMOTE_SMALL, true, OF_EXPERIMENT},
    {"resumption", {"experiment_id", "idx"}, REMOTE_SMALL, false, OF_EXPERIMENT},
    {"revision", {"experiment_id", "side"}, REMOTE_SMALL, false, OF_EXPERIMENT},
    {"baseline", {"name", "experiment_id"}, REMOTE_SMALL, true, OF_EXPERIMENT},
    {"companion", {"experiment_id", NULL}, REMOTE_SMALL, false, OF_EXPERIMENT},
    {"acceptance", {"experiment_id", NULL}, REMOTE_SMALL, true, OF_EXPERIMENT},
};
const size_t remote_table_count = sizeof remote_tables / sizeof remote_tables[0];

/* ---- What changes in the mirror ---- */

/* have, whole: experiments that the mirror holds, and holds with all their rows. */
static const char own_tables[] =
    "CREATE TEMP TABLE have(id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE whole(id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE wanted(id INTEGER PRIMARY KEY);"
    "CREATE TEMP TABLE change(tbl TEXT NOT NULL, k1 ANY NOT NULL, k2 ANY NOT NULL, gone INTEGER NOT NULL, "
    "PRIMARY KEY(tbl, k1, k2)) STRICT, WITHOUT ROWID;"
    "CREATE TEMP TRIGGER have_new AFTER INSERT ON main.experiment WHEN duet_is_recording() BEGIN INSERT INTO "
    "have VALUES(NEW.id); INSERT INTO whole VALUES(NEW.id); END;"
    "PRAGMA recursive_triggers = ON;";

static void append_trigger(struct text *sql, const struct remote_table *table,
                           const char *event, const char *row, int gone)
{
    const char *second = table->keys[1];
    text_append_format(sql,
                       "CREATE TEMP TRIGGER note_%s_%s AFTER %s ON main.%s WHEN "
                       "duet_is_recording() BEGIN ",
                       table->name, event, event, table->name);
    text_append_format(sql, "DELETE FROM change WHERE tbl = '%s' AND k1 = %s.%s",
                       table->name, row, table->keys[0]);
    if (second != NULL) {
        text_append_format(sql, " AND k2 = %s.%s", row, second);
    }
    text_append_format(sql,
                       "; INSERT INTO change VALUES('%s', %s.%s, %s%s%s, %d); END;",
                       table->name, row, table->keys[0], second == NULL ? "''" : row,
                       second == NULL ? "" : ".", second == NULL ? "" : second, gone);
}

static void is_recording(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct remote *remote = sqlite3_user_data(context);
    (void)count;
    (void)values;
    remote->changed = remote->changed || remote->recording;
    sqlite3_result_int(context, remote->recording);
}

enum duet_code remote_watch_mirror(struct store *store, struct duet_error *reterr)
{
    static const char doing[] = "opening it";
    struct text sql = {0};
    if (sqlite3_create_function_v2(store->db, "duet_is_recording", 0,
                                   SQLITE_UTF8 | SQLITE_INNOCUOUS, store->remote,
                                   is_recording, NULL, NULL, NULL) != SQLITE_OK) {
        return store_fail(store, doing, reterr);
    }
    text_append(&sql, own_tables);
    for (size_t i = 0; i < remote_table_count; i++) {
        const struct remote_table *table = &remote_tables[i];
        if (table->kind == REMOTE_SMALL || table->kind == REMOTE_RUN) {
            append_trigger(&sql, table, "INSERT", "NEW", 0);
            append_trigger(&sql, table, "UPDATE", "NEW", 0);
        }
        if (table->leaves) {
            append_trigger(&sql, table, "DELETE", "OLD", 1);
        }
    }
    enum duet_code code = text_failed(&sql)
                              ? store_out_of_memory(store, doing, reterr)
                              : store_execute(store, text_string(&sql), doing, reterr);
    text_release(&sql);
    return code;
}
