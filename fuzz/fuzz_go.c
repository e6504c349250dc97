// link: duet_formats
/* Output of go test -bench (formats/tools/tool_go.c): any bytes. */
#include "formats/tools/tool_read.h"

#include "dataset_input.h"

static enum duet_code read_go(struct formats_source *source, const char *environment,
                              const char *instance,
                              struct model_dataset_builder *builder,
                              struct duet_error *reterr)
{
    struct formats_left_out left_out = {.count = 0};
    enum duet_code code = formats_tool_dataset_read(
        source, FORMATS_TOOL_GO, environment, instance, builder, &left_out, reterr);
    formats_left_out_release(&left_out);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dataset_read(data, size, read_go);
    return 0;
}
