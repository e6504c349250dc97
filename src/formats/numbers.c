#include "formats/numbers.h"

#include <string.h>

/* Longer than any number that anybody writes. */
enum { LINE_MAX_BYTES = 400 };

/* The line without its comment and its end; false at the end of the file. Bytes beyond
 * the limit are counted, not kept. */
static bool read_line(struct formats_source *source, char *line, size_t *ret_length)
{
    size_t length = 0;
    bool comment = false;
    int byte = formats_source_next(source);
    if (byte == FORMATS_SOURCE_END) {
        return false;
    }
    for (; byte != '\n' && byte != FORMATS_SOURCE_END;
         byte = formats_source_next(source)) {
        comment = comment || byte == '#';
        if (!comment) {
            if (length < LINE_MAX_BYTES) {
                line[length] = (char)byte;
            }
            length++;
        }
    }
    line[length < LINE_MAX_BYTES ? length : LINE_MAX_BYTES] = '\0';
    *ret_length = length;
    return true;
}

static enum duet_code take_line(struct formats_source *source, uint64_t line_number,
                                const char *line, size_t length,
                                const struct formats_unit *unit,
                                struct formats_record *record,
                                struct duet_error *reterr)
{
    const char *shown = line + strspn(line, " \t");
    uint64_t column = 1 + (uint64_t)(shown - line);
    double value = 0;
    if (length > LINE_MAX_BYTES || !formats_scan_number(line, length, &value)) {
        return formats_source_error(
            source, line_number, column, reterr,
            "'%.40s' is not a %s (one a line; '#' begins a comment; for CSV use --format csv)",
            shown,
            length > LINE_MAX_BYTES ? "number" : formats_scan_wanted(line, length));
    }
    if (!formats_unit_apply(unit, value, &record->ns)) {
        const struct formats_unit_wanted wanted = formats_unit_wanted(unit, value);
        return formats_source_error(source, line_number, column, reterr,
                                    "'%.40s' is not a %s", shown, wanted.text);
    }
    return DUET_OK;
}

enum duet_code formats_numbers_read(struct formats_source *source,
                                    const struct formats_unit *unit,
                                    enum model_side side, const char *process,
                                    struct formats_gather *gather,
                                    struct duet_error *reterr)
{
    char line[LINE_MAX_BYTES + 1];
    size_t length = 0;
    size_t count = 0;
    enum duet_code code = DUET_OK;
    struct formats_record record = {.side = side, .run = process};
    uint64_t line_number = source->line;
    while (code == DUET_OK && read_line(source, line, &length)) {
        while (length > 0 && length <= LINE_MAX_BYTES &&
               strchr(" \t\r", line[length - 1]) != NULL) {
            line[--length] = '\0';
        }
        if (length > 0) {
            code = take_line(source, line_number, line, length, unit, &record, reterr);
            if (code == DUET_OK) {
                code = formats_gather_add(gather, &record, reterr);
                count++;
            }
        }
        line_number = source->line;
    }
    if (code == DUET_OK) {
        code = formats_source_check(source, reterr);
    }
    if (code == DUET_OK && count == 0) {
        return error_set(reterr, DUET_E_TOO_FEW, "'%s' holds no number", source->name);
    }
    return code;
}
