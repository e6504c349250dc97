// link: duet_formats
// memory-mib: 16
/* CSV of a data set (formats/dataset_csv.h): the first byte chooses what is asked of
 * the columns, the others are the file. */
#include "formats/dataset_csv.h"

#include "dataset_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct formats_dataset_options options = {.throughput =
                                                  size > 0 && (data[0] & 32U) != 0};
    if (size < 2) {
        return 0;
    }
    if ((data[0] & 1U) != 0) {
        options.columns[FORMATS_DATASET_OLD] = "a";
        options.columns[FORMATS_DATASET_NEW] = "b";
    } else if ((data[0] & 2U) != 0) {
        options.columns[FORMATS_DATASET_VALUE] = "*";
    }
    if ((data[0] & 4U) != 0) {
        options.columns[FORMATS_DATASET_COUNT] = "n";
    }
    if ((data[0] & 8U) != 0) {
        options.columns[FORMATS_DATASET_BENCHMARK] = "c+d";
    }
    if ((data[0] & 16U) != 0) {
        options.where.list[options.where.count++] = "e=1";
    }
    FILE *file = NULL;
    struct model_dataset_builder *builder = NULL;
    struct formats_dataset_counts counts = {0};
    struct formats_source *source = foreign_open(data + 1, size - 1, &file);
    struct duet_error error = {0};
    if (source == NULL) {
        return 0;
    }
    require(model_dataset_builder_new(formats_dataset_is_paired(&options), &builder,
                                      NULL) == DUET_OK);
    enum duet_code code =
        formats_dataset_csv_read(source, &options, "-", "-", builder, &counts, &error);
    dataset_finish(source, builder, code, &error);
    return 0;
}
