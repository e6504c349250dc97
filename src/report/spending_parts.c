#include "report/spending_parts.h"

#include "report/columns.h"
#include "report/digits.h"
#include "report/display.h"

#include <math.h>

void spending_append_time(struct text *text, double ns,
                          const struct report_style *style)
{
    const double minute_ns = 60e9;
    const double longest_ns = 9e18;
    if (!isfinite(ns)) {
        text_append(text, "too long");
    } else if (ns < minute_ns) {
        report_time(text, ns, style);
    } else {
        digits_append_duration(text, (uint64_t)fmin(ns, longest_ns));
    }
}

/* Takes the cell. */
static void append_right(struct text *text, struct text *cell, int width)
{
    columns_append_cell(text, width, "%s", text_string(cell));
    display_drop(text, cell);
}

void spending_append_change_cell(struct text *text, double effect)
{
    struct text cell = {0};
    digits_append_pct(&cell, effect);
    append_right(text, &cell, SPENDING_CHANGE_WIDTH);
}

void spending_append_runs_cell(struct text *text, double runs)
{
    if (isfinite(runs)) {
        columns_append_number(text, SPENDING_RUNS_WIDTH, 0, runs);
    } else {
        columns_append_cell(text, SPENDING_RUNS_WIDTH, "too many");
    }
}

void spending_append_time_cell(struct text *text, double ns,
                               const struct report_style *style)
{
    struct text cell = {0};
    spending_append_time(&cell, ns, style);
    append_right(text, &cell, SPENDING_TIME_WIDTH);
}

void spending_take_paragraph(struct text *text, const struct report_style *style,
                             const char *lead, struct text *body)
{
    display_append_paragraph(text, style, DISPLAY_PLAIN, 2, lead, text_string(body));
    display_drop(text, body);
    *body = (struct text){0};
}
