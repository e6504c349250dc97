// link: duet_formats
// memory-mib: 1100
/* Compressed files (formats/source.h): any bytes as one. xz may ask for a dictionary of
 * a GiB, which libarchive allows. */
#include "formats/source.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct formats_source *source = NULL;
    struct duet_error error = {0};
    FILE *file = size == 0 ? NULL : fmemopen((void *)(uintptr_t)data, size, "r");
    if (file == NULL) {
        return 0;
    }
    if (formats_source_of(file, "input", &source, &error) != DUET_OK) {
        (void)fclose(file);
        return 0;
    }
    while (formats_source_fill(source) != FORMATS_SOURCE_END) {
        source->at = source->length;
    }
    formats_source_close(source);
    return 0;
}
