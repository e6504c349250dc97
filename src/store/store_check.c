#include "store/store_check.h"

#include "base/text.h"
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <stdlib.h>
#include <string.h>

static const char doing[] = "checking it";

struct check {
    struct store *store;
    void (*say)(void *context, const char *line);
    void *context;
    struct store_checked checked;
};

static void tell(struct check *check, const char *line)
{
    check->checked.faults++;
    check->say(check->context, line);
}

/* Each row of the answer is a thing that is wrong: its first column is the line, but
 * for `good`. */
static enum duet_code ask(struct check *check, const char *sql, const char *good,
                          struct duet_error *reterr)
{
    bool row = false;
    struct store_query query = store_ask(check->store, doing, sql);
    enum duet_code code = store_step(&query, &row, reterr);
    while (code == DUET_OK && row) {
        const unsigned char *line = sqlite3_column_text(query.statement, 0);
        if (line == NULL) {
            code = store_out_of_memory(check->store, doing, reterr);
        } else if (good == NULL || strcmp((const char *)line, good) != 0) {
            tell(check, (const char *)line);
        }
        if (code == DUET_OK) {
            code = store_step(&query, &row, reterr);
        }
    }
    store_query_end(&query);
    return code;
}

/* SQLite looks at pages, indexes, types and CHECKs; it stops after 20 findings. */
static const char structure[] = "PRAGMA integrity_check(20)";

static const char *const contents[] = {
    "SELECT count(*) || ' rows of ' || \"table\" || ' refer to rows of ' || parent || ' that are not there' FROM "
    "pragma_foreign_key_check GROUP BY \"table\", parent",
    "SELECT 'experiment ' || id || ': it has ' || (SELECT count(*) FROM side WHERE experiment_id = e.id) || ' "
    "sides, not 2' FROM experiment AS e WHERE (SELECT count(*) FROM side WHERE experiment_id = e.id) <> 2",
    "SELECT 'experiment ' || id || ': its machine is not recorded' FROM experiment AS e WHERE NOT EXISTS "
    "(SELECT 1 FROM environment WHERE experiment_id = e.id)",
    "SELECT 'experiment ' || id || ': its plan is not JSON' FROM experiment WHERE NOT json_valid(plan)",
    "SELECT 'experiment ' || r.experiment_id || ': ' || count(*) || ' runs have only one side or none, the "
    "first is run ' || (min(r.idx) + 1) FROM run AS r WHERE (SELECT count(*) FROM run_side WHERE run_id = r.id) <> "
    "2 GROUP BY r.experiment_id",
    "SELECT 'experiment ' || r.experiment_id || ': ' || count(DISTINCT r.id) || ' runs do not have as many iterations as "
    "they say, the first is run ' || (min(r.idx) + 1) FROM run AS r JOIN run_side AS s ON s.run_id = r.id WHERE "
    "s.iterations <> (SELECT count(*) FROM iteration AS i WHERE i.run_id = r.id AND i.side = s.side AND "
    "i.filler = 0) AND s.iterations <> (SELECT count(*) FROM observation AS o WHERE o.run_id = r.id AND "
    "o.side = s.side AND o.metric_id = 1) GROUP BY r.experiment_id",
    "SELECT 'experiment ' || r.experiment_id || ': ' || count(*) || ' iterations end before they begin' FROM "
    "iteration AS i JOIN run AS r ON r.id = i.run_id WHERE i.end_ns < i.start_ns GROUP BY r.experiment_id",
    "SELECT 'experiment ' || d.experiment_id || ': its data set has ' || count(t.id) || ' trials, not ' || "
    "d.trials FROM dataset AS d LEFT JOIN trial AS t ON t.experiment_id = d.experiment_id GROUP BY "
    "d.experiment_id HAVING count(t.id) <> d.trials",
    "SELECT 'experiment ' || experiment_id || ': ' || count(*) || ' trials are cut short' FROM trial WHERE "
    "length(new_values) <> 8 * iterations OR length(old_values) <> 8 * iterations GROUP BY experiment_id",
};

/* What reading it says: words that this duet does not know, an analysis that is none.
 */
static enum duet_code read_one(struct check *check, int64_t id,
                               struct duet_error *reterr)
{
    struct store_experiment experiment = {0};
    struct duet_error error;
    enum duet_code code = store_experiment_load(check->store, id, &experiment, &error);
    if (code == DUET_E_FORMAT) {
        struct text line = {0};
        text_append_format(&line, "experiment %lld: %s", (long long)id, error.message);
        bool failed = text_failed(&line);
        if (!failed) {
            tell(check, text_string(&line));
        }
        text_release(&line);
        code = failed ? store_out_of_memory(check->store, doing, reterr) : DUET_OK;
    } else if (code == DUET_OK) {
        check->checked.runs += experiment.runs;
    } else if (reterr != NULL) {
        *reterr = error;
    }
    store_experiment_release(&experiment);
    return code;
}

static enum duet_code read_all(struct check *check, struct duet_error *reterr)
{
    int64_t *ids = NULL;
    size_t count = 0;
    struct store_query query =
        store_ask(check->store, doing, "SELECT id FROM experiment ORDER BY id");
    enum duet_code code = store_fetch_ints(&query, &ids, &count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = read_one(check, ids[i], reterr);
    }
    free(ids);
    check->checked.experiments = count;
    return code;
}

enum duet_code store_check(struct store *store,
                           void (*say)(void *context, const char *line), void *context,
                           struct store_checked *ret_checked, struct duet_error *reterr)
{
    struct check check = {.store = store, .say = say, .context = context};
    enum duet_code code = remote_need_all(store, reterr);
    if (code == DUET_OK) {
        code = remote_need_every_row(store, reterr);
    }
    if (code == DUET_OK) {
        code = ask(&check, structure, "ok", reterr);
    }
    /* Of a file whose pages are damaged, the rest says nothing more. */
    bool readable = check.checked.faults == 0;
    for (size_t i = 0;
         i < sizeof contents / sizeof contents[0] && code == DUET_OK && readable; i++) {
        code = ask(&check, contents[i], NULL, reterr);
    }
    if (code == DUET_OK && readable) {
        code = read_all(&check, reterr);
    }
    if (code == DUET_OK) {
        *ret_checked = check.checked;
    }
    return code;
}
