/* The readers of benchmark tools' files. Each has two functions: whether a document or
 * the beginning of a file is of the tool, and its values into a sink. Reading fails
 * with DUET_E_FORMAT (names file and benchmark), DUET_E_NOMEM, and what the sink's
 * receiver says. */
#ifndef DUET_FORMATS_TOOLS_TOOL_READERS_H
#define DUET_FORMATS_TOOLS_TOOL_READERS_H

#include "formats/tools/tool_sink.h"

#include <jansson.h>
#include <stdbool.h>

#define FORMATS_TOOL_READER(tool)                               \
    bool formats_tool_##tool##_is(const json_t *document);      \
    BASE_MUST_USE enum duet_code formats_tool_##tool##_read(    \
        const json_t *document, struct formats_tool_sink *sink, \
        struct duet_error *reterr)

FORMATS_TOOL_READER(jmh);
FORMATS_TOOL_READER(hyperfine);
FORMATS_TOOL_READER(google);
FORMATS_TOOL_READER(pytest);
FORMATS_TOOL_READER(pyperf);
FORMATS_TOOL_READER(criterion);
FORMATS_TOOL_READER(critcmp);
FORMATS_TOOL_READER(renaissance);
FORMATS_TOOL_READER(krun);
FORMATS_TOOL_READER(nanobench);
FORMATS_TOOL_READER(dotnet);
FORMATS_TOOL_READER(vitest);
FORMATS_TOOL_READER(tinybench);

#undef FORMATS_TOOL_READER

/* What a result of hyperfine is called: its command and parameters. */
void formats_tool_hyperfine_name(const json_t *result, struct text *name);
/* Whether Google Benchmark calls an aggregate so: "B/8_mean". It stands behind its
 * benchmark: where the file has not named that one, this may be a benchmark of such a
 * name, and is noted as left out. Each name of the file is to be asked for. */
BASE_MUST_USE enum duet_code
formats_tool_google_is_aggregate(struct formats_tool_sink *sink, const char *name,
                                 bool *ret_aggregate, struct duet_error *reterr);

/* ---- Files that are no JSON ---- */

/* Whether a line, without its end, is a result of go test -bench. */
bool formats_tool_go_is_line(const char *line, size_t length);

/* bytes: `length` at the beginning of the file. */
bool formats_tool_csv_is(const char *bytes, size_t length);
bool formats_tool_divan_is(const char *bytes, size_t length);
bool formats_tool_catch2_is(const char *bytes, size_t length);

#define FORMATS_TOOL_FILE_READER(tool)                                 \
    BASE_MUST_USE enum duet_code formats_tool_##tool##_read(           \
        struct formats_source *source, struct formats_tool_sink *sink, \
        struct duet_error *reterr)

FORMATS_TOOL_FILE_READER(go);
FORMATS_TOOL_FILE_READER(csv);
FORMATS_TOOL_FILE_READER(divan);
FORMATS_TOOL_FILE_READER(catch2);

#undef FORMATS_TOOL_FILE_READER

#endif
