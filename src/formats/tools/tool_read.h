/* Files of benchmark tools: which one it is, and its values. */
#ifndef DUET_FORMATS_TOOLS_TOOL_READ_H
#define DUET_FORMATS_TOOLS_TOOL_READ_H

#include "formats/left_out.h"
#include "formats/source.h"
#include "formats/tools/tool_sink.h"
#include "model/dataset_builder.h"

enum formats_tool_kind {
    FORMATS_TOOL_NONE,
    FORMATS_TOOL_HYPERFINE, /* JSON with results[].command */
    FORMATS_TOOL_JSON,      /* any other JSON */
    FORMATS_TOOL_GO,        /* a line of go test -bench */
    FORMATS_TOOL_CSV,       /* the columns of Google Benchmark, Criterion, nanobench */
    FORMATS_TOOL_DIVAN,
    FORMATS_TOOL_CATCH2,
    FORMATS_TOOL_KINDS
};

/* By what lies ready of the file, which stays to be read. */
enum formats_tool_kind formats_tool_guess(struct formats_source *source);

/* Hands each value of a file to `add`, as struct formats_tool_sink says: a benchmark
 * with its parameters is a benchmark, a process a process. What has no usable value is
 * left out and noted. kind: any but FORMATS_TOOL_NONE. Errors: DUET_E_FORMAT
 * (malformed: with line and column; of no known tool; nothing usable), DUET_E_IO,
 * DUET_E_NOMEM, and those of `add`. */
BASE_MUST_USE enum duet_code formats_tool_read(struct formats_source *source,
                                               enum formats_tool_kind kind,
                                               formats_tool_add_fn *add, void *context,
                                               struct formats_left_out *left_out,
                                               struct duet_error *reterr);

/* The same into a data set, in ns; a process is a trial. */
BASE_MUST_USE enum duet_code
formats_tool_dataset_read(struct formats_source *source, enum formats_tool_kind kind,
                          const char *environment, const char *instance,
                          struct model_dataset_builder *builder,
                          struct formats_left_out *left_out, struct duet_error *reterr);

#endif
