/* The table of `duet list`. A terminal gets one that fits: columns are left out and
 * names shortened; everything else gets all of it. */
#ifndef DUET_CLI_LIST_LIST_TABLE_H
#define DUET_CLI_LIST_LIST_TABLE_H

#include "base/text.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>

enum list_column {
    LIST_ID,
    LIST_UUID,
    LIST_STARTED,
    LIST_SCHEDULE,
    LIST_STATE,
    LIST_RUNS,
    LIST_VERDICT,
    LIST_CHANGE,
    LIST_COLUMNS
};

struct list_table {
    int widths[LIST_COLUMNS]; /* as columns_append() has them; 0: left out */
    size_t name;              /* columns for the name and sides; 0: all they need */
    bool unicode;
};

/* list: `count` experiments. width: of the terminal; 0: unlimited.
 * The uuid, the schedule and the seconds go when a name does not fit; then, when too
 * little is left of names, the state (the column of verdicts says what is not done),
 * the runs and the time of day. Made for 60 columns and more. */
struct list_table list_table_fit(const struct store_experiment *list, size_t count,
                                 size_t width, bool unicode);

void list_table_append_head(struct text *text, const struct list_table *table);
void list_table_append(struct text *text, const struct list_table *table,
                       const struct store_experiment *experiment,
                       const struct store_verdict *verdict);

#endif
