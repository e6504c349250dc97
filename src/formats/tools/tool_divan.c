/* What divan prints: a tree of benchmarks, with the mean of each. A file is a process.
 *
 *     Timer precision: 20 ns
 *     crate         fastest       | slowest       | median        | mean          | ...
 *     |- group                    |               |               |               |
 *     |  |- 8       10 ns         | 12 ns         | 11 ns         | 11.5 ns       | ...
 *
 * (with box-drawing characters). A level is three characters wide. */
#include "formats/scan.h"
#include "formats/tools/tool_readers.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const char bar[] = "\xe2\x94\x82"; /* U+2502 */

enum { LEVELS_MAX = 16, LEVEL_WIDTH = 3, MEAN_COLUMN = 3 };

struct divan {
    struct formats_tool_sink *sink;
    size_t width; /* characters before the first column; 0: no header yet */
    struct text levels[LEVELS_MAX]; /* names from the crate down */
    struct text name;
};

static bool next_line(struct formats_source *source, struct text *line)
{
    line->length = 0;
    text_append(line, "");
    int byte = formats_source_next(source);
    bool any = byte != FORMATS_SOURCE_END;
    while (byte != '\n' && byte != FORMATS_SOURCE_END) {
        if (byte != '\r' && byte != '\0') {
            text_append_char(line, (char)byte);
        }
        byte = formats_source_next(source);
    }
    return any;
}

bool formats_tool_divan_is(const char *bytes, size_t length)
{
    const char *at = memmem(bytes, length, "fastest", 7);
    const char *end =
        at == NULL ? NULL : memchr(at, '\n', length - (size_t)(at - bytes));
    size_t line = end == NULL ? 0 : (size_t)(end - at);
    return line > 0 && memmem(at, line, "slowest", 7) != NULL &&
           memmem(at, line, "median", 6) != NULL && memmem(at, line, bar, 3) != NULL;
}

/* The byte behind so many characters of UTF-8. */
static const char *skip(const char *text, size_t characters)
{
    while (*text != '\0' && characters > 0) {
        text++;
        while (((unsigned char)*text & 0xC0U) == 0x80U) {
            text++;
        }
        characters--;
    }
    return text;
}

static size_t count_characters(const char *from, const char *to)
{
    size_t count = 0;
    for (; from < to; from++) {
        count += ((unsigned char)*from & 0xC0U) != 0x80U;
    }
    return count;
}

/* Behind the branches of the tree, which are no letters of names; how many characters
 * they take. */
static const char *behind_tree(const char *line, size_t *ret_characters)
{
    size_t characters = 0;
    while (*line == ' ' || strncmp(line, "\xe2\x94", 2) == 0 ||
           strncmp(line, "\xe2\x95", 2) == 0) {
        line = skip(line, 1);
        characters++;
    }
    *ret_characters = characters;
    return line;
}

static void set_level(struct divan *divan, size_t level, const char *from,
                      const char *to)
{
    while (to > from && to[-1] == ' ') {
        to--;
    }
    divan->levels[level].length = 0;
    text_append_n(&divan->levels[level], from, (size_t)(to - from));
}

/* The unit that divan writes behind a number; of minutes and days it is one letter. */
static bool find_unit(const char *unit, double *ret_ns)
{
    if (strcmp(unit, "m") == 0 || strcmp(unit, "d") == 0) {
        *ret_ns = *unit == 'm' ? 60e9 : 86400e9;
        return true;
    }
    return formats_unit_from_name(unit, ret_ns);
}

/* What stands in the column of means: "11.5 ns"; "" nothing. */
static const char *find_mean(const char *columns)
{
    for (int i = 0; i < MEAN_COLUMN && columns != NULL; i++) {
        columns = strstr(columns, bar);
        columns = columns == NULL ? NULL : columns + strlen(bar);
    }
    if (columns == NULL) {
        return "";
    }
    columns += strspn(columns, " ");
    return strncmp(columns, bar, strlen(bar)) == 0 ? "" : columns;
}

static bool take_mean(const char *mean, double *ret_ns)
{
    char unit[16];
    size_t length = strcspn(mean, " ");
    double unit_ns = 0;
    double number = 0;
    const char *name = mean + length + strspn(mean + length, " ");
    (void)snprintf(unit, sizeof unit, "%.*s", (int)strcspn(name, " "), name);
    if (!formats_scan_number(mean, length, &number) || !find_unit(unit, &unit_ns)) {
        return false;
    }
    *ret_ns = unit_ns * number;
    return true;
}

static enum duet_code take_benchmark(struct divan *divan, size_t level,
                                     const char *columns, struct duet_error *reterr)
{
    struct formats_measured measured = {.process = "0", .count = 1};
    const char *mean = find_mean(columns);
    if (*mean == '\0') {
        return DUET_OK; /* a group, or one that was ignored */
    }
    divan->name.length = 0;
    for (size_t i = 0; i <= level; i++) {
        text_append_format(&divan->name, "%s%s",
                           i == 0 ? "" : "::", text_string(&divan->levels[i]));
    }
    enum duet_code code = formats_tool_name_once(divan->sink, &divan->name, reterr);
    measured.benchmark = text_string(&divan->name);
    if (code == DUET_OK && !take_mean(mean, &measured.ns)) {
        formats_tool_leave_out(divan->sink, measured.benchmark,
                               "its mean is not a time such as 11.5 ns");
        return DUET_OK;
    }
    return code == DUET_OK ? formats_tool_add(divan->sink, &measured, reterr) : code;
}

static enum duet_code take_line(struct divan *divan, const char *line,
                                struct duet_error *reterr)
{
    const char *first = strstr(line, "fastest");
    size_t characters = 0;
    if (first != NULL && strstr(first, "slowest") != NULL) {
        divan->width = count_characters(line, first);
        set_level(divan, 0, line, first);
        return DUET_OK;
    }
    const char *name = behind_tree(line, &characters);
    size_t level = characters / LEVEL_WIDTH;
    if (divan->width == 0 || characters == 0 || characters >= divan->width ||
        level >= LEVELS_MAX || *name == '\0') {
        return DUET_OK; /* throughputs and allocations stand below their benchmark */
    }
    const char *columns = skip(line, divan->width);
    set_level(divan, level, name, columns);
    return take_benchmark(divan, level, columns, reterr);
}

enum duet_code formats_tool_divan_read(struct formats_source *source,
                                       struct formats_tool_sink *sink,
                                       struct duet_error *reterr)
{
    struct divan divan = {.sink = sink};
    struct text line = {0};
    enum duet_code code = DUET_OK;
    while (code == DUET_OK && next_line(source, &line)) {
        code = text_failed(&line) ? error_no_memory(reterr)
                                  : take_line(&divan, text_string(&line), reterr);
    }
    for (size_t i = 0; i < LEVELS_MAX; i++) {
        text_release(&divan.levels[i]);
    }
    text_release(&divan.name);
    text_release(&line);
    return code;
}
