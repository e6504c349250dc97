#include "cli/dataset_names.h"

#include <string.h>

enum { NAME_COLUMNS_MAX = 48 };

size_t dataset_name_width(const struct model_dataset *dataset)
{
    size_t width = strlen("benchmark");
    for (size_t i = 0; i < dataset->benchmark_count; i++) {
        size_t length = strlen(dataset->benchmarks[i]);
        width = length > width ? length : width;
    }
    return width < NAME_COLUMNS_MAX ? width : NAME_COLUMNS_MAX;
}

size_t dataset_environment_width(const struct model_dataset *dataset, size_t least,
                                 size_t most)
{
    size_t width = least;
    for (size_t i = 0; i < dataset->environment_count; i++) {
        size_t length = strlen(dataset->environments[i]);
        width = length > width ? length : width;
    }
    return width < most ? width : most;
}

/* columns: negative for the left, as printf() takes it. */
static void append_name(struct text *text, const char *name, size_t width, int columns)
{
    size_t length = strlen(name);
    if (length > width) {
        text_append_format(text, "..%s", name + length - width + 2);
    } else {
        text_append_format(text, "%*s", columns, name);
    }
}

void dataset_name_append_right(struct text *text, const char *name, size_t width)
{
    append_name(text, name, width, (int)width);
}

void dataset_name_append(struct text *text, const char *name, size_t width)
{
    append_name(text, name, width, -(int)width);
}
