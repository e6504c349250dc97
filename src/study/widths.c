#include "study/widths.h"

#include "base/alloc.h"

#include <stdlib.h>

const char *widths_column_name(size_t column)
{
    static const char *const names[WIDTHS_NAMES] = {"group", "platform", "suite",
                                                    "workload"};
    static const char *const rest[] = {"together_ratio", "runs",          "iterations",
                                       "together_low",   "together_high", "first_day",
                                       "last_day"};
    if (column < WIDTHS_NAMES) {
        return names[column];
    }
    return column < WIDTHS_NAMES + STUDY_WIDTH_KINDS
               ? study_width_name((enum study_width_kind)(column - WIDTHS_NAMES))
               : rest[column - WIDTHS_NAMES - STUDY_WIDTH_KINDS];
}

double *widths_number(struct study_width *row, size_t number)
{
    double *const rest[] = {&row->together_ratio, &row->runs, &row->iterations,
                            &row->together_low, &row->together_high};
    return number < STUDY_WIDTH_KINDS ? &row->widths[number]
                                      : rest[number - STUDY_WIDTH_KINDS];
}

int64_t *widths_day(struct study_width *row, size_t day)
{
    return day == 0 ? &row->first_utc_ms : &row->last_utc_ms;
}

enum duet_code widths_add(struct widths *widths, const struct study_width *row,
                          struct duet_error *reterr)
{
    struct study_width *rows =
        alloc_grow(widths->rows, widths->count, &widths->capacity, sizeof *rows);
    if (rows == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for more than %zu widths",
                         widths->count);
    }
    widths->rows = rows;
    widths->rows[widths->count++] = *row;
    return DUET_OK;
}

void widths_release(struct widths *widths)
{
    free(widths->rows);
    *widths = (struct widths){0};
}
