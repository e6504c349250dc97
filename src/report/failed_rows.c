#include "report/failed_rows.h"

#include "base/alloc.h"
#include "report/display.h"

#include <stdlib.h>

bool failed_rows_any(const struct model_comparison *comparisons, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || comparisons[i].verdict == MODEL_VERDICT_FAILED;
    }
    return any;
}

struct model_comparison *failed_rows_others(struct text *text,
                                            const struct model_comparison *comparisons,
                                            size_t count, size_t *ret_count)
{
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        others += model_comparison_is_measured(&comparisons[i]);
    }
    *ret_count = others;
    if (others == 0) {
        return NULL;
    }
    struct model_comparison *copies = alloc_array(others, sizeof *copies);
    if (copies == NULL) {
        text->failed = true;
        *ret_count = 0;
        return NULL;
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (model_comparison_is_measured(&comparisons[i])) {
            copies[at++] = comparisons[i];
        }
    }
    return copies;
}

void failed_rows_append(struct text *text, const struct model_comparison *comparisons,
                        size_t count, const struct report_style *style)
{
    for (size_t i = 0; i < count; i++) {
        struct text body = {0};
        bool failed = comparisons[i].verdict == MODEL_VERDICT_FAILED;
        if (!model_comparison_is_measured(&comparisons[i])) {
            text_append_format(&body, "%s: %s", comparisons[i].name,
                               comparisons[i].failure);
            display_append_paragraph(
                text, style, DISPLAY_PLAIN, 2,
                failed ? "failed:" : "identical:", text_string(&body));
        }
        display_drop(text, &body);
    }
}
