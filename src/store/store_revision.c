#include "store/store_revision.h"

#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <stdlib.h>

static const char saving[] = "saving commits";
static const char reading[] = "reading commits";

/* ---- Saving ---- */

static enum duet_code insert_revision(struct store *store, int64_t experiment, int side,
                                      const struct model_revision *revision,
                                      struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, saving,
                  "INSERT OR REPLACE INTO revision(experiment_id, side, repository, "
                  "commit_hash, tree_hash, committed_utc_ms, subject, changed) "
                  "VALUES(?, ?, ?, ?, ?, nullif(?, 0), ?, ?)");
    store_bind_int(&query, experiment);
    store_bind_int(&query, side);
    store_bind_known_text(&query, revision->repository);
    store_bind_string(&query, revision->commit);
    store_bind_string(&query, revision->tree);
    store_bind_int(&query, revision->committed_utc_ms);
    store_bind_string(&query, revision->subject);
    store_bind_int(&query, revision->changed);
    return store_run_once(&query, reterr);
}

static enum duet_code name_benchmark(struct store *store, int64_t experiment,
                                     const char *benchmark, struct duet_error *reterr)
{
    struct store_query query =
        store_ask(store, saving, "UPDATE experiment SET benchmark = ? WHERE id = ?");
    store_bind_string(&query, benchmark);
    store_bind_int(&query, experiment);
    return store_run_found(&query, "experiment", experiment, reterr);
}

enum duet_code store_revisions_save(struct store *store, int64_t experiment,
                                    const char *benchmark,
                                    const struct model_revision revisions[MODEL_SIDES],
                                    struct duet_error *reterr)
{
    enum duet_code code = store_begin(store, saving, reterr);
    if (code == DUET_OK) {
        code = name_benchmark(store, experiment, benchmark, reterr);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        code = insert_revision(store, experiment, side, &revisions[side], reterr);
    }
    return store_end(store, code, saving, reterr);
}

/* ---- Reading ---- */

void store_links_release(struct store_link *links, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(links[i].benchmark);
        free(links[i].suite);
        for (int side = 0; side < MODEL_SIDES; side++) {
            free(links[i].sides[side].repository);
            free(links[i].sides[side].subject);
        }
    }
    free(links);
}

/* Of a side: so many columns, from its first on. */
#define SIDE_COLUMNS(t)                                                             \
    t ".repository, " t ".commit_hash, " t ".tree_hash, " t ".committed_utc_ms, " t \
      ".subject, " t ".changed"
enum { COLUMN_OLD = 12, COLUMN_NEW = COLUMN_OLD + 6 };

static bool read_side(sqlite3_stmt *statement, int first, struct model_revision *side)
{
    side->repository = store_column_string(statement, first);
    store_column_text(statement, first + 1, side->commit, sizeof side->commit);
    store_column_text(statement, first + 2, side->tree, sizeof side->tree);
    side->committed_utc_ms = sqlite3_column_int64(statement, first + 3);
    side->subject = store_column_string(statement, first + 4);
    side->changed = sqlite3_column_int(statement, first + 5) != 0;
    return side->repository != NULL && side->subject != NULL;
}

static enum duet_code read_link(const struct store_query *query, void *ret_row,
                                struct duet_error *reterr)
{
    struct store_link *link = ret_row;
    sqlite3_stmt *statement = query->statement;
    unsigned verdict = 0;
    link->experiment = sqlite3_column_int64(statement, 0);
    link->started_utc_ms = sqlite3_column_int64(statement, 1);
    link->benchmark = store_column_string(statement, 2);
    store_column_text(statement, 3, link->cpu_model, sizeof link->cpu_model);
    link->ratio = store_column_real(statement, 5);
    link->low = store_column_real(statement, 6);
    link->high = store_column_real(statement, 7);
    link->confidence = store_column_real(statement, 8);
    link->named = sqlite3_column_int(statement, 9) != 0;
    link->region = sqlite3_column_int(statement, 10) != 0;
    link->suite = store_column_string(statement, 11);
    bool whole = read_side(statement, COLUMN_OLD, &link->sides[MODEL_OLD]);
    whole = read_side(statement, COLUMN_NEW, &link->sides[MODEL_NEW]) && whole;
    if (!whole || link->benchmark == NULL || link->suite == NULL) {
        return store_out_of_memory(query->store, reading, reterr);
    }
    enum duet_code code =
        store_column_enum(query->store, statement, 4, model_verdict_name,
                          MODEL_VERDICTS, &verdict, reterr);
    link->verdict = (enum model_verdict)verdict;
    return code;
}

static enum duet_code count_unanswered(struct store *store, size_t *ret_count,
                                       struct duet_error *reterr)
{
    bool row = false;
    int64_t count = 0;
    struct store_query query = store_ask(
        store, reading,
        "SELECT count(*) FROM revision AS r WHERE r.side = 0 AND NOT EXISTS (SELECT 1 FROM comparison "
        "AS c WHERE c.experiment_id = r.experiment_id AND c.baseline_id IS NULL)");
    enum duet_code code = store_fetch_int(&query, &row, &count, reterr);
    *ret_count = (size_t)count;
    return code;
}

enum duet_code store_links_load(struct store *store, struct store_link **ret_links,
                                size_t *ret_count, size_t *ret_unanswered,
                                struct duet_error *reterr)
{
    struct store_rows rows = {0};
    enum duet_code code = remote_need(
        store, "SELECT experiment_id FROM duet.revision WHERE side = 0", NULL, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, reading,
        "SELECT e.id, e.started_utc_ms, ifnull(e.benchmark, e.name), (SELECT v.cpu_model FROM environment "
        "AS v WHERE v.experiment_id = e.id ORDER BY v.id DESC LIMIT 1), c.verdict, c.ratio, c.low, c.high, "
        "c.confidence, e.benchmark IS NULL, e.region_of IS NOT NULL, (SELECT path FROM suite_run WHERE id = e.suite_run_id), " SIDE_COLUMNS(
            "o") ", " SIDE_COLUMNS("n") " FROM experiment AS e "
                                        "JOIN revision AS o ON o.experiment_id = e.id AND o.side = 0 "
                                        "JOIN revision AS n ON n.experiment_id = e.id AND n.side = 1 "
                                        "JOIN comparison AS c ON c.id = (SELECT max(id) FROM comparison WHERE "
                                        "experiment_id = e.id AND baseline_id IS NULL) ORDER BY e.id");
    code = store_collect(&query, read_link, sizeof **ret_links, &rows, reterr);
    if (code == DUET_OK) {
        code = count_unanswered(store, ret_unanswered, reterr);
    }
    if (code != DUET_OK) {
        store_links_release(rows.list, rows.count);
        return code;
    }
    *ret_links = rows.list;
    *ret_count = rows.count;
    return DUET_OK;
}
