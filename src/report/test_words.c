#include "report/test_words.h"

#include "report/digits.h"

#include <math.h>

/* Below, a p value says nothing more than that it is small. */
static const double p_value_shown = 1e-300;

static void append_p_value(struct text *text, double p_value)
{
    if (p_value < p_value_shown) {
        text_append(text, "p < 1e-300");
    } else {
        text_append_format(text, "p = %.2g", p_value);
    }
}

static void append_ranksum(struct text *text, const struct model_test_result *result)
{
    text_append(text, "Wilcoxon rank-sum ");
    append_p_value(text, result->p_value);
    text_append_format(text, "%s; Cliff's delta %+.2f", result->exact ? " (exact)" : "",
                       result->delta);
    if (isfinite(result->delta_low) && isfinite(result->delta_high)) {
        text_append_format(text, " [%+.2f, %+.2f]", result->delta_low,
                           result->delta_high);
    }
    text_append_format(text, " (%s): %s (p <= %.2g and |delta| >= %.2g).",
                       result->magnitude, result->change ? "a change" : "no change",
                       MODEL_RANKSUM_P_MOST, MODEL_RANKSUM_DELTA_LEAST);
}

static void append_overlap(struct text *text, const struct model_test_result *result,
                           const struct report_style *style)
{
    text_append(text, "the ");
    digits_append_level(text, result->confidence);
    text_append(text, " intervals of the means, ");
    for (size_t side = 0; side < MODEL_SIDES; side++) {
        text_append_format(text, "%s [", model_side_name((enum model_side)side));
        report_time(text, result->low_ns[side], style);
        text_append(text, ", ");
        report_time(text, result->high_ns[side], style);
        text_append(text, side == MODEL_OLD ? "] and " : "], ");
    }
    text_append(text,
                result->change ? "do not overlap: a change." : "overlap: no change.");
}

void test_words_append(struct text *text, const struct model_test_result *result,
                       const struct report_style *style)
{
    if (result->test == MODEL_TEST_RANKSUM) {
        append_ranksum(text, result);
    } else if (result->test == MODEL_TEST_OVERLAP) {
        append_overlap(text, result, style);
    }
}
