// link: duet_formats
/* Plain numbers (formats/numbers.h): any bytes as the old side. */
#include "formats/numbers.h"

#include "foreign_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file = NULL;
    struct formats_gather *gather = NULL;
    struct formats_source *source = foreign_open(data, size, &file);
    struct duet_error error = {0};
    enum duet_code code = DUET_OK;
    if (source == NULL) {
        return 0;
    }
    require(formats_gather_new(&gather, NULL) == DUET_OK);
    const struct formats_unit unit = {.ns = 1e6};
    code = formats_numbers_read(source, &unit, MODEL_OLD, NULL, gather, &error);
    const struct formats_record other = {.side = MODEL_NEW, .ns = 1};
    require(formats_gather_add(gather, &other, NULL) == DUET_OK);
    foreign_finish(source, gather, code, &error);
    return 0;
}
