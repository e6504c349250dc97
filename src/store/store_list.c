/* Experiments, found and listed. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char doing[] = "reading experiments";

void store_experiment_release(struct store_experiment *experiment)
{
    if (experiment != NULL) {
        free(experiment->name);
        free(experiment->message);
        free(experiment->duet_version);
        for (int side = 0; side < MODEL_SIDES; side++) {
            free(experiment->commands[side]);
            free(experiment->names[side]);
        }
        *experiment = (struct store_experiment){0};
    }
}

/* Of several environments the newest; of several runs the first one's mode. */
#define EXPERIMENT_COLUMNS                                                            \
    "SELECT e.id, e.uuid, e.schedule, e.state, e.started_utc_ms, e.seed, e.warmup,"   \
    " e.name, e.duet_version, e.message, o.command, o.name, n.command, n.name,"       \
    " (SELECT count(*) FROM run WHERE experiment_id = e.id"                           \
    " AND schedule = e.schedule),"                                                    \
    " ifnull((SELECT mode FROM run WHERE experiment_id = e.id ORDER BY idx LIMIT 1)," \
    "  'command') AS mode,"                                                           \
    " (SELECT max(id) FROM environment WHERE experiment_id = e.id),"                  \
    " e.analysis, e.family_id, e.region_of, e.region,"                                \
    " c.verdict, c.ratio, c.duet_version,"                                            \
    " (SELECT mean_ns FROM comparison_side WHERE comparison_id = c.id AND side = 0)," \
    " d.trials, d.benchmarks, d.environments, d.iterations, d.paired, d.rows_read,"   \
    " d.rows_filtered, d.values_missing, CASE WHEN"                                   \
    " json_valid(e.plan) THEN json_extract(e.plan, '$.runs_known') END"               \
    " FROM experiment AS e LEFT JOIN dataset AS d ON d.experiment_id = e.id"          \
    " LEFT JOIN comparison AS c ON c.id = (SELECT max(id) FROM comparison"            \
    "  WHERE experiment_id = e.id AND baseline_id IS NULL)"                           \
    " LEFT JOIN side AS o ON o.experiment_id = e.id AND o.side = 0"                   \
    " LEFT JOIN side AS n ON n.experiment_id = e.id AND n.side = 1 "

enum {
    COLUMN_ID,
    COLUMN_UUID,
    COLUMN_SCHEDULE,
    COLUMN_STATE,
    COLUMN_STARTED,
    COLUMN_SEED,
    COLUMN_WARMUP,
    COLUMN_NAME,
    COLUMN_VERSION,
    COLUMN_MESSAGE,
    COLUMN_OLD_COMMAND,
    COLUMN_OLD_NAME,
    COLUMN_NEW_COMMAND,
    COLUMN_NEW_NAME,
    COLUMN_RUNS,
    COLUMN_MODE,
    COLUMN_ENVIRONMENT,
    COLUMN_ANALYSIS,
    COLUMN_FAMILY,
    COLUMN_REGION_OF,
    COLUMN_REGION,
    COLUMN_VERDICT,
    COLUMN_RATIO,
    COLUMN_ANSWERED_BY,
    COLUMN_OLD_MEAN,
    COLUMN_DATASET,
    COLUMN_RUNS_KNOWN = COLUMN_DATASET + 8
};

static int known_int(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? -1
               : sqlite3_column_int(statement, column);
}

static void read_host(sqlite3_stmt *statement, struct model_host *host)
{
    store_column_text(statement, 0, host->uuid, sizeof host->uuid);
    store_column_text(statement, 1, host->host_name, sizeof host->host_name);
    store_column_text(statement, 2, host->os, sizeof host->os);
    store_column_text(statement, 3, host->kernel, sizeof host->kernel);
    store_column_text(statement, 4, host->arch, sizeof host->arch);
    store_column_text(statement, 5, host->cpu_model, sizeof host->cpu_model);
    store_column_text(statement, 6, host->hypervisor, sizeof host->hypervisor);
    store_column_text(statement, 7, host->clock_source, sizeof host->clock_source);
    store_column_text(statement, 8, host->governor, sizeof host->governor);
    host->num_cpus = known_int(statement, 9);
    host->num_cores = known_int(statement, 10);
    host->smt = known_int(statement, 11);
    host->turbo = known_int(statement, 12);
    host->cpu_quota = store_column_real(statement, 13);
    host->memory_bytes = store_column_real(statement, 14);
}

/* Columns from `first` on; all NULL when the load was not recorded. */
static void read_load(sqlite3_stmt *statement, int first, struct model_host_load *load)
{
    for (int i = 0; i < 3; i++) {
        load->load_avg[i] = store_column_real(statement, first + i);
    }
    load->steal_ticks = store_column_real(statement, first + 3);
    load->total_ticks = store_column_real(statement, first + 4);
    load->throttled_s = store_column_real(statement, first + 5);
    load->throttled_count = store_column_count(statement, first + 6);
}

#define LOAD_COLUMNS(t)                                                     \
    t ".load_avg_1, " t ".load_avg_5, " t ".load_avg_15, " t ".steal_s, " t \
      ".total_s, " t ".throttled_s, " t ".throttled_count"

static enum duet_code read_environment(struct store *store, int64_t environment,
                                       struct store_experiment *experiment,
                                       struct duet_error *reterr)
{
    struct store_query query = store_ask(
        store, doing,
        "SELECT i.uuid, v.host_name, v.os, v.kernel, v.arch, v.cpu_model, v.hypervisor, v.clock_source, "
        "v.governor, v.num_cpus, v.num_cores, v.smt, v.turbo, v.cpu_quota, v.memory_bytes, " LOAD_COLUMNS(
            "b") ", " LOAD_COLUMNS("a") " FROM environment AS v JOIN instance AS i ON i.id = v.instance_id LEFT JOIN environment_load AS b  "
                                        "ON b.environment_id = v.id AND b.moment = 'before' LEFT JOIN environment_load AS a  ON "
                                        "a.environment_id = v.id AND a.moment = 'after' WHERE v.id = ?");
    store_bind_int(&query, environment);
    bool row = false;
    enum duet_code code = store_step(&query, &row, reterr);
    if (code == DUET_OK) {
        /* Without a row every column reads as NULL, that is, as unknown. */
        read_host(query.statement, &experiment->host);
        read_load(query.statement, 15, &experiment->load_before);
        read_load(query.statement, 22, &experiment->load_after);
    }
    store_query_end(&query);
    return code;
}

/* All 0 without one. */
static struct store_dataset read_dataset(sqlite3_stmt *statement)
{
    return (struct store_dataset){
        .trials = store_column_count(statement, COLUMN_DATASET),
        .benchmarks = store_column_count(statement, COLUMN_DATASET + 1),
        .environments = store_column_count(statement, COLUMN_DATASET + 2),
        .iterations = store_column_count(statement, COLUMN_DATASET + 3),
        .paired = sqlite3_column_int(statement, COLUMN_DATASET + 4) != 0,
        .rows_read = store_column_count(statement, COLUMN_DATASET + 5),
        .rows_filtered = store_column_count(statement, COLUMN_DATASET + 6),
        .values_missing = store_column_count(statement, COLUMN_DATASET + 7),
    };
}

static enum duet_code read_strings(const struct store *store, sqlite3_stmt *statement,
                                   struct store_experiment *experiment,
                                   struct duet_error *reterr)
{
    bool has_message = sqlite3_column_type(statement, COLUMN_MESSAGE) != SQLITE_NULL;
    experiment->name = store_column_string(statement, COLUMN_NAME);
    experiment->duet_version = store_column_string(statement, COLUMN_VERSION);
    experiment->message =
        has_message ? store_column_string(statement, COLUMN_MESSAGE) : NULL;
    experiment->commands[MODEL_OLD] =
        store_column_string(statement, COLUMN_OLD_COMMAND);
    experiment->names[MODEL_OLD] = store_column_string(statement, COLUMN_OLD_NAME);
    experiment->commands[MODEL_NEW] =
        store_column_string(statement, COLUMN_NEW_COMMAND);
    experiment->names[MODEL_NEW] = store_column_string(statement, COLUMN_NEW_NAME);
    if (experiment->name == NULL || experiment->duet_version == NULL ||
        (has_message && experiment->message == NULL) ||
        experiment->commands[MODEL_OLD] == NULL ||
        experiment->names[MODEL_OLD] == NULL ||
        experiment->commands[MODEL_NEW] == NULL ||
        experiment->names[MODEL_NEW] == NULL) {
        return store_out_of_memory(store, doing, reterr);
    }
    return DUET_OK;
}

/* Without one, what is answered to nothing asked. */
static enum duet_code read_analysis(const struct store *store, sqlite3_stmt *statement,
                                    struct store_experiment *experiment,
                                    struct duet_error *reterr)
{
    struct duet_error error;
    const unsigned char *text = sqlite3_column_text(statement, COLUMN_ANALYSIS);
    experiment->analysis = model_analysis_default();
    experiment->analysis.seed = experiment->seed;
    experiment->has_analysis = text != NULL;
    if (text == NULL) {
        return DUET_OK;
    }
    return model_analysis_read((const char *)text, &experiment->analysis, &error) ==
                   DUET_OK
               ? DUET_OK
               : error_set(reterr, DUET_E_FORMAT, "store '%s', experiment %lld: %s",
                           store->path, (long long)experiment->id, error.message);
}

static enum duet_code read_verdict(const struct store *store, sqlite3_stmt *statement,
                                   struct store_verdict *ret_verdict,
                                   struct duet_error *reterr)
{
    unsigned verdict = 0;
    if (sqlite3_column_type(statement, COLUMN_VERDICT) == SQLITE_NULL) {
        return DUET_OK;
    }
    enum duet_code code =
        store_column_enum(store, statement, COLUMN_VERDICT, model_verdict_name,
                          MODEL_VERDICTS, &verdict, reterr);
    if (code == DUET_OK) {
        ret_verdict->known = true;
        ret_verdict->verdict = (enum model_verdict)verdict;
        ret_verdict->ratio = store_column_real(statement, COLUMN_RATIO);
        store_column_text(statement, COLUMN_ANSWERED_BY, ret_verdict->duet_version,
                          sizeof ret_verdict->duet_version);
        ret_verdict->old_mean_ns = store_column_real(statement, COLUMN_OLD_MEAN);
    }
    return code;
}

/* One row of EXPERIMENT_COLUMNS. *ret_experiment is untouched on failure. */
static enum duet_code read_experiment(struct store *store, sqlite3_stmt *statement,
                                      struct store_experiment *ret_experiment,
                                      struct duet_error *reterr)
{
    struct store_experiment experiment = {
        .id = sqlite3_column_int64(statement, COLUMN_ID),
        .started_utc_ms = sqlite3_column_int64(statement, COLUMN_STARTED),
        .warmup = store_column_count(statement, COLUMN_WARMUP),
        .runs_known = sqlite3_column_int(statement, COLUMN_RUNS_KNOWN) != 0,
        .family = sqlite3_column_int64(statement, COLUMN_FAMILY),
        .region_of = sqlite3_column_int64(statement, COLUMN_REGION_OF),
        .runs = store_column_count(statement, COLUMN_RUNS),
        .dataset = read_dataset(statement),
    };
    char seed[32];
    store_column_text(statement, COLUMN_SEED, seed, sizeof seed);
    experiment.seed = strtoull(seed, NULL, 10);
    store_column_text(statement, COLUMN_REGION, experiment.region,
                      sizeof experiment.region);
    store_column_text(statement, COLUMN_UUID, experiment.uuid, sizeof experiment.uuid);
    unsigned schedule = 0;
    unsigned mode = 0;
    unsigned state = 0;
    enum duet_code code =
        store_column_enum(store, statement, COLUMN_SCHEDULE, model_schedule_name,
                          MODEL_SCHEDULES, &schedule, reterr);
    if (code == DUET_OK) {
        code = store_column_enum(store, statement, COLUMN_MODE, model_mode_name,
                                 STORE_MODES, &mode, reterr);
    }
    if (code == DUET_OK) {
        code = store_column_enum(store, statement, COLUMN_STATE, store_state_name,
                                 STORE_STATES, &state, reterr);
    }
    if (code == DUET_OK) {
        code = read_analysis(store, statement, &experiment, reterr);
    }
    if (code == DUET_OK) {
        code = read_verdict(store, statement, &experiment.verdict, reterr);
    }
    if (code == DUET_OK) {
        code = read_strings(store, statement, &experiment, reterr);
    }
    if (code == DUET_OK) {
        code =
            read_environment(store, sqlite3_column_int64(statement, COLUMN_ENVIRONMENT),
                             &experiment, reterr);
    }
    if (code != DUET_OK) {
        store_experiment_release(&experiment);
        return code;
    }
    experiment.schedule = (enum model_schedule)schedule;
    experiment.mode = (enum model_mode)mode;
    experiment.state = (enum store_state)state;
    *ret_experiment = experiment;
    return DUET_OK;
}

/* From what a user certainly means to what he may mean: a name that happens to begin
 * like another experiment's uuid is still that name. */
static enum duet_code find_id(struct store *store, const char *which, int64_t *ret_id,
                              struct duet_error *reterr)
{
    static const char by_last[] =
        "SELECT id FROM experiment WHERE ? = 'last' AND id NOT IN (SELECT experiment_id FROM "
        "companion) AND region_of IS NULL ORDER BY id DESC LIMIT 1";
    static const char by_id[] =
        "SELECT id FROM experiment WHERE id = CAST(?1 AS INTEGER) AND ?1 <> '' AND ?1 NOT GLOB '*[^0-9]*'";
    static const char by_name[] =
        "SELECT id FROM experiment WHERE name = ? ORDER BY id DESC LIMIT 1";
    static const char by_uuid[] =
        "SELECT id FROM experiment WHERE length(?1) >= 4 AND substr(uuid, 1, length(?1)) = lower(?1) LIMIT 2";
    static const char *const ways[] = {by_last, by_id, by_name, by_uuid};
    /* The same on a server, whose ids are looked up by their indexes. */
    static const char there[] =
        "(SELECT id FROM duet.experiment WHERE $1 = 'last' AND region_of IS NULL AND id NOT IN (SELECT experiment_id "
        "FROM duet.companion) ORDER BY id DESC LIMIT 1) UNION ALL (SELECT id FROM duet.experiment WHERE id = CASE "
        "WHEN $1 ~ '^[0-9]{1,18}$' THEN $1::bigint END) UNION ALL (SELECT id FROM duet.experiment WHERE name = $1 "
        "ORDER BY id DESC LIMIT 1) UNION ALL (SELECT id FROM duet.experiment WHERE length($1) >= 4 AND uuid >= "
        "lower($1) AND uuid < lower($1) || 'g' LIMIT 2)";
    int64_t *ids = NULL;
    size_t count = 0;
    enum duet_code needed = remote_need(store, there, which, reterr);
    if (needed != DUET_OK) {
        return needed;
    }
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && count == 0; i++) {
        struct store_query query = store_ask(store, doing, ways[i]);
        store_bind_string(&query, which);
        enum duet_code code = store_fetch_ints(&query, &ids, &count, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    int64_t id = count > 0 ? ids[0] : 0;
    free(ids);
    if (count > 1) {
        return error_set(reterr, DUET_E_USAGE,
                         "store '%s': several experiments' ids begin with '%s': "
                         "give more of it, or the number that `duet list` shows",
                         store->path, which);
    }
    if (count == 0) {
        return error_set(
            reterr, DUET_E_NOT_FOUND,
            "store '%s' has no experiment '%s' (`duet list` shows what there is)",
            store->path, which);
    }
    *ret_id = id;
    return DUET_OK;
}

enum duet_code store_experiment_find(struct store *store, const char *which,
                                     struct store_experiment *ret_experiment,
                                     struct duet_error *reterr)
{
    int64_t id = 0;
    enum duet_code code = find_id(store, which, &id, reterr);
    return code == DUET_OK ? store_experiment_load(store, id, ret_experiment, reterr)
                           : code;
}

enum duet_code store_experiment_load(struct store *store, int64_t experiment,
                                     struct store_experiment *ret_experiment,
                                     struct duet_error *reterr)
{
    bool row = false;
    enum duet_code code = remote_need_one(store, experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query =
        store_ask(store, doing, EXPERIMENT_COLUMNS "WHERE e.id = ?");
    store_bind_int(&query, experiment);
    code = store_step(&query, &row, reterr);
    if (code == DUET_OK && row) {
        code = read_experiment(store, query.statement, ret_experiment, reterr);
    } else if (code == DUET_OK) {
        code = error_set(reterr, DUET_E_NOT_FOUND,
                         "store '%s' has no experiment %lld (deleted meanwhile?)",
                         store->path, (long long)experiment);
    }
    store_query_end(&query);
    return code;
}

static enum duet_code read_listed(const struct store_query *query, void *ret_row,
                                  struct duet_error *reterr)
{
    return read_experiment(query->store, query->statement, ret_row, reterr);
}

enum duet_code store_experiment_list(struct store *store,
                                     struct store_experiment **ret_list,
                                     size_t *ret_count, struct duet_error *reterr)
{
    struct store_rows rows = {0};
    enum duet_code code = remote_need_all(store, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query =
        store_ask(store, doing, EXPERIMENT_COLUMNS "ORDER BY e.id DESC");
    code = store_collect(&query, read_listed, sizeof **ret_list, &rows, reterr);
    struct store_experiment *list = rows.list;
    if (code != DUET_OK) {
        for (size_t i = 0; i < rows.count; i++) {
            store_experiment_release(&list[i]);
        }
        free(list);
        return code;
    }
    *ret_list = list;
    *ret_count = rows.count;
    return DUET_OK;
}
