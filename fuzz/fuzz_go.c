// link: duet_formats
/* Output of go test -bench (formats/dataset_go.h): any bytes. */
#include "formats/dataset_go.h"

#include "dataset_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dataset_read(data, size, formats_dataset_go_read);
    return 0;
}
