/* The output of `go test -bench` into a data set. */
#ifndef DUET_FORMATS_DATASET_GO_H
#define DUET_FORMATS_DATASET_GO_H

#include "formats/source.h"
#include "model/dataset_builder.h"

/* The file is one instance. Each line of a benchmark is an iteration (-count repeats
 * them), its value the ns/op. "pkg:" stands before the benchmark's name. A line that
 * begins with "ok" or "FAIL" ends a trial: output of several calls of `go test` one
 * after the other is several trials. Other lines are left out.
 * Errors: DUET_E_FORMAT (with file, line: a line of a benchmark without a positive
 * ns/op), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_dataset_go_read(struct formats_source *source, const char *environment,
                        const char *instance, struct model_dataset_builder *builder,
                        struct duet_error *reterr);

#endif
