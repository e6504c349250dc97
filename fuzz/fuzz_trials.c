// link: duet_store duet_formats PkgConfig::SQLITE
/* Rows of a data set in a store (store_dataset_load() of store/store.h), whose values
 * are arrays of doubles in blobs: up to eight rows whose cells have any type, length
 * and bytes. The table has no types, so that SQLite refuses none of them. */
#include "store/store_private.h"

#include "dataset_input.h"
#include "input_bytes.h"
#include "kept_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS_MAX = 8, NAMES = 4, CELLS = 7, TEXT_BYTES = 256 };

static char name[] = "input";
static struct store store = {.path = name, .lock_fd = -1};
static sqlite3_stmt *insert;
static sqlite3_stmt *clear;

static sqlite3_stmt *prepare(const char *sql)
{
    sqlite3_stmt *statement = NULL;
    require(sqlite3_prepare_v2(store.db, sql, -1, &statement, NULL) == SQLITE_OK);
    return statement;
}

static void make_store(void)
{
    require(kept_memory_use() && sqlite3_open(":memory:", &store.db) == SQLITE_OK &&
            sqlite3_exec(store.db,
                         "CREATE TABLE trial(id INTEGER PRIMARY KEY, experiment_id, "
                         "benchmark, environment, instance, trial, iterations, "
                         "new_values, old_values)",
                         NULL, NULL, NULL) == SQLITE_OK);
    insert = prepare("INSERT INTO trial(experiment_id, benchmark, environment, "
                     "instance, trial, iterations, new_values, old_values) "
                     "VALUES (1, ?, ?, ?, ?, ?, ?, ?)");
    clear = prepare("DELETE FROM trial");
}

static void carry_out(sqlite3_stmt *statement)
{
    require(sqlite3_step(statement) == SQLITE_DONE);
    (void)sqlite3_reset(statement);
}

/* A few bytes of text for each name, which are often those of another row. */
static void bind_name(int at, struct input *input)
{
    char text[TEXT_BYTES];
    size_t length = (size_t)input_number(input, 1);
    if (length >= TEXT_BYTES / 2) {
        (void)sqlite3_bind_text(insert, at, length % 2 == 0 ? "a" : "-", 1,
                                SQLITE_STATIC);
        return;
    }
    input_take(input, text, length);
    (void)sqlite3_bind_text(insert, at, text, (int)length, SQLITE_TRANSIENT);
}

/* A value of any kind; `usual` chooses that which the cell should have. */
static void bind_cell(int at, struct input *input, unsigned usual)
{
    char text[TEXT_BYTES];
    unsigned kind = (unsigned)input_number(input, 1);
    size_t length = 0;
    uint64_t bits = 0;
    double number = 0;
    switch (kind < 5 ? kind : usual) {
    case 0:
        (void)sqlite3_bind_null(insert, at);
        break;
    case 1:
        (void)sqlite3_bind_int64(insert, at,
                                 (int64_t)input_number(input, kind == 1 ? 8 : 1));
        break;
    case 2:
        bits = input_number(input, sizeof bits);
        memcpy(&number, &bits, sizeof number);
        (void)sqlite3_bind_double(insert, at, number);
        break;
    case 3:
        length = (size_t)input_number(input, 1);
        input_take(input, text, length);
        (void)sqlite3_bind_text(insert, at, text, (int)length, SQLITE_TRANSIENT);
        break;
    default:
        length = (size_t)input_number(input, 1);
        length = kind == 4 ? length : length % 32 * sizeof(double);
        input_take(input, text, length);
        (void)sqlite3_bind_blob(insert, at, text, (int)length, SQLITE_TRANSIENT);
    }
}

static void add_row(struct input *input, bool paired)
{
    for (int at = 1; at <= NAMES; at++) {
        bind_name(at, input);
    }
    bind_cell(NAMES + 1, input, 1);
    bind_cell(NAMES + 2, input, 4);
    if (paired) {
        bind_cell(CELLS, input, 4);
    } else {
        (void)sqlite3_bind_null(insert, CELLS);
    }
    carry_out(insert);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    struct model_dataset_builder *builder = NULL;
    struct duet_error error = {0};
    if (store.db == NULL) {
        make_store();
    }
    bool paired = input_number(&input, 1) % 2 == 1;
    for (size_t row = 0; row < ROWS_MAX && input.left > 0; row++) {
        add_row(&input, paired);
    }
    require(model_dataset_builder_new(paired, &builder, NULL) == DUET_OK);
    enum duet_code code = store_dataset_load(&store, 1, "here", builder, &error);
    dataset_finish(NULL, builder, code, &error);
    carry_out(clear);
    return 0;
}
