/* Names of benchmarks, environments and series in tables, whatever bytes they hold. */
#ifndef DUET_FIGURES_DATASET_NAMES_H
#define DUET_FIGURES_DATASET_NAMES_H

#include "base/text.h"
#include "model/dataset.h"

/* Columns that the set's benchmarks take. */
size_t dataset_name_width(const struct model_dataset *dataset);

/* Columns of the longest environment, but at least `least` and at most `most`. */
size_t dataset_environment_width(const struct model_dataset *dataset, size_t least,
                                 size_t most);

/* The name in `width` (2 at least) columns, at their left or right; longer ones show
 * their end, which tells benchmarks apart. */
void dataset_name_append(struct text *text, const char *name, size_t width);
void dataset_name_append_right(struct text *text, const char *name, size_t width);

/* All of it, in `least` columns or more, at their left. */
void dataset_name_append_whole(struct text *text, const char *name, size_t least);

#endif
