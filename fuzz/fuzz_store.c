// link: duet_session duet_report PkgConfig::SQLITE
// memory-mib: 64
// wanted: 1000000
/* Stores (store/store.h): a good one with a few cells and bytes exchanged, through all
 * that list, show and compare read. memory-mib: the store's cache and copies of what is
 * in it, which has little to do with the size of the input. */
#include "report/report.h"
#include "session/comparison/answers.h"
#include "session/watch/watch_series.h"
#include "store/store.h"
#include "store/store_watch.h"

#include "input_bytes.h"
#include "kept_memory.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    TEMPLATE_BYTES = 1 << 20,
    TABLES = 64,
    EDITS = 24,
    TEXT_BYTES = 256,
    SHOWN_OF = 64
};

static char path[64];
static unsigned char *original; /* the template */
static size_t original_bytes;
static char *tables[TABLES];
static unsigned table_count;

static void require(int holds)
{
    if (!holds) {
        abort();
    }
}

static void execute(sqlite3 *db, const char *sql)
{
    (void)sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static void remove_files(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char name[sizeof path + 16];
        (void)snprintf(name, sizeof name, "%s%s", path, ends[i]);
        (void)unlink(name);
    }
}

static char *read_all(const char *name, size_t *ret_bytes)
{
    FILE *file = fopen(name, "rb");
    require(file != NULL);
    char *bytes = calloc(TEMPLATE_BYTES, 1);
    require(bytes != NULL);
    *ret_bytes = fread(bytes, 1, TEMPLATE_BYTES - 1, file);
    (void)fclose(file);
    return bytes;
}

static void list_tables(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    require(sqlite3_prepare_v2(db,
                               "SELECT name FROM sqlite_schema WHERE type = 'table'",
                               -1, &statement, NULL) == SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW && table_count < TABLES) {
        tables[table_count++] = strdup((const char *)sqlite3_column_text(statement, 0));
    }
    (void)sqlite3_finalize(statement);
}

static int has_no_file_beside(sqlite3_vfs *files, const char *name, int flags,
                              int *ret_has)
{
    (void)files;
    (void)name;
    (void)flags;
    *ret_has = 0;
    return SQLITE_OK;
}

/* One process has the store: no locks, no look for a journal before each statement.
 * That takes a quarter of the time. */
static void have_it_alone(void)
{
    static sqlite3_vfs files;
    require(kept_memory_use() && sqlite3_initialize() == SQLITE_OK &&
            sqlite3_vfs_find("unix-none") != NULL);
    files = *sqlite3_vfs_find("unix-none");
    files.zName = "alone";
    files.xAccess = has_no_file_beside;
    require(sqlite3_vfs_register(&files, 1) == SQLITE_OK);
}

/* The store of tests/cli, brought up to date, in one file. */
static void make_template(void)
{
    have_it_alone();
    (void)snprintf(path, sizeof path, "/dev/shm/duet-fuzz-%ld.db", (long)getpid());
    remove_files();
    (void)atexit(remove_files);
    sqlite3 *db = NULL;
    size_t bytes = 0;
    char *dump = read_all(FUZZ_SOURCE_DIR "/../tests/cli/stores/version_6.sql", &bytes);
    require(sqlite3_open(path, &db) == SQLITE_OK);
    require(sqlite3_exec(db, dump, NULL, NULL, NULL) == SQLITE_OK);
    execute(db, "PRAGMA application_id = 1685415284; PRAGMA user_version = 6");
    (void)sqlite3_close(db);
    free(dump);
    struct store *store = NULL;
    require(store_open(path, true, &store, NULL) == DUET_OK);
    store_close(store);
    require(sqlite3_open(path, &db) == SQLITE_OK);
    execute(db, "PRAGMA journal_mode = DELETE");
    list_tables(db);
    (void)sqlite3_close(db);
    original = (unsigned char *)read_all(path, &original_bytes);
}

static void write_template(void)
{
    remove_files();
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    require(fd >= 0 && write(fd, original, original_bytes) == (ssize_t)original_bytes);
    (void)close(fd);
}

static void bind_value(sqlite3_stmt *statement, struct input *input)
{
    static const int64_t edges[] = {0,         1,          -1,     INT64_MAX,
                                    INT64_MIN, UINT32_MAX, 1 << 20};
    char text[TEXT_BYTES];
    double number = 0;
    uint64_t bits = 0;
    size_t length = 0;
    unsigned kind = (unsigned)input_number(input, 1) % 6;
    switch (kind) {
    case 0:
        (void)sqlite3_bind_null(statement, 1);
        break;
    case 1:
        (void)sqlite3_bind_int64(
            statement, 1,
            edges[input_number(input, 1) % (sizeof edges / sizeof edges[0])]);
        break;
    case 2:
        (void)sqlite3_bind_int64(statement, 1, (int64_t)input_number(input, 8));
        break;
    case 3:
        bits = input_number(input, 8);
        memcpy(&number, &bits, sizeof number);
        (void)sqlite3_bind_double(statement, 1, number);
        break;
    default:
        length = input_number(input, 1);
        for (size_t i = 0; i < length; i++) {
            text[i] = (char)input_number(input, 1);
        }
        (void)(kind == 4 ? sqlite3_bind_text(statement, 1, text, (int)length,
                                             SQLITE_TRANSIENT)
                         : sqlite3_bind_blob(statement, 1, text, (int)length,
                                             SQLITE_TRANSIENT));
    }
}

/* Another value in one cell, or in all of a column; or a row less. */
static void edit(sqlite3 *db, struct input *input)
{
    const char *table = tables[input_number(input, 1) % table_count];
    uint64_t column = input_number(input, 1);
    uint64_t row = input_number(input, 1);
    char sql[512];
    sqlite3_stmt *statement = NULL;
    (void)snprintf(sql, sizeof sql, "SELECT * FROM \"%s\"", table);
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return;
    }
    int columns = sqlite3_column_count(statement);
    char name[128];
    (void)snprintf(name, sizeof name, "%s",
                   sqlite3_column_name(statement, (int)(column % (uint64_t)columns)));
    (void)sqlite3_finalize(statement);
    if (row == UINT8_MAX - 1U) {
        (void)snprintf(sql, sizeof sql, "DELETE FROM \"%s\" WHERE ?1 IS \"%s\"", table,
                       name);
    } else if (row == UINT8_MAX) {
        (void)snprintf(sql, sizeof sql, "UPDATE OR IGNORE \"%s\" SET \"%s\" = ?1",
                       table, name);
    } else {
        (void)snprintf(
            sql, sizeof sql,
            "UPDATE OR IGNORE \"%s\" SET \"%s\" = ?1 WHERE \"%s\" IN (SELECT "
            "\"%s\" FROM \"%s\" LIMIT 1 OFFSET %u)",
            table, name, name, name, table, (unsigned)row);
    }
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
        bind_value(statement, input);
        (void)sqlite3_step(statement);
    }
    (void)sqlite3_finalize(statement);
}

static void edit_cells(struct input *input)
{
    sqlite3 *db = NULL;
    require(sqlite3_open(path, &db) == SQLITE_OK);
    execute(db, "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; "
                "PRAGMA synchronous = OFF; BEGIN");
    for (uint64_t left = input_number(input, 1) % EDITS; left > 0; left--) {
        edit(db, input);
    }
    execute(db, "COMMIT");
    (void)sqlite3_close(db);
}

static void edit_bytes(struct input *input)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    for (uint64_t left = input_number(input, 1) % EDITS; left > 0; left--) {
        off_t at = (off_t)(input_number(input, 3) % original_bytes);
        unsigned char byte = (unsigned char)input_number(input, 1);
        require(pwrite(fd, &byte, 1, at) == 1);
    }
    (void)close(fd);
}

static void show(struct store *store, int64_t id)
{
    struct answer answer;
    struct answers_overall overall;
    struct duet_error error = {0};
    const struct analysis_overrides quick = {.items = {{"replicates", "100"}},
                                             .count = 1};
    enum duet_code code = answers_recall(store, &id, 1, &quick, &answer, &error);
    if (code != DUET_OK) {
        require(error.code == code && error.message[0] != '\0');
        return;
    }
    if (answers_sum_up(&answer, 1, &overall, &error) == DUET_OK) {
        const struct report_style style = {.verbosity = 2};
        struct text text = {0};
        report_terminal(&text, overall.comparisons, 1, NULL, &style);
        report_markdown(&text, overall.comparisons, 1, &style);
        report_csv(&text, overall.comparisons, 1);
        text_release(&text);
        answers_overall_release(&overall);
    }
    answer_release(&answer);
}

static void read_iterations(struct store_run_reader *reader)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        struct model_iteration iteration;
        bool more = store_runs_begin(reader, (enum model_side)side, NULL) == DUET_OK;
        while (more && store_runs_iteration(reader, (enum model_side)side, &iteration,
                                            &more, NULL) == DUET_OK) {
        }
    }
}

static void read_runs(struct store *store, int64_t id)
{
    struct store_run_reader *reader = NULL;
    struct model_run run;
    bool more = store_runs_open(store, id, &reader, NULL) == DUET_OK;
    while (more && store_runs_next(reader, &run, &more, NULL) == DUET_OK && more) {
        struct model_run_values values = {0};
        if (store_runs_values(reader, "time", 0, &values, NULL) == DUET_OK) {
            model_run_values_release(&values);
        }
        read_iterations(reader);
    }
    store_runs_close(reader);
}

static void read_parts(struct store *store, int64_t id)
{
    struct store_dataset_part *parts = NULL;
    size_t count = 0;
    if (store_dataset_parts(store, id, &parts, &count, NULL) == DUET_OK) {
        free(parts);
    }
}

static void read_watches(struct store *store)
{
    struct store_watch *list = NULL;
    size_t count = 0;
    if (store_watch_list(store, &list, &count, NULL) != DUET_OK) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        struct watch_series series;
        if (watch_series_load(store, &list[i], &series, NULL) == DUET_OK) {
            watch_series_release(&series);
        }
        store_watch_release(&list[i]);
    }
    free(list);
}

/* shown: of which experiment there is an answer, too, which takes a hundred times as
 * long as reading. */
static void read_store(struct store *store, uint64_t shown)
{
    struct store_experiment *list = NULL;
    size_t count = 0;
    if (store_experiment_list(store, &list, &count, NULL) == DUET_OK) {
        for (size_t i = 0; i < count; i++) {
            read_runs(store, list[i].id);
            if (i == shown) {
                show(store, list[i].id);
            }
            read_parts(store, list[i].id);
            store_experiment_release(&list[i]);
        }
        free(list);
    }
    read_watches(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    struct store *store = NULL;
    struct duet_error error = {0};
    if (original == NULL) {
        make_template();
    }
    write_template();
    uint64_t flags = input_number(&input, 1);
    edit_cells(&input);
    edit_bytes(&input);
    enum duet_code code = store_open(path, (flags & 1U) != 0, &store, &error);
    if (code != DUET_OK) {
        require(error.code == code && strstr(error.message, path) != NULL);
        return 0;
    }
    read_store(store, flags / 2 % SHOWN_OF);
    store_close(store);
    return 0;
}
