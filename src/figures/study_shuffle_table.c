#include "figures/study_shuffle_table.h"

#include "figures/widths_table.h"
#include "report/columns.h"

#include <math.h>
#include <string.h>

enum { NAME_COLUMNS = 30, NUMBER_COLUMNS = 12 };

static void append_number(struct text *text, double number)
{
    if (isfinite(number)) {
        columns_append_cell(text, NUMBER_COLUMNS, "%.3g", number);
    } else {
        columns_append_cell(text, NUMBER_COLUMNS, "-");
    }
}

static void append_workloads(struct text *text, const struct widths *widths,
                             const struct study_width *cell)
{
    for (size_t i = 0; i < widths->count; i++) {
        const struct study_width *row = &widths->rows[i];
        if (strcmp(row->platform, cell->platform) == 0 &&
            strcmp(row->suite, cell->suite) == 0) {
            columns_append_name(text, NAME_COLUMNS, row->workload);
            append_number(text, row->widths[STUDY_WIDTH_DUET]);
            append_number(text, row->widths[STUDY_WIDTH_SHUFFLED]);
            append_number(
                text, study_width_gain(row, STUDY_WIDTH_SHUFFLED, STUDY_WIDTH_DUET));
            text_append_char(text, '\n');
        }
    }
}

void study_shuffle_table(struct text *text, const struct widths *widths)
{
    static const int columns[] = {-NAME_COLUMNS, NUMBER_COLUMNS, NUMBER_COLUMNS,
                                  NUMBER_COLUMNS};
    size_t at = 0;
    const struct study_width *cell;
    while ((cell = widths_next_cell(widths, &at)) != NULL) {
        const struct study_widths_filter filter = {NULL, cell->platform, cell->suite};
        struct duet_error none; /* then there is no mean */
        double gain = (double)NAN;
        size_t workloads = 0;
        text_append_format(text, "%s%s, %s: widths of the intervals in percent\n\n",
                           text->length == 0 ? "" : "\n", cell->platform, cell->suite);
        columns_append(text, columns, "workload\ttogether\tshuffled\tratio\n");
        append_workloads(text, widths, cell);
        if (study_widths_gain(widths->rows, widths->count, &filter,
                              STUDY_WIDTH_SHUFFLED, STUDY_WIDTH_DUET, &gain, &workloads,
                              &none) == DUET_OK) {
            columns_append_name(text, NAME_COLUMNS, "geometric mean");
            append_number(text, (double)NAN);
            append_number(text, (double)NAN);
            append_number(text, gain);
            text_append_char(text, '\n');
        }
    }
}
