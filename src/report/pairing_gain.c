#include "report/pairing_gain.h"

#include "report/digits.h"
#include "report/display.h"
#include "report/words.h"

#include <math.h>
#include <string.h>

static void append_one(struct text *text, const struct model_comparison *comparison)
{
    double gain = model_comparison_pairing_gain(comparison);
    if (!isfinite(gain)) {
        return;
    }
    enum model_pairing pairing = model_pairing_of(gain);
    if (pairing == MODEL_PAIRING_HELPS) {
        text_append(text, "made the interval ");
        digits_append_short(text, gain);
        text_append(text, " times narrower (");
        digits_append_pct(text, comparison->paired_width);
        text_append(text, " instead of ");
        digits_append_pct(text, comparison->shuffled_width);
        text_append(text, ").");
        return;
    }
    if (pairing == MODEL_PAIRING_IDLE) {
        text_append(text, "did not help here (");
    } else {
        text_append(text, "made the interval ");
        digits_append_short(text, 1 / gain);
        text_append(text, " times wider (");
    }
    digits_append_pct(text, comparison->paired_width);
    text_append(text, " wide, ");
    digits_append_pct(text, comparison->shuffled_width);
    text_append(
        text,
        " with shuffled pairs): there was little interference, or it hit the sides independently.");
}

void pairing_gain_append(struct text *text, const struct model_comparison *comparisons,
                         size_t count)
{
    if (count == 1) {
        append_one(text, comparisons);
        return;
    }
    double least = (double)INFINITY;
    double most = 0;
    size_t known = 0;
    size_t gained = 0;
    for (size_t i = 0; i < count; i++) {
        double gain = model_comparison_pairing_gain(&comparisons[i]);
        if (isfinite(gain)) {
            known++;
            gained += model_pairing_of(gain) == MODEL_PAIRING_HELPS;
            least = fmin(least, gain);
            most = fmax(most, gain);
        }
    }
    if (known == 0) {
        return;
    }
    if (gained == 0) {
        text_append(
            text,
            "did not help here: with shuffled pairs the intervals are as narrow.");
        return;
    }
    struct text low = {0};
    struct text high = {0};
    digits_append_short(&low, least);
    digits_append_short(&high, most);
    bool range = strcmp(text_string(&low), text_string(&high)) != 0;
    text_append_format(text, "made the intervals %s%s%s",
                       gained < known ? "up to "
                       : range        ? text_string(&low)
                                      : "",
                       gained == known && range ? " to " : "", text_string(&high));
    display_drop(text, &low);
    display_drop(text, &high);
    text_append(text, " times narrower");
    if (gained < known) {
        text_append_format(text, "; it did not help %zu of %zu benchmarks",
                           known - gained, known);
    }
    text_append_char(text, '.');
}
