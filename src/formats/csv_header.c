#include "formats/csv_header.h"

#include "formats/scan.h"

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
