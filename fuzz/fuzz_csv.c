// link: duet_formats
/* CSV (formats/csv.h): any bytes as a file with both sides. */
#include "formats/csv.h"

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
    struct formats_csv_counts counts = {0};
    struct formats_csv_options options = {.separator = 0};
    code = formats_csv_read(source, &options, gather, &counts, &error);
    foreign_finish(source, gather, code, &error);
    return 0;
}
