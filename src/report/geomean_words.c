#include "report/geomean_words.h"

#include "report/digits.h"
#include "report/report.h"
#include "report/words.h"

#include <math.h>

void geomean_words_row(const struct model_geomean *geomean,
                       struct model_comparison *ret_row)
{
    const double unknown = (double)NAN;
    *ret_row =
        (struct model_comparison){.ratio = geomean->ratio,
                                  .interval = {.low = geomean->low,
                                               .high = geomean->high,
                                               .confidence = geomean->confidence},
                                  .verdict = geomean->verdict,
                                  .same_within = geomean->same_within,
                                  .could_have_seen = unknown,
                                  .p_value = unknown};
    ret_row->statistic.statistic.kind = geomean->statistic;
    for (int side = 0; side < MODEL_SIDES; side++) {
        ret_row->sides[side] =
            (struct model_summary){.mean_ns = unknown, .sd_ns = unknown};
    }
}

void geomean_words_append(struct text *text, const struct model_geomean *geomean)
{
    digits_append_level(text, geomean->confidence);
    text_append_format(text, " confidence interval from those of the %zu benchmarks, ",
                       geomean->count);
    text_append(text, geomean->rule == MODEL_GEOMEAN_ENDS
                          ? "which hold together by Bonferroni's rule."
                      : geomean->rule == MODEL_GEOMEAN_DEPENDENT
                          ? "which may err together: one process may have executed all."
                          : "which err independently.");
}

void report_markdown_geomean(struct text *text, const struct model_geomean *geomean,
                             const struct report_style *style)
{
    struct model_comparison row;
    geomean_words_row(geomean, &row);
    text_append_format(text, "- Geometric mean of %zu benchmarks: ", geomean->count);
    words_append_change(text, &row, style->unicode, true);
    if (geomean->rule != MODEL_GEOMEAN_NO_INTERVAL) {
        text_append_char(text, ' ');
        words_append_interval(text, &row, true);
        text_append(text, ", ");
        words_append_verdict(text, &row, false);
        text_append(text, "; ");
        geomean_words_append(text, geomean);
    }
    text_append_char(text, '\n');
}
