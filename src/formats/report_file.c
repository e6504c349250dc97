#include "formats/report_file.h"

#include "formats/dataset_go.h"
#include "formats/tools/tool_read.h"

#include <stdio.h>

static enum duet_code add_configuration(const struct model_dataset *dataset,
                                        size_t configuration, enum model_side side,
                                        struct formats_gather *gather,
                                        struct duet_error *reterr)
{
    struct model_extent extent = model_dataset_extent(dataset, configuration);
    enum duet_code code = DUET_OK;
    for (size_t t = 0; t < extent.trials && code == DUET_OK; t++) {
        const struct model_trial *trial = &dataset->trials[extent.first_trial + t];
        char run[32];
        (void)snprintf(run, sizeof run, "%zu", t);
        for (size_t i = 0; i < trial->count && code == DUET_OK; i++) {
            struct formats_record record = {
                .side = side, .ns = dataset->values[trial->first + i], .run = run};
            code = formats_gather_add(gather, &record, reterr);
        }
    }
    return code;
}

enum duet_code formats_report_read(struct formats_source *source, bool json,
                                   enum model_side side,
                                   struct formats_benchmarks *benchmarks,
                                   struct formats_gather *gather,
                                   struct formats_left_out *left_out,
                                   struct duet_error *reterr)
{
    struct model_dataset_builder *builder = NULL;
    struct model_dataset dataset = {0};
    enum duet_code code = model_dataset_builder_new(false, &builder, reterr);
    if (code == DUET_OK && json) {
        code = formats_tool_json_read(source, "-", "-", builder, left_out, reterr);
    } else if (code == DUET_OK) {
        code = formats_dataset_go_read(source, "-", "-", builder, reterr);
    }
    if (code == DUET_OK) {
        code = model_dataset_builder_finish(builder, &dataset, reterr);
    }
    for (size_t c = 0; c < dataset.configuration_count && code == DUET_OK; c++) {
        if (formats_benchmarks_take(benchmarks, side,
                                    model_dataset_benchmark(&dataset, c))) {
            code = add_configuration(&dataset, c, side, gather, reterr);
        }
    }
    model_dataset_release(&dataset);
    model_dataset_builder_free(builder);
    return code;
}
