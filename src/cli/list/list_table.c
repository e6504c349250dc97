#include "cli/list/list_table.h"

#include "base/day.h"
#include "cli/list/list_filter.h"
#include "report/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    GAP = 2,          /* in front of each column but the first, part of its width */
    NAME_WISHED = 48, /* for a name this long other columns go */
    NAME_NEEDED = 20, /* for so much of a name useful ones go */
    NAME_LEAST = 8,
    REST_LEAST = 10, /* less of what stands behind a name says nothing */
    SIDE_LEAST = 10, /* of each side, when both are shortened */
    ID_LEAST = 2,
    CELL_SIZE = 48,
    WITH_MINUTES = -18, /* widths of LIST_STARTED */
    WITHOUT_TIME = -12,
    WITH_STATE = -13, /* width of LIST_VERDICT */
    NARROW_CHANGE = 11
};

static const struct list_table whole = {.widths = {[LIST_ID] = 5,
                                                   [LIST_UUID] = -10,
                                                   [LIST_STARTED] = -21,
                                                   [LIST_SCHEDULE] = -13,
                                                   [LIST_STATE] = -13,
                                                   [LIST_RUNS] = 8,
                                                   [LIST_VERDICT] = -11,
                                                   [LIST_CHANGE] = 12}};

/* ---- The name and the sides ---- */

/* Columns of each side, so that both and `fixed` more fit into `room`. 0: the whole
 * name, also where too little of each would be left. */
static void share_room(size_t room, size_t fixed, const char *const names[MODEL_SIDES],
                       size_t ret_columns[MODEL_SIDES])
{
    size_t columns[MODEL_SIDES] = {display_clean_columns(names[MODEL_OLD]),
                                   display_clean_columns(names[MODEL_NEW])};
    size_t left = room > fixed ? room - fixed : 0;
    bool fits = columns[MODEL_OLD] + columns[MODEL_NEW] <= left;
    for (int side = 0; side < MODEL_SIDES; side++) {
        size_t other = columns[1 - side];
        size_t most = other < left / 2 ? left - other : left / 2;
        bool cut = !fits && columns[side] > most && left / 2 >= SIDE_LEAST;
        ret_columns[side] = cut ? most : 0;
    }
}

static void append_sides(struct text *text, const struct store_experiment *experiment,
                         size_t room, bool unicode)
{
    static const char before[] = ": ";
    static const char between[] = "  vs  ";
    const char *old_name = list_side_name(experiment, MODEL_OLD);
    const char *new_name = list_side_name(experiment, MODEL_NEW);
    /* A watch: of one program. */
    bool alone = old_name[0] == '\0' && strcmp(new_name, experiment->name) == 0;
    if (alone || (old_name[0] == '\0' && new_name[0] == '\0')) {
        return;
    }
    bool both = strcmp(old_name, experiment->name) != 0;
    const char *const names[MODEL_SIDES] = {both ? old_name : "", new_name};
    size_t columns[MODEL_SIDES];
    size_t fixed = sizeof between - 1 + (both ? sizeof before - 1 : 0);
    share_room(room, fixed, names, columns);
    if (both) {
        text_append(text, before);
        display_append_name(text, old_name, columns[MODEL_OLD], unicode);
    }
    text_append(text, between);
    display_append_name(text, new_name, columns[MODEL_NEW], unicode);
}

static void append_dataset(struct text *text, const struct store_dataset *dataset)
{
    text_append_format(
        text, ": %" PRIu64 " benchmark%s, %" PRIu64 " environment%s, %" PRIu64 " %s%s",
        dataset->benchmarks, dataset->benchmarks == 1 ? "" : "s", dataset->environments,
        dataset->environments == 1 ? "" : "s", dataset->iterations,
        dataset->paired ? "pair" : "value", dataset->iterations == 1 ? "" : "s");
}

/* What stands behind the name, in `room` columns. */
static void append_rest(struct text *text, const struct store_experiment *experiment,
                        size_t room, bool unicode)
{
    struct text rest = {0};
    if (experiment->dataset.trials > 0) {
        append_dataset(&rest, &experiment->dataset);
    } else {
        append_sides(&rest, experiment, room, unicode);
    }
    if (room >= REST_LEAST || display_columns(text_string(&rest)) <= room) {
        display_append_name(text, text_string(&rest), room, unicode);
    }
    display_drop(text, &rest);
}

/* Names may hold anything, escape sequences too. What stands behind the name is
 * shortened first, since it is the same in many lines, and the name often is not. */
static void append_name(struct text *text, const struct list_table *table,
                        const struct store_experiment *experiment)
{
    size_t columns = display_clean_columns(experiment->name);
    display_append_name(text, experiment->name, table->name, table->unicode);
    if (table->name == 0) {
        append_rest(text, experiment, SIZE_MAX, table->unicode);
    } else if (columns < table->name) {
        append_rest(text, experiment, table->name - columns, table->unicode);
    }
}

/* ---- Widths ---- */

static size_t longest_name(const struct store_experiment *list, size_t count,
                           const struct list_table *unlimited)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        struct text name = {0};
        append_name(&name, unlimited, &list[i]);
        size_t columns = display_columns(text_string(&name));
        longest = columns > longest ? columns : longest;
        text_release(&name);
    }
    return longest;
}

static int id_width(const struct store_experiment *list, size_t count)
{
    int64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = list[i].id > largest ? list[i].id : largest;
    }
    int digits = snprintf(NULL, 0, "%" PRId64, largest);
    return digits < ID_LEAST ? ID_LEAST : digits;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What the columns leave of `width` to the names. */
static size_t room_of(const struct list_table *table, size_t width)
{
    size_t taken = GAP;
    for (size_t i = 0; i < LIST_COLUMNS; i++) {
        taken += (size_t)(table->widths[i] < 0 ? -table->widths[i] : table->widths[i]);
    }
    return width > taken ? width - taken : 0;
}

struct list_table list_table_fit(const struct store_experiment *list, size_t count,
                                 size_t width, bool unicode)
{
    static const struct {
        enum list_column column;
        int width;
        size_t wish; /* names that have so much room, or all of theirs, let it be */
    } steps[] = {{LIST_UUID, 0, NAME_WISHED},
                 {LIST_SCHEDULE, 0, NAME_WISHED},
                 {LIST_STARTED, WITH_MINUTES, NAME_WISHED},
                 {LIST_STATE, 0, NAME_NEEDED},
                 {LIST_RUNS, 0, NAME_NEEDED},
                 {LIST_STARTED, WITHOUT_TIME, NAME_NEEDED}};
    struct list_table table = whole;
    table.unicode = unicode;
    if (width == 0) {
        return table;
    }
    size_t longest = longest_name(list, count, &table);
    table.widths[LIST_ID] = id_width(list, count);
    table.widths[LIST_CHANGE] = NARROW_CHANGE;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (room_of(&table, width) >= least(longest, steps[i].wish)) {
            continue;
        }
        table.widths[steps[i].column] = steps[i].width;
        if (steps[i].column == LIST_STATE) {
            table.widths[LIST_VERDICT] = WITH_STATE;
        }
    }
    size_t room = room_of(&table, width);
    table.name = room > NAME_LEAST ? room : NAME_LEAST;
    return table;
}

/* ---- Rows ---- */

static void append_cell(struct text *text, const struct list_table *table,
                        enum list_column column, const char *cell)
{
    if (table->widths[column] != 0) {
        columns_append_cell(text, table->widths[column], "%s%s",
                            column == LIST_ID ? "" : "  ", cell);
    }
}

void list_table_append_head(struct text *text, const struct list_table *table)
{
    static const char *const titles[] = {"id",    "uuid", "started", "schedule",
                                         "state", "runs", "verdict", "change"};
    for (size_t i = 0; i < LIST_COLUMNS; i++) {
        append_cell(text, table, (enum list_column)i, titles[i]);
    }
    text_append(text, "  name, sides\n");
}

static void print_started(char cell[CELL_SIZE], const struct list_table *table,
                          int64_t utc_ms)
{
    char date[DAY_MOMENT_BYTES];
    day_local(utc_ms, date);
    (void)snprintf(cell, CELL_SIZE, "%.*s", -table->widths[LIST_STARTED] - GAP, date);
}

static void print_change(char cell[CELL_SIZE], const struct store_verdict *verdict)
{
    const double most_pct = 99999.0;
    const double coarse_pct = 1000.0;
    const double zero_pct = 0.005; /* what is rounded to 0 has no sign */
    double pct = 100.0 * (verdict->ratio - 1.0);
    if (!verdict->known || !isfinite(pct)) {
        cell[0] = '\0';
    } else if (fabs(pct) < zero_pct) {
        (void)snprintf(cell, CELL_SIZE, "0.00 %%");
    } else if (pct > most_pct) {
        (void)snprintf(cell, CELL_SIZE, ">%+.0f %%", most_pct);
    } else {
        (void)snprintf(cell, CELL_SIZE, "%+.*f %%", pct < coarse_pct ? 2 : 0, pct);
    }
}

/* Without a column for states: also what is not done and has no verdict. */
static const char *verdict_word(const struct list_table *table,
                                const struct store_experiment *experiment,
                                const struct store_verdict *verdict)
{
    if (verdict->known) {
        return model_verdict_name(verdict->verdict);
    }
    return table->widths[LIST_STATE] == 0 && experiment->state != STORE_DONE
               ? list_state_word(experiment->state)
               : "-";
}

void list_table_append(struct text *text, const struct list_table *table,
                       const struct store_experiment *experiment,
                       const struct store_verdict *verdict)
{
    bool dataset = experiment->dataset.trials > 0;
    char id[CELL_SIZE];
    char begin[CELL_SIZE]; /* of the uuid */
    struct text uuid = {0};
    char started[CELL_SIZE];
    char runs[CELL_SIZE];
    char change[CELL_SIZE];
    (void)snprintf(id, sizeof id, "%" PRId64, experiment->id);
    (void)snprintf(begin, sizeof begin, "%.8s", experiment->uuid);
    display_append_clean(&uuid, begin, table->unicode);
    print_started(started, table, experiment->started_utc_ms);
    (void)snprintf(runs, sizeof runs, "%" PRIu64,
                   dataset ? experiment->dataset.trials : experiment->runs);
    print_change(change, verdict);
    append_cell(text, table, LIST_ID, id);
    append_cell(text, table, LIST_UUID, text_string(&uuid));
    append_cell(text, table, LIST_STARTED, started);
    append_cell(text, table, LIST_SCHEDULE,
                dataset ? "data set" : model_schedule_name(experiment->schedule));
    append_cell(text, table, LIST_STATE, list_state_word(experiment->state));
    append_cell(text, table, LIST_RUNS, runs);
    append_cell(text, table, LIST_VERDICT, verdict_word(table, experiment, verdict));
    append_cell(text, table, LIST_CHANGE, change);
    text_append(text, "  ");
    append_name(text, table, experiment);
    text_append_char(text, '\n');
    display_drop(text, &uuid);
}
