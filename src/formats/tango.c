#include "formats/tango.h"

#include "formats/csv_row.h"
#include "formats/scan.h"

#include <string.h>

bool formats_tango_is(struct formats_source *source)
{
    size_t length = 0;
    const char *bytes = (const char *)formats_source_look(source, &length);
    size_t commas = 0;
    size_t i = 0;
    bool digit = false; /* before this byte */
    for (; i < length && bytes[i] != '\n' && bytes[i] != '\r'; i++) {
        bool comma = bytes[i] == ',' && digit;
        if (!comma && (bytes[i] < '0' || bytes[i] > '9')) {
            return false;
        }
        commas += comma;
        digit = !comma;
    }
    return commas == 2 && digit && i < length;
}

static enum duet_code take_row(const struct formats_source *source,
                               const struct formats_csv_row *row, uint64_t index,
                               struct formats_gather *gather, struct duet_error *reterr)
{
    double numbers[3] = {0};
    bool whole = row->count == 3;
    for (size_t i = 0; i < 3 && whole; i++) {
        whole = formats_scan_number(formats_csv_row_text(row, i), row->fields[i].length,
                                    &numbers[i]) &&
                numbers[i] > 0;
    }
    if (!whole) {
        return formats_source_error(
            source, row->fields[0].line, 1, reterr,
            "not three positive numbers, as tango writes them: baseline, candidate, iterations");
    }
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct formats_record record = {.side = (enum model_side)side,
                                        .ns = numbers[side] / numbers[2],
                                        .run = "0",
                                        .has_iteration = true,
                                        .iteration = index,
                                        .beside = true};
        code = formats_gather_add(gather, &record, reterr);
    }
    return code;
}

enum duet_code formats_tango_read(struct formats_source *source,
                                  struct formats_gather *gather,
                                  struct duet_error *reterr)
{
    struct formats_csv_row row = {.bytes = NULL};
    uint64_t index = 0;
    bool more = true;
    enum duet_code code = DUET_OK;
    while (code == DUET_OK && more) {
        code = formats_csv_row_read(source, ',', &row, &more, reterr);
        if (code == DUET_OK && more) {
            code = take_row(source, &row, index++, gather, reterr);
        }
    }
    formats_csv_row_release(&row);
    return code == DUET_OK && index == 0
               ? error_set(reterr, DUET_E_TOO_FEW, "'%s' is empty", source->name)
               : code;
}
