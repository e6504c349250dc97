#include "store/store_companion.h"

#include "store/store_private.h"

static const char doing[] = "keeping what belongs to a comparison";

enum duet_code store_companion_save(struct store *store, int64_t experiment, int64_t of,
                                    enum model_role role, struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, doing,
                  "INSERT INTO companion(experiment_id, of_experiment_id, role) "
                  "VALUES(?, ?, ?)");
    store_bind_int(&query, experiment);
    store_bind_int(&query, of);
    store_bind_string(&query, model_role_name(role));
    return store_run_once(&query, reterr);
}

enum duet_code store_companion_role(struct store *store, int64_t experiment,
                                    enum model_role *ret_role, int64_t *ret_of,
                                    struct duet_error *reterr)
{
    bool row = false;
    unsigned role = MODEL_ROLE_COMPARISON;
    struct store_query query = store_ask(
        store, doing,
        "SELECT role, of_experiment_id FROM companion WHERE experiment_id = ?");
    store_bind_int(&query, experiment);
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        code = store_column_enum(store, query.statement, 0, model_role_name,
                                 MODEL_ROLES, &role, reterr);
    }
    if (code == DUET_OK) {
        *ret_role = (enum model_role)role;
        *ret_of = row ? sqlite3_column_int64(query.statement, 1) : 0;
    }
    store_query_end(&query);
    return code;
}

enum duet_code store_companions(struct store *store, int64_t experiment,
                                int64_t **ret_list, size_t *ret_count,
                                struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing,
        "SELECT experiment_id FROM companion AS c WHERE of_experiment_id = ? AND EXISTS "
        "(SELECT 1 FROM run AS r WHERE r.experiment_id = c.experiment_id) "
        "ORDER BY role = 'confirmation', experiment_id");
    store_bind_int(&query, experiment);
    return store_fetch_ints(&query, ret_list, ret_count, reterr);
}

static enum duet_code forget(struct store *store, int64_t experiment,
                             struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, doing, "DELETE FROM acceptance WHERE experiment_id = ?");
    store_bind_int(&query, experiment);
    return store_run_once(&query, reterr);
}

enum duet_code store_acceptance_save(struct store *store, int64_t experiment,
                                     const struct model_acceptance *acceptance,
                                     struct duet_error *reterr)
{
    if (!(acceptance->limit > 0)) {
        return forget(store, experiment, reterr);
    }
    struct store_query query =
        store_ask(store, doing,
                  "INSERT OR REPLACE INTO acceptance(experiment_id, slowdown, until, "
                  "reason) VALUES(?, ?, ?, ?)");
    store_bind_int(&query, experiment);
    store_bind_real(&query, acceptance->limit);
    store_bind_string(&query, acceptance->until);
    store_bind_string(&query, acceptance->reason);
    return store_run_once(&query, reterr);
}

enum duet_code store_acceptance_load(struct store *store, int64_t experiment,
                                     struct model_acceptance *ret_acceptance,
                                     struct duet_error *reterr)
{
    bool row = false;
    struct model_acceptance acceptance = {.limit = 0};
    struct store_query query = store_ask(
        store, doing,
        "SELECT slowdown, until, reason FROM acceptance WHERE experiment_id = ?");
    store_bind_int(&query, experiment);
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        acceptance.limit = sqlite3_column_double(query.statement, 0);
        store_column_text(query.statement, 1, acceptance.until,
                          sizeof acceptance.until);
        store_column_text(query.statement, 2, acceptance.reason,
                          sizeof acceptance.reason);
    }
    if (code == DUET_OK) {
        *ret_acceptance = acceptance;
    }
    store_query_end(&query);
    return code;
}
