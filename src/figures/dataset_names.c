#include "figures/dataset_names.h"

#include "report/columns.h"
#include "report/display.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS_MAX = 48 };

size_t dataset_name_width(const struct model_dataset *dataset)
{
    size_t width = strlen("benchmark");
    for (size_t i = 0; i < dataset->benchmark_count; i++) {
        size_t columns = columns_of_name(dataset->benchmarks[i]);
        width = columns > width ? columns : width;
    }
    return width < NAME_COLUMNS_MAX ? width : NAME_COLUMNS_MAX;
}

size_t dataset_environment_width(const struct model_dataset *dataset, size_t least,
                                 size_t most)
{
    size_t width = least;
    for (size_t i = 0; i < dataset->environment_count; i++) {
        size_t columns = columns_of_name(dataset->environments[i]);
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

/* width: as columns_append_cell()'s. */
static void append_name(struct text *text, const char *name, int width)
{
    static const char cut[] = "..";
    struct text clean = {0};
    size_t most = (size_t)abs(width);
    display_append_clean(&clean, name, true);
    const char *shown = text_string(&clean);
    bool fits = display_columns(shown) <= most;
    columns_append_cell(text, width, "%s%s", fits ? "" : cut,
                        fits ? shown : end_within(shown, most - strlen(cut)));
    display_drop(text, &clean);
}

void dataset_name_append_whole(struct text *text, const char *name, size_t least)
{
    size_t columns = columns_of_name(name);
    append_name(text, name, -(int)(columns > least ? columns : least));
}

void dataset_name_append_right(struct text *text, const char *name, size_t width)
{
    append_name(text, name, (int)width);
}

void dataset_name_append(struct text *text, const char *name, size_t width)
{
    append_name(text, name, -(int)width);
}
