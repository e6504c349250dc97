/* Files of benchmark tools: which one it is, and its values. */
#ifndef DUET_FORMATS_TOOLS_TOOL_READ_H
#define DUET_FORMATS_TOOLS_TOOL_READ_H

#include "formats/left_out.h"
#include "formats/source.h"
#include "model/dataset_builder.h"

enum formats_tool_kind {
    FORMATS_TOOL_NONE,
    FORMATS_TOOL_HYPERFINE, /* JSON with results[].command */
    FORMATS_TOOL_JSON,      /* any other JSON */
    FORMATS_TOOL_GO         /* a line of go test -bench */
};

/* By what lies ready of the file, which stays to be read. */
enum formats_tool_kind formats_tool_guess(struct formats_source *source);

/* JSON of any tool of docs/formats.md into a data set, in ns: a benchmark with its
 * parameters is a benchmark, a process a trial. What has no usable value is left out
 * and noted. Errors: DUET_E_FORMAT (not JSON: with line and column; of no known tool;
 * nothing usable), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
formats_tool_json_read(struct formats_source *source, const char *environment,
                       const char *instance, struct model_dataset_builder *builder,
                       struct formats_left_out *left_out, struct duet_error *reterr);

#endif
