/* Answers, kept with their experiments. */
#include "store/store_private.h"

#include <stdio.h>

static const char saving[] = "saving a comparison";
static const char reading[] = "reading a comparison";

static const char *const warning_kinds[] = {"machine", "data", "workload"};
enum { WARNING_KINDS = MODEL_WARNING_WORKLOAD + 1 };

static const char *warning_kind_name(unsigned kind)
{
    return kind < WARNING_KINDS ? warning_kinds[kind] : "unknown";
}

static const char *verdict_name(unsigned verdict)
{
    return model_verdict_name((enum model_verdict)verdict);
}

static const char *estimator_name(unsigned estimator)
{
    return model_estimator_name((enum model_estimator)estimator);
}

static const char *interval_name(unsigned method)
{
    return model_interval_method_name((enum model_interval_method)method);
}

static enum duet_code delete_older(struct store *store, int64_t experiment,
                                   const char *metric, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(store,
                                        "DELETE FROM comparison WHERE experiment_id = ?"
                                        " AND baseline_id IS NULL AND metric = ?",
                                        saving, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, experiment);
        store_bind_string(&binder, metric);
        code = store_run(store, &binder, saving, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

static void bind_comparison(struct store_binder *binder, int64_t experiment,
                            const struct model_comparison *comparison,
                            const char *version)
{
    store_bind_int(binder, experiment);
    store_bind_int(binder, store_utc_ms());
    store_bind_string(binder, comparison->name);
    store_bind_string(binder, comparison->metric);
    store_bind_string(binder, model_schedule_name(comparison->schedule));
    store_bind_string(binder, model_mode_name(comparison->mode));
    store_bind_real(binder, comparison->ratio);
    store_bind_real(binder, comparison->interval.low);
    store_bind_real(binder, comparison->interval.high);
    store_bind_real(binder, comparison->interval.confidence);
    store_bind_string(binder, model_interval_method_name(comparison->interval.method));
    store_bind_string(binder, model_verdict_name(comparison->verdict));
    store_bind_real(binder, comparison->same_within);
    store_bind_real(binder, comparison->could_have_seen);
    store_bind_count(binder, comparison->runs);
    store_bind_count(binder, comparison->iterations);
    store_bind_count(binder, comparison->winsorized);
    store_bind_string(binder, model_estimator_name(comparison->estimator));
    store_bind_real(binder, comparison->paired_width);
    store_bind_real(binder, comparison->shuffled_width);
    store_bind_real(binder, comparison->stratified_width);
    store_bind_real(binder, comparison->measured_coverage);
    store_bind_real(binder, comparison->tails[MODEL_TAIL_P90].ratio);
    store_bind_known_text(binder, version);
}

static enum duet_code insert_comparison(struct store *store, int64_t experiment,
                                        const struct model_comparison *comparison,
                                        const char *version, struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT INTO comparison(experiment_id, created_utc_ms, name, metric, schedule,"
        " mode, ratio, low, high, confidence, interval_method, verdict, same_within,"
        " could_have_seen, runs, iterations, winsorized, estimator, paired_width,"
        " shuffled_width, stratified_width, measured_coverage, tail_ratio,"
        " duet_version) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?, ?)",
        saving, &statement, reterr);
    if (code == DUET_OK) {
        struct store_binder binder = store_bind(statement);
        bind_comparison(&binder, experiment, comparison, version);
        code = store_run(store, &binder, saving, reterr);
    }
    if (code != DUET_OK &&
        sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_FOREIGNKEY) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s' has no experiment %lld to keep a comparison with",
                         store->path, (long long)experiment);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code insert_summaries(struct store *store, int64_t comparison_id,
                                       const struct model_summary sides[MODEL_SIDES],
                                       struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "INSERT INTO comparison_side(comparison_id, side, count, mean_ns, sd_ns,"
        " median_ns, min_ns, max_ns, user_ns, system_ns)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        saving, &statement, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, comparison_id);
        store_bind_int(&binder, side);
        store_bind_count(&binder, sides[side].count);
        store_bind_real(&binder, sides[side].mean_ns);
        store_bind_real(&binder, sides[side].sd_ns);
        store_bind_real(&binder, sides[side].median_ns);
        store_bind_real(&binder, sides[side].min_ns);
        store_bind_real(&binder, sides[side].max_ns);
        store_bind_real(&binder, sides[side].user_ns);
        store_bind_real(&binder, sides[side].system_ns);
        code = store_run(store, &binder, saving, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code insert_warnings(struct store *store, int64_t comparison_id,
                                      const struct model_comparison *comparison,
                                      struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code =
        store_prepare(store,
                      "INSERT INTO comparison_warning(comparison_id, idx, kind, text)"
                      " VALUES(?, ?, ?, ?)",
                      saving, &statement, reterr);
    for (size_t i = 0; i < comparison->warning_count && code == DUET_OK; i++) {
        const struct model_warning *warning = &comparison->warnings[i];
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, comparison_id);
        store_bind_count(&binder, i);
        store_bind_string(&binder, warning_kind_name((unsigned)warning->kind));
        store_bind_string(&binder, warning->text);
        code = store_run(store, &binder, saving, reterr);
    }
    sqlite3_finalize(statement);
    return code;
}

enum duet_code store_comparison_save(struct store *store, int64_t experiment,
                                     const struct model_comparison *comparison,
                                     const char *version, struct duet_error *reterr)
{
    /* On for the deletion's cascade and to refuse an experiment that is not there; the
     * setting cannot change inside a transaction. */
    enum duet_code code =
        store_execute(store, "PRAGMA foreign_keys = ON", saving, reterr);
    if (code == DUET_OK) {
        code = store_begin(store, saving, reterr);
    }
    if (code == DUET_OK) {
        code = delete_older(store, experiment, comparison->metric, reterr);
    }
    if (code == DUET_OK) {
        code = insert_comparison(store, experiment, comparison, version, reterr);
    }
    int64_t comparison_id = sqlite3_last_insert_rowid(store->db);
    if (code == DUET_OK) {
        code = insert_summaries(store, comparison_id, comparison->sides, reterr);
    }
    if (code == DUET_OK) {
        code = insert_warnings(store, comparison_id, comparison, reterr);
    }
    if (code == DUET_OK) {
        code = store_commit(store, saving, reterr);
    }
    store_rollback(store);
    (void)sqlite3_exec(store->db, "PRAGMA foreign_keys = OFF", NULL, NULL, NULL);
    return code;
}

static enum duet_code read_enums(const struct store *store, sqlite3_stmt *statement,
                                 struct model_comparison *comparison,
                                 struct duet_error *reterr)
{
    const struct {
        store_name_of *name_of;
        int column;
        unsigned count;
    } fields[] = {{store_schedule_name, 3, MODEL_SCHEDULES},
                  {store_mode_name, 4, STORE_MODES},
                  {interval_name, 5, MODEL_INTERVAL_METHODS},
                  {verdict_name, 6, MODEL_VERDICTS},
                  {estimator_name, 7, MODEL_ESTIMATORS}};
    unsigned values[sizeof fields / sizeof fields[0]] = {0};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        enum duet_code code =
            store_column_enum(store, statement, fields[i].column, fields[i].name_of,
                              fields[i].count, &values[i], reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    comparison->schedule = (enum model_schedule)values[0];
    comparison->mode = (enum model_mode)values[1];
    comparison->interval.method = (enum model_interval_method)values[2];
    comparison->verdict = (enum model_verdict)values[3];
    comparison->estimator = (enum model_estimator)values[4];
    return DUET_OK;
}

static enum duet_code read_comparison(struct store *store, int64_t experiment,
                                      int64_t *ret_id,
                                      struct model_comparison *comparison,
                                      struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "SELECT id, name, metric, schedule, mode, interval_method, verdict, estimator,"
        " runs, iterations, winsorized, ratio, low, high, confidence, same_within,"
        " could_have_seen, paired_width, shuffled_width, stratified_width,"
        " measured_coverage, tail_ratio FROM comparison"
        " WHERE experiment_id = ? AND baseline_id IS NULL ORDER BY id DESC LIMIT 1",
        reading, &statement, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_binder binder = store_bind(statement);
    store_bind_int(&binder, experiment);
    bool row = false;
    code = store_step(store, &binder, reading, &row, reterr);
    if (code == DUET_OK && !row) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s': experiment %lld has no saved comparison",
                         store->path, (long long)experiment);
    }
    if (code == DUET_OK) {
        code = read_enums(store, statement, comparison, reterr);
    }
    if (code == DUET_OK) {
        double *const reals[] = {
            &comparison->ratio,
            &comparison->interval.low,
            &comparison->interval.high,
            &comparison->interval.confidence,
            &comparison->same_within,
            &comparison->could_have_seen,
            &comparison->paired_width,
            &comparison->shuffled_width,
            &comparison->stratified_width,
            &comparison->measured_coverage,
            &comparison->tails[MODEL_TAIL_P90].ratio,
        };
        *ret_id = sqlite3_column_int64(statement, 0);
        store_column_text(statement, 1, comparison->name, sizeof comparison->name);
        store_column_text(statement, 2, comparison->metric, sizeof comparison->metric);
        comparison->runs = store_column_count(statement, 8);
        comparison->iterations = store_column_count(statement, 9);
        comparison->winsorized = store_column_count(statement, 10);
        for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
            *reals[i] = store_column_real(statement, 11 + (int)i);
        }
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code read_summaries(struct store *store, int64_t comparison_id,
                                     struct model_summary sides[MODEL_SIDES],
                                     struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(
        store,
        "SELECT count, mean_ns, sd_ns, median_ns, min_ns, max_ns, user_ns, system_ns"
        " FROM comparison_side WHERE comparison_id = ? AND side = ?",
        reading, &statement, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct store_binder binder = store_bind(statement);
        store_bind_int(&binder, comparison_id);
        store_bind_int(&binder, side);
        bool row = false;
        code = store_step(store, &binder, reading, &row, reterr);
        if (code == DUET_OK) {
            sides[side] = (struct model_summary){
                .count = store_column_count(statement, 0),
                .mean_ns = store_column_real(statement, 1),
                .sd_ns = store_column_real(statement, 2),
                .median_ns = store_column_real(statement, 3),
                .min_ns = store_column_real(statement, 4),
                .max_ns = store_column_real(statement, 5),
                .user_ns = store_column_real(statement, 6),
                .system_ns = store_column_real(statement, 7),
            };
        }
    }
    sqlite3_finalize(statement);
    return code;
}

static enum duet_code read_warnings(struct store *store, int64_t comparison_id,
                                    struct model_comparison *comparison,
                                    struct duet_error *reterr)
{
    sqlite3_stmt *statement = NULL;
    enum duet_code code = store_prepare(store,
                                        "SELECT kind, text FROM comparison_warning"
                                        " WHERE comparison_id = ? ORDER BY idx LIMIT ?",
                                        reading, &statement, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_binder binder = store_bind(statement);
    store_bind_int(&binder, comparison_id);
    store_bind_int(&binder, MODEL_WARNINGS_MAX);
    bool row = false;
    code = store_step(store, &binder, reading, &row, reterr);
    while (code == DUET_OK && row) {
        struct model_warning *warning =
            &comparison->warnings[comparison->warning_count++];
        unsigned kind = 0;
        store_column_text(statement, 1, warning->text, sizeof warning->text);
        code = store_column_enum(store, statement, 0, warning_kind_name, WARNING_KINDS,
                                 &kind, reterr);
        warning->kind = (enum model_warning_kind)kind;
        if (code == DUET_OK) {
            code = store_step(store, &binder, reading, &row, reterr);
        }
    }
    sqlite3_finalize(statement);
    return code;
}

enum duet_code store_comparison_load(struct store *store, int64_t experiment,
                                     struct model_comparison *ret_comparison,
                                     struct duet_error *reterr)
{
    struct model_comparison comparison = {0};
    int64_t id = 0;
    enum duet_code code = read_comparison(store, experiment, &id, &comparison, reterr);
    if (code == DUET_OK) {
        code = read_summaries(store, id, comparison.sides, reterr);
    }
    if (code == DUET_OK) {
        code = read_warnings(store, id, &comparison, reterr);
    }
    if (code == DUET_OK) {
        *ret_comparison = comparison;
    }
    return code;
}
