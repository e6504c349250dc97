/* Whether an experiment compared a program with itself. */
#include "store/store_private.h"

static const char doing[] = "comparing an experiment's sides";

enum duet_code store_sides_alike(struct store *store, int64_t experiment,
                                 bool *ret_alike, struct duet_error *reterr)
{
    int64_t one = 0;
    struct store_query query = store_ask(
        store, doing,
        "SELECT 1 FROM side AS o JOIN side AS n ON n.experiment_id = o.experiment_id AND n.side = 1 JOIN "
        "experiment AS e ON e.id = o.experiment_id WHERE o.experiment_id = ? AND o.side = 0 AND o.command = "
        "n.command AND (e.suite_run_id IS NOT NULL OR (o.argv IS n.argv AND o.setup IS n.setup AND o.prepare "
        "IS n.prepare AND o.conclude IS n.conclude AND o.cleanup IS n.cleanup)) "
        "AND CASE WHEN json_valid(e.plan) THEN json_extract(e.plan, '$.sides[0].folder') IS "
        "json_extract(e.plan, '$.sides[1].folder') ELSE 1 END");
    store_bind_int(&query, experiment);
    return store_fetch_int(&query, ret_alike, &one, reterr);
}

enum duet_code store_sides_equal(struct store *store, int64_t experiment,
                                 bool *ret_equal, struct duet_error *reterr)
{
    int64_t one = 0;
    struct store_query query = store_ask(
        store, doing,
        "SELECT 1 FROM side AS o JOIN side AS n ON n.experiment_id = o.experiment_id AND n.side = 1 JOIN "
        "experiment AS e ON e.id = o.experiment_id AND e.suite_run_id IS NULL WHERE o.experiment_id = ? "
        "AND o.side = 0 AND o.command = n.command AND o.argv IS n.argv AND o.setup IS n.setup AND o.prepare "
        "IS n.prepare AND o.conclude IS n.conclude AND o.cleanup IS n.cleanup "
        "AND json_extract(e.plan, '$.sides[0].folder') IS json_extract(e.plan, '$.sides[1].folder')");
    store_bind_int(&query, experiment);
    return store_fetch_int(&query, ret_equal, &one, reterr);
}
