/* JMH's JSON (-rf json) into a data set. */
#ifndef DUET_FORMATS_DATASET_JMH_H
#define DUET_FORMATS_DATASET_JMH_H

#include "formats/source.h"
#include "model/dataset_builder.h"

/* The file is one instance; a benchmark with its parameters is a benchmark, a fork a
 * trial. Of throughputs the inverse is taken; of histograms (mode "sample") each value
 * as often as it was seen. Errors: DUET_E_FORMAT (with the place in the document),
 * DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_dataset_jmh_read(struct formats_source *source, const char *environment,
                         const char *instance, struct model_dataset_builder *builder,
                         struct duet_error *reterr);

/* The same with values in nanoseconds by their scoreUnit ("ms/op", "ops/s"). Errors:
 * also DUET_E_FORMAT for another unit. */
BASE_MUST_USE enum duet_code
formats_dataset_jmh_read_ns(struct formats_source *source, const char *environment,
                            const char *instance, struct model_dataset_builder *builder,
                            struct duet_error *reterr);

#endif
