#include "figures/dataset_names.h"

#include "report/display.h"

#include <stdbool.h>
#include <string.h>

enum { NAME_COLUMNS_MAX = 48 };

static size_t columns_of(const char *name)
{
    struct text clean = {0};
    display_append_clean(&clean, name, true);
    size_t columns = display_columns(text_string(&clean));
    text_release(&clean);
    return columns;
}

size_t dataset_name_width(const struct model_dataset *dataset)
{
    size_t width = strlen("benchmark");
    for (size_t i = 0; i < dataset->benchmark_count; i++) {
        size_t columns = columns_of(dataset->benchmarks[i]);
        width = columns > width ? columns : width;
    }
    return width < NAME_COLUMNS_MAX ? width : NAME_COLUMNS_MAX;
}

size_t dataset_environment_width(const struct model_dataset *dataset, size_t least,
                                 size_t most)
{
    size_t width = least;
    for (size_t i = 0; i < dataset->environment_count; i++) {
        size_t columns = columns_of(dataset->environments[i]);
        width = columns > width ? columns : width;
    }
    return width < most ? width : most;
}

/* The end of a clean name that takes at most so many columns. */
static const char *end_within(const char *name, size_t columns)
{
    while (display_columns(name) > columns) {
        do {
            name++;
        } while (((unsigned char)*name & 0xC0U) == 0x80U);
    }
    return name;
}

static void append_name(struct text *text, const char *name, size_t width, bool right)
{
    static const char cut[] = "..";
    struct text clean = {0};
    display_append_clean(&clean, name, true);
    const char *shown = text_string(&clean);
    bool fits = display_columns(shown) <= width;
    if (!fits) {
        shown = end_within(shown, width - strlen(cut));
    }
    size_t taken = display_columns(shown) + (fits ? 0 : strlen(cut));
    size_t missing = width - taken;
    for (size_t i = 0; right && i < missing; i++) {
        text_append_char(text, ' ');
    }
    text_append(text, fits ? "" : cut);
    text_append(text, shown);
    for (size_t i = 0; !right && i < missing; i++) {
        text_append_char(text, ' ');
    }
    display_drop(text, &clean);
}

void dataset_name_append_whole(struct text *text, const char *name, size_t least)
{
    size_t columns = columns_of(name);
    append_name(text, name, columns > least ? columns : least, false);
}

void dataset_name_append_right(struct text *text, const char *name, size_t width)
{
    append_name(text, name, width, true);
}

void dataset_name_append(struct text *text, const char *name, size_t width)
{
    append_name(text, name, width, false);
}
