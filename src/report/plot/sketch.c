#include "report/plot/sketch.h"

#include "base/alloc.h"
#include "base/day.h"
#include "base/file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Keeps a block, or frees it when there is no memory to remember it. */
static void *keep(struct sketch *sketch, void *take_block)
{
    void **longer =
        alloc_resize(sketch->blocks, sketch->block_count + 1, sizeof *longer);
    if (take_block == NULL || longer == NULL) {
        sketch->blocks = longer == NULL ? sketch->blocks : longer;
        sketch->failed = true;
        free(take_block);
        return NULL;
    }
    sketch->blocks = longer;
    sketch->blocks[sketch->block_count++] = take_block;
    return take_block;
}

void *sketch_take(struct sketch *sketch, size_t count, size_t size)
{
    return keep(sketch, alloc_array(count, size));
}

const char *sketch_name(struct sketch *sketch, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *name = alloc_format_v(format, arguments);
    va_end(arguments);
    return keep(sketch, name);
}

void sketch_append_days(struct text *text, int64_t first_utc_ms, int64_t last_utc_ms)
{
    char first[DAY_BYTES];
    char last[DAY_BYTES];
    day_name(first_utc_ms, first);
    day_name(last_utc_ms, last);
    if (first[0] != '\0') {
        text_append_format(text, ", measured %s", first);
    }
    if (first[0] != '\0' && strcmp(first, last) != 0) {
        text_append_format(text, " to %s", last);
    }
}

const char *sketch_dataset_note(struct sketch *sketch,
                                const struct model_dataset *dataset)
{
    struct text days = {0};
    sketch_append_days(&days, dataset->first_utc_ms, dataset->last_utc_ms);
    const char *note =
        sketch_name(sketch, "benchmarks: %zu, environments: %zu, values: %zu%s",
                    dataset->benchmark_count, dataset->environment_count,
                    dataset->value_count, text_string(&days));
    sketch->failed = sketch->failed || text_failed(&days);
    text_release(&days);
    return note;
}

void sketch_panel(struct sketch *sketch, const struct plot_panel *panel)
{
    if (!sketch->failed && sketch->panel_count < SKETCH_PANELS_MAX) {
        sketch->panels[sketch->panel_count++] = *panel;
    }
}

void sketch_append(struct sketch *sketch, struct text *text,
                   const struct plot_figure *figure)
{
    struct plot_figure whole = *figure;
    whole.panels = sketch->panels;
    whole.panel_count = sketch->panel_count;
    if (sketch->failed) {
        text->failed = true;
    } else {
        plot_svg(text, &whole);
    }
    for (size_t i = 0; i < sketch->block_count; i++) {
        free(sketch->blocks[i]);
    }
    free(sketch->blocks);
    *sketch = (struct sketch){.blocks = NULL};
}

enum duet_code sketch_write(struct sketch *sketch, const char *path,
                            const struct plot_figure *figure, struct duet_error *reterr)
{
    struct text svg = {0};
    sketch_append(sketch, &svg, figure);
    return file_write_text(path, &svg, reterr);
}
