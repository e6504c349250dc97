// link: duet_formats
// memory-mib: 16
/* JMH's JSON (formats/dataset_jmh.h): any bytes as a file of results. */
#include "formats/dataset_jmh.h"

#include "dataset_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dataset_read(data, size, formats_dataset_jmh_read_ns);
    return 0;
}
