/* Names of benchmarks in tables. */
#ifndef DUET_CLI_DATASET_NAMES_H
#define DUET_CLI_DATASET_NAMES_H

#include "base/text.h"
#include "model/dataset.h"

/* Columns that the set's benchmarks take. */
size_t dataset_name_width(const struct model_dataset *dataset);

/* The name in `width` columns; longer ones show their end, which tells benchmarks
 * apart. */
void dataset_name_append(struct text *text, const char *name, size_t width);

#endif
