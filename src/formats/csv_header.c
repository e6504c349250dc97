#include "formats/csv_header.h"

#include "base/text.h"
#include "formats/scan.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void formats_csv_trim(const char **text, size_t *length)
{
    while (*length > 0 && strchr(" \t", **text) != NULL) {
        ++*text;
        --*length;
    }
    while (*length > 0 && strchr(" \t", (*text)[*length - 1]) != NULL) {
        --*length;
    }
}

bool formats_csv_is_called(const char *text, size_t length, const char *name)
{
    formats_csv_trim(&text, &length);
    return strlen(name) == length && strncasecmp(text, name, length) == 0;
}

bool formats_csv_is_usually_called(const char *text, const char *name)
{
    double ns = 0;
    size_t length = strlen(name);
    if (formats_csv_is_called(text, strlen(text), name)) {
        return true;
    }
    return strncasecmp(text, name, length) == 0 && text[length] != '\0' &&
           strchr(" _.([-", text[length]) != NULL &&
           formats_unit_from_suffix(text, &ns) &&
           strpbrk(text + length + strspn(text + length, " _.([-"), " _.([-") == NULL;
}

/* The commonest separator of the header, quotes and comments left out. */
static char find_separator(struct formats_source *source)
{
    size_t length = 0;
    const unsigned char *bytes = formats_source_look(source, &length);
    static const char separators[] = {',', ';', '\t'};
    size_t counts[sizeof separators] = {0};
    bool quoted = false;
    for (size_t i = 0; i < length && (quoted || bytes[i] != '\n'); i++) {
        quoted = quoted != (bytes[i] == '"');
        for (size_t s = 0; s < sizeof separators && !quoted; s++) {
            counts[s] += bytes[i] == (unsigned char)separators[s] ? 1 : 0;
        }
    }
    size_t best = 0;
    for (size_t s = 1; s < sizeof separators; s++) {
        best = counts[s] > counts[best] ? s : best;
    }
    return separators[best];
}

enum duet_code formats_csv_header_read(struct formats_source *source, char *separator,
                                       struct formats_csv_row *row,
                                       struct duet_error *reterr)
{
    while (formats_source_peek(source) == '#' || formats_source_peek(source) == '\n' ||
           formats_source_peek(source) == '\r') {
        int byte = 0;
        while (byte != '\n' && byte != FORMATS_SOURCE_END) {
            byte = formats_source_next(source);
        }
    }
    char found = *separator;
    if (found == 0) {
        found = find_separator(source);
    }
    bool more = false;
    enum duet_code code = formats_csv_row_read(source, found, row, &more, reterr);
    if (code == DUET_OK && !more) {
        code = error_set(reterr, DUET_E_TOO_FEW, "'%s' is empty", source->name);
    }
    if (code == DUET_OK) {
        *separator = found;
    }
    return code;
}

enum duet_code formats_csv_not_found(const struct formats_csv_row *header,
                                     const char *file, const char *what,
                                     struct duet_error *reterr)
{
    struct text names = {0};
    for (size_t i = 0; i < header->count; i++) {
        text_append_format(&names, "%s%s", i == 0 ? "" : ", ",
                           formats_csv_row_text(header, i));
    }
    enum duet_code code =
        error_set(reterr, DUET_E_NOT_FOUND, "'%s' has no %s; its columns: %.600s", file,
                  what, text_string(&names));
    text_release(&names);
    return code;
}

/* ---- Only some rows ---- */

enum duet_code formats_where_take(struct formats_where *where, const char *value,
                                  struct duet_error *reterr)
{
    if (strchr(value, '=') == NULL || value[0] == '=') {
        return error_set(reterr, DUET_E_USAGE, "--where %s: write COLUMN=VALUE", value);
    }
    if (where->count == FORMATS_WHERE_MAX) {
        return error_set(reterr, DUET_E_USAGE, "--where: at most %d of them",
                         FORMATS_WHERE_MAX);
    }
    where->list[where->count++] = value;
    return DUET_OK;
}

enum duet_code formats_where_find(struct formats_where *where,
                                  const struct formats_csv_row *header,
                                  const char *file, struct duet_error *reterr)
{
    for (size_t w = 0; w < where->count; w++) {
        char name[256];
        char what[300];
        size_t i = 0;
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(where->list[w], "="),
                       where->list[w]);
        while (i < header->count &&
               !formats_csv_is_called(formats_csv_row_text(header, i),
                                      header->fields[i].length, name)) {
            i++;
        }
        if (i == header->count) {
            (void)snprintf(what, sizeof what, "column '%s'", name);
            return formats_csv_not_found(header, file, what, reterr);
        }
        where->columns[w] = i;
    }
    return DUET_OK;
}

bool formats_where_holds(const struct formats_where *where,
                         const struct formats_csv_row *row)
{
    for (size_t w = 0; w < where->count; w++) {
        const char *text = formats_csv_row_text(row, where->columns[w]);
        size_t length = row->fields[where->columns[w]].length;
        const char *wanted = strchr(where->list[w], '=') + 1;
        formats_csv_trim(&text, &length);
        if (strlen(wanted) != length || memcmp(text, wanted, length) != 0) {
            return false;
        }
    }
    return true;
}
