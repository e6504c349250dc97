/* What the fuzzers of data sets share: what must hold of a set, and of an error. */
#ifndef FUZZ_DATASET_INPUT_H
#define FUZZ_DATASET_INPUT_H

#include "foreign_input.h"

#include "model/dataset_builder.h"

static inline void dataset_finish(struct formats_source *source,
                                  struct model_dataset_builder *builder,
                                  enum duet_code code, const struct duet_error *error)
{
    struct model_dataset dataset = {0};
    require(code == DUET_OK || error->message[0] != '\0');
    if (code == DUET_OK &&
        model_dataset_builder_finish(builder, &dataset, NULL) == DUET_OK) {
        require(dataset.value_count > 0 && dataset.configuration_count > 0);
        for (size_t i = 0; i < dataset.value_count; i++) {
            require(isfinite(dataset.values[i]) && dataset.values[i] > 0);
        }
        model_dataset_release(&dataset);
    }
    model_dataset_builder_free(builder);
    formats_source_close(source);
}

/* Any bytes as one file of a format. */
typedef enum duet_code dataset_reader(struct formats_source *source,
                                      const char *environment, const char *instance,
                                      struct model_dataset_builder *builder,
                                      struct duet_error *reterr);

static inline void dataset_read(const uint8_t *data, size_t size, dataset_reader *read)
{
    FILE *file = NULL;
    struct model_dataset_builder *builder = NULL;
    struct formats_source *source = foreign_open(data, size, &file);
    struct duet_error error = {0};
    if (source == NULL) {
        return;
    }
    require(model_dataset_builder_new(false, &builder, NULL) == DUET_OK);
    enum duet_code code = read(source, "-", "-", builder, &error);
    dataset_finish(source, builder, code, &error);
}

#endif
