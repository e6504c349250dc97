/* What benchmark frameworks write about themselves, as one side of a comparison. */
#ifndef DUET_FORMATS_REPORT_FILE_H
#define DUET_FORMATS_REPORT_FILE_H

#include "formats/benchmarks.h"
#include "formats/gather.h"
#include "formats/left_out.h"
#include "formats/source.h"

/* Adds the values of one benchmark as `side`'s, in ns, each process a run: of JSON
 * as formats_tool_json_read() says, of the output of `go test -bench` a call of it.
 * -count and iterations repeat within a process. Errors: those of
 * formats_tool_json_read() and formats_dataset_go_read(). */
BASE_MUST_USE enum duet_code formats_report_read(struct formats_source *source,
                                                 bool json, enum model_side side,
                                                 struct formats_benchmarks *benchmarks,
                                                 struct formats_gather *gather,
                                                 struct formats_left_out *left_out,
                                                 struct duet_error *reterr);

#endif
