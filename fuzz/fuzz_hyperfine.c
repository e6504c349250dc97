// link: duet_formats
/* hyperfine's JSON (formats/hyperfine.h): any bytes as a file of two results. */
#include "formats/hyperfine.h"

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
    struct formats_hyperfine_choice choice = {.one_side = false};
    char names[MODEL_SIDES][256] = {"", ""};
    code = formats_hyperfine_read(source, &choice, gather, names, &error);
    foreign_finish(source, gather, code, &error);
    return 0;
}
