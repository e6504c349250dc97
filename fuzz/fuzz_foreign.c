// link: duet_formats
// memory-mib: 16
/* Any file to compare (formats/foreign.h): the format is guessed. The first byte says
 * whether it holds both sides, and how they are paired. */
#include "formats/foreign.h"

#include "foreign_input.h"
#include "input_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[INPUT_FILE_PATH_BYTES];
    struct formats_foreign foreign = {0};
    struct duet_error error = {0};
    if (size < 2) {
        return 0;
    }
    input_file(data + 1, size - 1, path);
    char *paths[] = {path};
    struct formats_request request = {
        .sides = {{paths, 1}, {paths, (data[0] & 1U) != 0 ? 1 : 0}},
        .pairing = (data[0] & 2U) != 0 ? FORMATS_PAIRING_PAIRS : FORMATS_PAIRING_AUTO,
        .benchmark = (data[0] & 4U) != 0 ? "b" : NULL};
    if (formats_foreign_read(&request, &foreign, &error) == DUET_OK) {
        require(foreign.count > 0 && foreign.found[0].data.values.run_count > 0);
        formats_foreign_release(&foreign);
    } else {
        require(error.message[0] != '\0');
    }
    return 0;
}
