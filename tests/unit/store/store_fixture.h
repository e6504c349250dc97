/* What the store's tests share: a folder of their own, a plan, runs with known numbers.
 * Include it last; it defines static functions. */
#ifndef TESTS_UNIT_STORE_STORE_FIXTURE_H
#define TESTS_UNIT_STORE_STORE_FIXTURE_H

#include "store/store_private.h"
#include "support/remove_tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#ifndef TEST_BINARY_DIR /* comes from the build */
#define TEST_BINARY_DIR "."
#endif
#define UNUSED_HELPER __attribute__((unused))

/* `call` must report into fixture_error. */
#define assert_ok(call)                                       \
    do {                                                      \
        if ((call) != DUET_OK) {                              \
            fail_msg("%s: %s", #call, fixture_error.message); \
        }                                                     \
    } while (0)

static struct duet_error fixture_error;

/* The path of `name` in a fresh folder; the folder is fixture_folder. */
static char fixture_folder[256];
static char fixture_path[512];

static UNUSED_HELPER const char *fixture_in(const char *name)
{
    (void)snprintf(fixture_path, sizeof fixture_path, "%s/%s", fixture_folder, name);
    return fixture_path;
}

static UNUSED_HELPER int fixture_setup_in(const char *folder)
{
    (void)snprintf(fixture_folder, sizeof fixture_folder, "%s/store-XXXXXX", folder);
    if (mkdtemp(fixture_folder) == NULL) {
        return -1;
    }
    (void)fixture_in("results.db");
    return 0;
}

static UNUSED_HELPER int fixture_setup(void **state)
{
    (void)state;
    return fixture_setup_in(TEST_BINARY_DIR);
}

static UNUSED_HELPER int fixture_teardown(void **state)
{
    (void)state;
    return remove_tree(fixture_folder);
}

static UNUSED_HELPER void fixture_write(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Runs SQL through a connection of its own, as another program would. */
static UNUSED_HELPER void fixture_sql(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    sqlite3_close(db);
}

/* Takes the newest steps of the schema back, up to and with the one that is called so:
 * a store from before it. */
static UNUSED_HELPER void fixture_go_back(const char *path, const char *step)
{
    static const struct {
        const char *summary;
        const char *undo;
    } ways[] = {
        {"warm-up in the views of iterations and pairs", ""}, /* the next row's */
        {"views with plain names, and experiments of other stores",
         "DROP VIEW experiments; DROP VIEW comparisons; DROP VIEW benchmarks;"
         "DROP VIEW runs; DROP VIEW iterations; DROP VIEW pairs;"
         "ALTER TABLE experiment DROP COLUMN merged_utc_ms"},
        {"operations of an iteration, and regions",
         "DROP VIEW observations;"
         "ALTER TABLE iteration DROP COLUMN operations;"
         "DROP INDEX experiment_by_region;"
         "ALTER TABLE experiment DROP COLUMN region;"
         "ALTER TABLE experiment DROP COLUMN region_of;"
         "CREATE VIEW observations AS SELECT 1"},
        {"controls, confirmations and acceptances",
         "DROP TABLE companion; DROP TABLE acceptance"},
        {"commits, and baselines", "DROP TABLE baseline; DROP TABLE revision;"
                                   "ALTER TABLE experiment DROP COLUMN benchmark"},
        {"experiments that were resumed", "DROP TABLE resumption"},
        {"descriptions of analyses, and what was judged together",
         "ALTER TABLE comparison DROP COLUMN duet_version;"
         "DROP INDEX experiment_by_family;"
         "ALTER TABLE experiment DROP COLUMN family_id;"
         "ALTER TABLE experiment DROP COLUMN analysis;"
         "DROP TABLE family"},
        {"tasks of a side", "ALTER TABLE run_side DROP COLUMN tasks;"
                            "ALTER TABLE run_side DROP COLUMN others_ns;"
                            "ALTER TABLE run_side DROP COLUMN window_ns"},
        {"CPU time that was taken", "ALTER TABLE iteration DROP COLUMN taken_ns"},
        {"data sets of instances", "DROP TABLE trial; DROP TABLE dataset"},
        {"watches", "DROP TABLE watch"},
        {"suites", "DROP INDEX experiment_by_suite_run;"
                   "ALTER TABLE experiment DROP COLUMN definition;"
                   "ALTER TABLE experiment DROP COLUMN suite_run_id;"
                   "DROP TABLE suite_run"},
    };
    size_t version = 0;
    const struct store_migration *steps = store_schema_steps(&version);
    bool found = false;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && !found; i++) {
        char sql[64];
        version--;
        assert_string_equal(steps[version].summary, ways[i].summary);
        fixture_sql(path, ways[i].undo);
        (void)snprintf(sql, sizeof sql, "PRAGMA user_version = %zu", version);
        fixture_sql(path, sql);
        found = strcmp(ways[i].summary, step) == 0;
    }
    assert_true(found);
}

/* The first column of the first row, as text; free() it. */
static UNUSED_HELPER char *fixture_text(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    }
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const unsigned char *text = sqlite3_column_text(statement, 0);
    char *copy = strdup(text == NULL ? "(null)" : (const char *)text);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return copy;
}

/* The same as a number. */
static UNUSED_HELPER int64_t fixture_number(const char *path, const char *sql)
{
    char *text = fixture_text(path, sql);
    int64_t number = strtoll(text, NULL, 10);
    free(text);
    return number;
}

static UNUSED_HELPER void fixture_expect_text(const char *sql, const char *expected)
{
    char *text = fixture_text(fixture_path, sql);
    assert_string_equal(text, expected);
    free(text);
}

static const char *const fixture_argv_old[] = {"xz", "-9", "a \"quoted\" word", NULL};
static const char *const fixture_argv_new[] = {"xz", "-6", "", NULL};

static const struct model_analysis fixture_analysis = {
    .estimator = MODEL_ESTIMATOR_TRIMMED,
    .interval = MODEL_INTERVAL_BCA,
    .interval_asked = true,
    .confidence = 0.1 + 0.7,
    .replicates = 500,
    .seed = UINT64_MAX - 1,
    .cleaning = {.warmup = MODEL_WARMUP_HALF},
    .same_within = (double)NAN,
    .gate.max_slowdown = 1.0 / 3.0,
    .precision = (double)NAN,
};

static UNUSED_HELPER struct model_plan fixture_plan(void)
{
    struct model_plan plan = {
        .name = "compress",
        .schedule = MODEL_SCHEDULE_DUET,
        .sides = {{.name = "slow", .command = "xz -9", .argv = fixture_argv_old},
                  {.name = "fast", .command = "xz -6", .argv = fixture_argv_new}},
        .seed = UINT64_MAX - 1,
        .iterations = 5,
        .warmup = 1,
        .analysis = &fixture_analysis,
        .runs = 3,
        .usage = true,
        .shell = "/bin/sh",
        .fill = {MODEL_FILL_KILL, MODEL_FILL_ON},
        .input = {.kind = MODEL_STREAM_FILE, .path = "/in put"},
    };
    plan.cpus[0] = (struct model_cpu_set){.cpus = {2, 3}, .count = 2};
    plan.cpus[1] = (struct model_cpu_set){.cpus = {5}, .count = 1};
    return plan;
}

static UNUSED_HELPER struct model_host fixture_host(void)
{
    return (struct model_host){
        .uuid = "6a0e5c9e-3b1f-5d1c-8f00-0123456789ab",
        .host_name = "lab",
        .kernel = "6.1.0-18-amd64",
        .num_cpus = 8,
        .num_cores = -1,
        .smt = 2,
        .turbo = 0,
        .cpu_quota = (double)NAN,
        .memory_bytes = 8589934592.0,
    };
}

static const struct model_host_load fixture_load = {
    .load_avg = {0.25, 0.5, 1.0},
    .steal_ticks = 1.5,
    .total_ticks = 1000.0,
    .throttled_s = (double)NAN,
    .throttled_count = 3,
};

static UNUSED_HELPER int64_t fixture_begin(struct store *store)
{
    struct model_plan plan = fixture_plan();
    struct model_host host = fixture_host();
    int64_t experiment = 0;
    assert_ok(store_experiment_begin(store, &plan, &host, &fixture_load, "0.1.0",
                                     &experiment, &fixture_error));
    return experiment;
}

static UNUSED_HELPER struct store *fixture_open(void)
{
    struct store *store = NULL;
    assert_ok(store_open(fixture_path, true, &store, &fixture_error));
    return store;
}

/* Iteration `index` of a side: its time is 1000 * (index + 1) + side ns, of which it
 * did not execute a tenth. Where the index is odd it waited; of every other of these it
 * is known that 6 % were taken. */
static UNUSED_HELPER struct model_iteration fixture_iteration(int side, uint64_t index)
{
    uint64_t start = 1000000000 + index * 100000;
    return (struct model_iteration){
        .index = index,
        .start_ns = start,
        .end_ns = start + 1000 * (index + 1) + (uint64_t)side,
        .cpu_ns = 900 * (index + 1),
        .user_ns = 800,
        .system_ns = 100,
        .taken_ns = index % 4 == 1 ? 60 * (index + 1) : 0,
        .operations = 1,
        .voluntary_switches = (uint32_t)(index % 2),
        .involuntary_switches = 2,
        .minor_faults = 3,
        .major_faults = 4,
        .cpu = (uint32_t)(2 + side),
        .flags =
            MODEL_ITERATION_SLEPT | (index % 4 == 1 ? MODEL_ITERATION_TAKEN_KNOWN : 0U),
        .exit_status = 7,
    };
}

static UNUSED_HELPER struct model_run fixture_run(uint64_t index, uint64_t iterations)
{
    return (struct model_run){
        .index = index,
        .block = index / 2,
        .schedule = MODEL_SCHEDULE_DUET,
        .mode = MODEL_MODE_HARNESS,
        .started_utc_ms = 1700000000000 + (int64_t)index,
        .started_ns = 10,
        .ended_ns = 20,
        .sides = {{.position = (unsigned)(index % 2),
                   .cpu = 2,
                   .pid = 100,
                   .exit_status = 0,
                   .peak_memory_bytes = 4096,
                   .iterations = iterations,
                   .counters = {1e9, 2e9, 3, 4},
                   .tasks = MODEL_TASKS_ONE,
                   .others_ns = 2e6,
                   .window_ns = 1e9},
                  {.position = (unsigned)((index + 1) % 2),
                   .cpu = 3,
                   .pid = 101,
                   .exit_status = 9,
                   .peak_memory_bytes = 8192,
                   .iterations = iterations,
                   .counters = {(double)NAN, 5, (double)NAN, (double)NAN},
                   .tasks = MODEL_TASKS_SEVERAL,
                   .others_ns = (double)NAN,
                   .window_ns = (double)NAN}},
        .runner_wakeups = 2,
        .slice_ns = (double)NAN,
    };
}

/* One run of `iterations` a side through the sink, sides in turn, in chunks. */
static UNUSED_HELPER enum duet_code
fixture_save_run(struct model_sink sink, uint64_t index, uint64_t iterations)
{
    enum { CHUNK = 100 };
    struct model_run run = fixture_run(index, iterations);
    enum duet_code code = sink.run_begin(sink.context, &run, &fixture_error);
    for (uint64_t first = 0; first < iterations && code == DUET_OK; first += CHUNK) {
        uint64_t left = iterations - first;
        size_t count = left < CHUNK ? (size_t)left : CHUNK;
        for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
            struct model_iteration chunk[CHUNK];
            for (size_t i = 0; i < count; i++) {
                chunk[i] = fixture_iteration(side, first + i);
            }
            code = sink.iterations(sink.context, (enum model_side)side, chunk, count,
                                   &fixture_error);
        }
    }
    return code != DUET_OK ? code : sink.run_end(sink.context, &run, &fixture_error);
}

#endif
