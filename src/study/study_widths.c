#include "study/study_widths.h"

#include "base/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *study_width_name(enum study_width_kind kind)
{
    static const char *const names[STUDY_WIDTH_KINDS] = {
        "duet",         "shuffled",         "standard",
        "duet_trimmed", "standard_trimmed", "timeslice"};
    return names[kind];
}

static bool is(const char *wanted, const char *name)
{
    return wanted == NULL || strcmp(wanted, name) == 0;
}

static bool is_chosen(const struct study_width *row,
                      const struct study_widths_filter *filter)
{
    return is(filter->group, row->group) && is(filter->platform, row->platform) &&
           is(filter->suite, row->suite);
}

static bool is_width(double width)
{
    return isfinite(width) && width > 0;
}

static enum duet_code no_row(const struct study_widths_filter *filter,
                             const char *width, struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_TOO_FEW,
                     "no workload of %s has the width of %s%s%s",
                     filter->suite == NULL ? "any suite" : filter->suite, width,
                     filter->platform == NULL ? "" : " on ",
                     filter->platform == NULL ? "" : filter->platform);
}

enum duet_code study_widths_gain(const struct study_width *rows, size_t count,
                                 const struct study_widths_filter *filter,
                                 enum study_width_kind over,
                                 enum study_width_kind under, double *ret_gain,
                                 size_t *ret_workloads, struct duet_error *reterr)
{
    double sum = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        double wide = rows[i].widths[over];
        double narrow = rows[i].widths[under];
        if (is_chosen(&rows[i], filter) && is_width(wide) && is_width(narrow)) {
            sum += log(wide) - log(narrow);
            used++;
        }
    }
    if (used == 0) {
        return no_row(filter, study_width_name(under), reterr);
    }
    *ret_gain = exp(sum / (double)used);
    *ret_workloads = used;
    return DUET_OK;
}

double study_width_gain(const struct study_width *row, enum study_width_kind over,
                        enum study_width_kind under)
{
    double gain = row->widths[over] / row->widths[under];
    return isfinite(gain) ? gain : (double)NAN;
}

double study_width_narrowest(const struct study_width *row)
{
    double narrowest = (double)INFINITY;
    for (int kind = 0; kind <= STUDY_WIDTH_STANDARD; kind++) {
        narrowest = fmin(narrowest, row->widths[kind]); /* NaN gives way */
    }
    return narrowest;
}

size_t study_widths_most_gained(const struct study_width *rows, size_t count,
                                size_t first)
{
    size_t best = 0;
    double most = 0;
    for (size_t i = first; i < count; i++) {
        double gain =
            rows[i].widths[STUDY_WIDTH_STANDARD] / rows[i].widths[STUDY_WIDTH_DUET];
        if (gain > most) {
            most = gain;
            best = i - first;
        }
    }
    return best;
}

enum duet_code study_widths_spread(const struct study_width *rows, size_t count,
                                   const struct study_widths_filter *filter,
                                   enum study_width_kind kind,
                                   struct stats_spread *ret_spread,
                                   struct duet_error *reterr)
{
    double *widths = alloc_array(count, sizeof *widths);
    size_t used = 0;
    if (widths == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory for %zu widths", count);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_chosen(&rows[i], filter) && is_width(rows[i].widths[kind])) {
            widths[used++] = rows[i].widths[kind];
        }
    }
    enum duet_code code = used == 0 ? no_row(filter, study_width_name(kind), reterr)
                                    : stats_spread_of(widths, used, ret_spread, reterr);
    free(widths);
    return code;
}

static int by_together(const void *a, const void *b)
{
    double of_a = (*(const struct study_width *const *)a)->together_ratio;
    double of_b = (*(const struct study_width *const *)b)->together_ratio;
    if (isnan(of_a) || isnan(of_b)) {
        return isnan(of_a) - isnan(of_b);
    }
    return (of_a < of_b) - (of_a > of_b);
}

void study_widths_by_together(const struct study_width *rows, size_t count,
                              const struct study_width **ret_order)
{
    for (size_t i = 0; i < count; i++) {
        ret_order[i] = &rows[i];
    }
    qsort((void *)ret_order, count, sizeof(const struct study_width *), by_together);
}
