/* Whether an experiment compared a program with itself. */
#include "store/store_private.h"

/* *ret_apart: it is no part of a suite, whose sides may differ in what the suite does
 * around them. */
static enum duet_code ask(struct store *store, int64_t experiment, bool *ret_alike,
                          int64_t *ret_apart, struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, "comparing an experiment's sides",
        "SELECT e.suite_run_id IS NULL FROM side AS o JOIN side AS n ON n.experiment_id = o.experiment_id AND "
        "n.side = 1 JOIN "
        "experiment AS e ON e.id = o.experiment_id WHERE o.experiment_id = ? AND o.side = 0 AND o.command = "
        "n.command AND (e.suite_run_id IS NOT NULL OR (o.argv IS n.argv AND o.setup IS n.setup AND o.prepare "
        "IS n.prepare AND o.conclude IS n.conclude AND o.cleanup IS n.cleanup)) "
        "AND CASE WHEN json_valid(e.plan) THEN json_extract(e.plan, '$.sides[0].folder') IS "
        "json_extract(e.plan, '$.sides[1].folder') ELSE 1 END");
    store_bind_int(&query, experiment);
    return store_fetch_int(&query, ret_alike, ret_apart, reterr);
}

enum duet_code store_sides_alike(struct store *store, int64_t experiment,
                                 bool *ret_alike, struct duet_error *reterr)
{
    int64_t apart = 0;
    return ask(store, experiment, ret_alike, &apart, reterr);
}

enum duet_code store_sides_equal(struct store *store, int64_t experiment,
                                 bool *ret_equal, struct duet_error *reterr)
{
    int64_t apart = 0;
    bool alike = false;
    enum duet_code code = ask(store, experiment, &alike, &apart, reterr);
    if (code == DUET_OK) {
        *ret_equal = alike && apart != 0;
    }
    return code;
}
