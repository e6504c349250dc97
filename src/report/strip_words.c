#include "report/strip_words.h"

#include "report/digits.h"
#include "report/display.h"

static uint64_t most_of(const struct model_strip *strip)
{
    uint64_t most = 1;
    for (size_t i = 0; i < MODEL_STRIP_BINS; i++) {
        most = strip->counts[i] > most ? strip->counts[i] : most;
    }
    return most;
}

void strip_words_append(struct text *text, const struct model_strip *strip,
                        const struct report_style *style)
{
    static const char *const levels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { LEVELS = sizeof levels / sizeof levels[0] };
    if (!style->unicode || !(strip->high > strip->low)) {
        return;
    }
    int decimals = digits_decimals((strip->high - strip->low) * 50, 1);
    uint64_t most = most_of(strip);
    struct text line = {0};
    text_append(&line, "  blocks  ");
    digits_append_change(&line, strip->low, decimals);
    text_append(&line, " % ");
    for (size_t i = 0; i < MODEL_STRIP_BINS; i++) {
        uint64_t count = strip->counts[i];
        text_append(&line, count == 0 ? " " : levels[(count * LEVELS - 1) / most]);
    }
    text_append_char(&line, ' ');
    digits_append_change(&line, strip->high, decimals);
    text_append(&line, " %");
    display_append_painted(text, style, DISPLAY_DIM, text_string(&line));
    text_append_char(text, '\n');
    display_drop(text, &line);
}
