/* Data sets of instances, trials and iterations: a row a trial. */
#include "store/postgresql/remote.h"
#include "store/store_private.h"

#include "base/alloc.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static const char doing[] = "importing a data set";
static const char reading[] = "reading a data set";

/* ---- Values as bytes: IEEE 754 doubles, little-endian ---- */

struct scratch {
    double *values; /* or their bytes */
    size_t capacity;
};

static bool scratch_reserve(struct scratch *scratch, size_t count)
{
    if (count <= scratch->capacity) {
        return true;
    }
    double *grown = alloc_resize(scratch->values, count, sizeof *grown);
    if (grown != NULL) {
        scratch->values = grown;
        scratch->capacity = count;
    }
    return grown != NULL;
}

static void to_bytes(const double *values, size_t count, void *ret_bytes)
{
    unsigned char *bytes = ret_bytes;
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        memcpy(&word, &values[i], sizeof word);
        word = htole64(word);
        memcpy(bytes + i * sizeof word, &word, sizeof word);
    }
}

static void from_bytes(const void *bytes, size_t count, double *ret_values)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        memcpy(&word, from + i * sizeof word, sizeof word);
        word = le64toh(word);
        memcpy(&ret_values[i], &word, sizeof word);
    }
}

/* ---- Writing ---- */

struct importer {
    struct store *store;
    int64_t experiment;
    const struct model_dataset *dataset;
    sqlite3_stmt *insert_trial;
    struct scratch sides[MODEL_SIDES];
};

static const char trial_sql[] =
    "INSERT INTO trial(id, experiment_id, benchmark, environment, instance, trial, iterations, new_values, "
    "old_values) VALUES(duet_new_id('trial'), ?, ?, ?, ?, ?, ?, ?, ?)";

static enum duet_code check_free(struct importer *importer, struct duet_error *reterr)
{
    struct store *store = importer->store;
    bool row = false;
    int64_t taken = 0;
    struct store_query query = store_ask(
        store, doing,
        "SELECT EXISTS(SELECT 1 FROM dataset WHERE experiment_id = e.id) FROM experiment AS e WHERE e.id = ?");
    store_bind_int(&query, importer->experiment);
    enum duet_code code = store_fetch_int(&query, &row, &taken, reterr);
    if (code == DUET_OK && !row) {
        code = error_set(reterr, DUET_E_NOT_FOUND, "store '%s' has no experiment %lld",
                         store->path, (long long)importer->experiment);
    } else if (code == DUET_OK && taken != 0) {
        code = error_set(reterr, DUET_E_INTERNAL,
                         "store '%s': experiment %lld has a data set already",
                         store->path, (long long)importer->experiment);
    }
    return code;
}

static enum duet_code insert_dataset(struct importer *importer,
                                     const struct store_dataset *origin,
                                     struct duet_error *reterr)
{
    const struct model_dataset *dataset = importer->dataset;
    struct store_query query = store_ask(
        importer->store, doing,
        "INSERT INTO dataset(experiment_id, paired, benchmarks, environments, trials, iterations, rows_read, "
        "rows_filtered, values_missing) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
    store_bind_int(&query, importer->experiment);
    store_bind_int(&query, dataset->olds != NULL);
    store_bind_count(&query, dataset->benchmark_count);
    store_bind_count(&query, dataset->environment_count);
    store_bind_count(&query, dataset->trial_count);
    store_bind_count(&query, dataset->value_count);
    store_bind_count(&query, origin->rows_read);
    store_bind_count(&query, origin->rows_filtered);
    store_bind_count(&query, origin->values_missing);
    return store_run_once(&query, reterr);
}

static bool bind_values(struct store_query *query, struct scratch *scratch,
                        const double *values, size_t count)
{
    if (!scratch_reserve(scratch, count)) {
        return false;
    }
    to_bytes(values, count, scratch->values);
    store_bind_bytes(query, scratch->values, count * sizeof *values);
    return true;
}

static enum duet_code insert_trial(struct importer *importer, size_t configuration,
                                   const struct model_instance *instance,
                                   const struct model_trial *trial,
                                   struct duet_error *reterr)
{
    const struct model_dataset *dataset = importer->dataset;
    struct store_query query =
        store_bind(importer->store, doing, importer->insert_trial);
    store_bind_int(&query, importer->experiment);
    store_bind_string(&query, model_dataset_benchmark(dataset, configuration));
    store_bind_string(&query, model_dataset_environment(dataset, configuration));
    store_bind_string(&query, dataset->instance_names[instance->name]);
    store_bind_string(&query, dataset->trial_names[trial->name]);
    store_bind_count(&query, trial->count);
    bool bound = bind_values(&query, &importer->sides[MODEL_NEW],
                             dataset->values + trial->first, trial->count);
    if (dataset->olds == NULL) {
        store_bind_bytes(&query, NULL, 0);
    } else {
        bound = bound && bind_values(&query, &importer->sides[MODEL_OLD],
                                     dataset->olds + trial->first, trial->count);
    }
    return bound ? store_run(&query, reterr)
                 : store_out_of_memory(importer->store, doing, reterr);
}

static enum duet_code insert_configuration(struct importer *importer,
                                           size_t configuration,
                                           struct duet_error *reterr)
{
    const struct model_dataset *dataset = importer->dataset;
    const struct model_configuration *of = &dataset->configurations[configuration];
    enum duet_code code = DUET_OK;
    for (size_t i = of->first; i < of->first + of->count; i++) {
        const struct model_instance *instance = &dataset->instances[i];
        for (size_t t = 0; t < instance->count && code == DUET_OK; t++) {
            code = insert_trial(importer, configuration, instance,
                                &dataset->trials[instance->first + t], reterr);
        }
    }
    return code;
}

enum duet_code store_dataset_import(struct store *store, int64_t experiment,
                                    const struct model_dataset *dataset,
                                    const struct store_dataset *origin,
                                    struct duet_error *reterr)
{
    struct importer importer = {
        .store = store, .experiment = experiment, .dataset = dataset};
    enum duet_code code =
        store_prepare(store, trial_sql, doing, &importer.insert_trial, reterr);
    if (code == DUET_OK) {
        code = store_begin(store, doing, reterr);
    }
    if (code == DUET_OK) {
        code = check_free(&importer, reterr);
    }
    if (code == DUET_OK) {
        code = insert_dataset(&importer, origin, reterr);
    }
    for (size_t c = 0; c < dataset->configuration_count && code == DUET_OK; c++) {
        code = insert_configuration(&importer, c, reterr);
    }
    sqlite3_finalize(importer.insert_trial);
    free(importer.sides[MODEL_OLD].values);
    free(importer.sides[MODEL_NEW].values);
    return store_end(store, code, doing, reterr);
}

/* ---- Reading ---- */

enum trial_column {
    COLUMN_BENCHMARK,
    COLUMN_ENVIRONMENT,
    COLUMN_INSTANCE,
    COLUMN_TRIAL,
    COLUMN_ITERATIONS,
    COLUMN_NEW,
    COLUMN_OLD
};

static const char load_sql[] =
    "SELECT benchmark, environment, instance, trial, iterations, new_values, "
    "old_values FROM trial WHERE experiment_id = ? ORDER BY id";

/* Up to its first NUL, which a damaged store may have. */
static struct model_name column_name(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text == NULL ? (struct model_name){"", 0}
                        : (struct model_name){text, strlen(text)};
}

/* The values of one side. */
static enum duet_code read_values(const struct store *store, sqlite3_stmt *row,
                                  int column, size_t count, struct scratch *scratch,
                                  const double **ret_values, struct duet_error *reterr)
{
    const void *bytes = sqlite3_column_blob(row, column);
    size_t length = (size_t)sqlite3_column_bytes(row, column);
    if (length != count * sizeof(double) || count == 0 || bytes == NULL) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "store '%s' is damaged: a trial of '%s' should have %zu values and has %zu bytes of them",
            store->path, column_name(row, COLUMN_BENCHMARK).bytes, count, length);
    }
    if (!scratch_reserve(scratch, count)) {
        return store_out_of_memory(store, reading, reterr);
    }
    from_bytes(bytes, count, scratch->values);
    *ret_values = scratch->values;
    return DUET_OK;
}

static enum duet_code add_trial(const struct store *store, sqlite3_stmt *row,
                                const char *environment,
                                struct scratch scratch[MODEL_SIDES],
                                struct model_dataset_builder *builder,
                                struct duet_error *reterr)
{
    struct model_name names[MODEL_LEVELS] = {
        [MODEL_LEVEL_BENCHMARK] = column_name(row, COLUMN_BENCHMARK),
        [MODEL_LEVEL_ENVIRONMENT] = column_name(row, COLUMN_ENVIRONMENT),
        [MODEL_LEVEL_INSTANCE] = column_name(row, COLUMN_INSTANCE),
        [MODEL_LEVEL_TRIAL] = column_name(row, COLUMN_TRIAL)};
    const double *values[MODEL_SIDES] = {NULL, NULL};
    size_t count = (size_t)store_column_count(row, COLUMN_ITERATIONS);
    bool paired = sqlite3_column_type(row, COLUMN_OLD) != SQLITE_NULL;
    if (strcmp(names[MODEL_LEVEL_ENVIRONMENT].bytes, "-") == 0) {
        names[MODEL_LEVEL_ENVIRONMENT] =
            (struct model_name){environment, strlen(environment)};
    }
    if (paired != model_dataset_builder_is_paired(builder)) {
        return error_set(reterr, DUET_E_USAGE,
                         "data with pairs and data without cannot be one data set");
    }
    enum duet_code code = read_values(store, row, COLUMN_NEW, count,
                                      &scratch[MODEL_NEW], &values[MODEL_NEW], reterr);
    if (code == DUET_OK && paired) {
        code = read_values(store, row, COLUMN_OLD, count, &scratch[MODEL_OLD],
                           &values[MODEL_OLD], reterr);
    }
    if (code == DUET_OK) {
        code = model_dataset_builder_add_trial(builder, names, values[MODEL_NEW],
                                               values[MODEL_OLD], count, reterr);
    }
    return code;
}

enum duet_code store_dataset_load(struct store *store, int64_t experiment,
                                  const char *environment,
                                  struct model_dataset_builder *builder,
                                  struct duet_error *reterr)
{
    struct scratch scratch[MODEL_SIDES] = {{NULL, 0}, {NULL, 0}};
    enum duet_code code = remote_need_rows(store, experiment, reterr);
    bool more = code == DUET_OK;
    struct store_query query = store_ask(store, reading, load_sql);
    store_bind_int(&query, experiment);
    while (more && code == DUET_OK) {
        code = store_step(&query, &more, reterr);
        if (code == DUET_OK && more) {
            code = add_trial(store, query.statement, environment, scratch, builder,
                             reterr);
        }
    }
    store_query_end(&query);
    free(scratch[MODEL_OLD].values);
    free(scratch[MODEL_NEW].values);
    return code;
}

static enum duet_code read_part(const struct store_query *query, void *ret_row,
                                struct duet_error *reterr)
{
    (void)reterr;
    struct store_dataset_part *part = ret_row;
    store_column_text(query->statement, 0, part->environment, sizeof part->environment);
    part->benchmarks = store_column_count(query->statement, 1);
    part->instances = store_column_count(query->statement, 2);
    part->trials = store_column_count(query->statement, 3);
    part->iterations = store_column_count(query->statement, 4);
    return DUET_OK;
}

enum duet_code store_dataset_parts(struct store *store, int64_t experiment,
                                   struct store_dataset_part **ret_parts,
                                   size_t *ret_count, struct duet_error *reterr)
{
    struct store_rows rows = {0};
    enum duet_code code = remote_need_rows(store, experiment, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct store_query query = store_ask(
        store, reading,
        "SELECT environment, count(DISTINCT benchmark), count(DISTINCT instance), count(*), "
        "sum(iterations) FROM trial WHERE experiment_id = ? GROUP BY environment ORDER BY 1");
    store_bind_int(&query, experiment);
    code = store_collect(&query, read_part, sizeof **ret_parts, &rows, reterr);
    if (code == DUET_OK) {
        *ret_parts = rows.list;
        *ret_count = rows.count;
    } else {
        free(rows.list);
    }
    return code;
}
