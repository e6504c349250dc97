// link: duet_formats
// memory-mib: 16
/* Files of benchmark tools (formats/tools/tool_read.h): any bytes as a file. */
#include "formats/tools/tool_read.h"

#include "dataset_input.h"

static enum duet_code read_tool(struct formats_source *source, const char *environment,
                                const char *instance,
                                struct model_dataset_builder *builder,
                                struct duet_error *reterr)
{
    struct formats_left_out left_out = {.count = 0};
    enum formats_tool_kind kind = formats_tool_guess(source);
    enum duet_code code = formats_tool_dataset_read(
        source, kind == FORMATS_TOOL_NONE ? FORMATS_TOOL_JSON : kind, environment,
        instance, builder, &left_out, reterr);
    formats_left_out_release(&left_out);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dataset_read(data, size, read_tool);
    return 0;
}
