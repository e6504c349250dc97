#include "figures/study_ratio_table.h"

#include "figures/study_records.h"
#include "report/columns.h"
#include "report/digits.h"

#include <inttypes.h>
#include <string.h>

static const char *const condition_names[STUDY_RATIO_CONDITIONS] = {"quiet", "busy"};
static const char *const fill_names[STUDY_RATIO_FILLS] = {"no", "yes"};

enum { NAME_COLUMNS = 24 };
static const int columns[] = {-NAME_COLUMNS, -8, -6, 8, 21, 10, 6, 12};

static bool is_measured(const struct study_ratio_cell *cell)
{
    return cell->accuracy.ratio > 0;
}

static void append_row(struct text *text, const struct study_ratio *ratio,
                       size_t workload, size_t busy, size_t fill)
{
    const struct study_ratio_cell *cell = study_ratio_cell(ratio, workload, busy, fill);
    if (!is_measured(cell)) {
        return;
    }
    columns_append_name(text, NAME_COLUMNS, ratio->names[workload]);
    columns_append(text, columns + 1,
                   "%s\t%s\t%.4f\t%7.4f to %7.4f\t%.2f\t%" PRIu64 "\t%.1f\n",
                   condition_names[busy], fill_names[fill], cell->accuracy.ratio,
                   cell->accuracy.low, cell->accuracy.high,
                   100.0 * study_twice_off(cell->accuracy.ratio), cell->accuracy.runs,
                   cell->accuracy.iterations);
}

void study_ratio_table(struct text *text, const struct study_ratio *ratio)
{
    bool any = false;
    for (size_t i = 0; i < ratio->workload_count; i++) {
        for (size_t fill = 0; fill < STUDY_RATIO_FILLS; fill++) {
            any = any || is_measured(study_ratio_cell(ratio, i, 0, fill));
        }
    }
    if (!any) {
        return;
    }
    text_append(
        text,
        "One side does exactly twice the other's work; the ratio of their times:\n"
        "\n");
    struct text level = {0};
    digits_append_level(&level, ratio->confidence);
    columns_append(
        text, columns,
        "workload\tload\tfill\tratio\t%s interval\toff [%%]\truns\titerations\n",
        text_string(&level));
    display_drop(text, &level);
    for (size_t i = 0; i < ratio->workload_count; i++) {
        for (size_t busy = 0; busy < STUDY_RATIO_CONDITIONS; busy++) {
            for (size_t fill = 0; fill < STUDY_RATIO_FILLS; fill++) {
                append_row(text, ratio, i, busy, fill);
            }
        }
    }
    text_append_char(text, '\n');
}

void study_ratio_together(struct text *text, const struct widths *widths)
{
    text_append(
        text,
        "Time of an iteration beside a copy of itself / alone, and how a true ratio "
        "of 2\n"
        "would then be measured without fill (Bulej 2020 s.4.4):\n\n");
    for (size_t i = 0; i < widths->count; i++) {
        double together = widths->rows[i].together_ratio;
        columns_append_name(text, NAME_COLUMNS, widths->rows[i].workload);
        columns_append_number(text, 8, 3, together);
        columns_append_number(text, 8, 3, study_twice_unfilled(together));
        text_append_char(text, '\n');
    }
}

static void record_cell(struct study_records *records, const struct study_ratio *ratio,
                        size_t workload, size_t busy, size_t fill)
{
    const struct study_ratio_cell *cell = study_ratio_cell(ratio, workload, busy, fill);
    if (is_measured(cell)) {
        study_records_text(records, "ratio");
        study_records_text(records, ratio->names[workload]);
        study_records_text(records, condition_names[busy]);
        study_records_text(records, fill_names[fill]);
        study_records_number(records, cell->accuracy.ratio);
        study_records_number(records, cell->accuracy.low);
        study_records_number(records, cell->accuracy.high);
        study_records_whole(records, cell->accuracy.runs);
        study_records_number(records, cell->accuracy.iterations);
    }
}

void study_ratio_csv(struct text *text, const struct study_ratio *ratio,
                     const struct widths *widths)
{
    struct study_records records;
    study_records_begin(&records, "ratio", 0,
                        "quantity,workload,load,fill,ratio,low,high,runs,iterations",
                        text, NULL);
    for (size_t i = 0; i < ratio->workload_count; i++) {
        for (size_t busy = 0; busy < STUDY_RATIO_CONDITIONS; busy++) {
            for (size_t fill = 0; fill < STUDY_RATIO_FILLS; fill++) {
                record_cell(&records, ratio, i, busy, fill);
            }
        }
    }
    for (size_t i = 0; i < widths->count; i++) {
        study_records_text(&records, "together");
        study_records_text(&records, widths->rows[i].workload);
        study_records_text(&records, "quiet");
        study_records_text(&records, "");
        study_records_number(&records, widths->rows[i].together_ratio);
        study_records_number(&records, widths->rows[i].together_low);
        study_records_number(&records, widths->rows[i].together_high);
        study_records_number(&records, widths->rows[i].runs);
        study_records_number(&records, widths->rows[i].iterations);
    }
    study_records_end(&records);
}
