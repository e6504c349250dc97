/* Where the ids of new rows come from: of a file, SQLite counts; of PostgreSQL, the
 * server. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <string.h>

static const char doing[] = "numbering rows";

/* duet_new_id('TABLE'): NULL has SQLite count. */
static void new_id(sqlite3_context *context, int count, sqlite3_value **values)
{
    static const char *const tables[] = {"experiment", "suite_run",   "family",
                                         "instance",   "environment", "run",
                                         "comparison", "trial"};
    struct store *store = sqlite3_user_data(context);
    const char *table = (const char *)sqlite3_value_text(values[0]);
    int64_t id = 0;
    (void)count;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && table != NULL; i++) {
        if (store->remote != NULL && strcmp(table, tables[i]) == 0) {
            id = remote_id(store, tables[i]);
        }
    }
    if (id != 0) {
        sqlite3_result_int64(context, id);
    } else {
        sqlite3_result_null(context);
    }
}

enum duet_code store_ids_prepare(struct store *store, struct duet_error *reterr)
{
    return sqlite3_create_function_v2(store->db, "duet_new_id", 1,
                                      SQLITE_UTF8 | SQLITE_DIRECTONLY, store, new_id,
                                      NULL, NULL, NULL) == SQLITE_OK
               ? DUET_OK
               : store_fail(store, doing, reterr);
}

enum duet_code store_ids_reserve(struct store *store, const char *table, uint64_t count,
                                 int64_t *ret_first, struct duet_error *reterr)
{
    if (store->remote != NULL) {
        return remote_ids(store, table, count, ret_first, reterr);
    }
    int64_t last = 0;
    enum duet_code code = store_last_id(store, table, doing, &last, reterr);
    if (code == DUET_OK) {
        *ret_first = last + 1;
    }
    return code;
}
