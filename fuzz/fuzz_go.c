// link: duet_formats
/* Output of go test -bench (formats/dataset_go.h): any bytes. */
#include "formats/dataset_go.h"

#include "dataset_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file = NULL;
    struct model_dataset_builder *builder = NULL;
    struct formats_source *source = foreign_open(data, size, &file);
    struct duet_error error = {0};
    if (source == NULL) {
        return 0;
    }
    require(model_dataset_builder_new(false, &builder, NULL) == DUET_OK);
    enum duet_code code = formats_dataset_go_read(source, "-", "-", builder, &error);
    dataset_finish(source, builder, code, &error);
    return 0;
}
