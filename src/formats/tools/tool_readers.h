/* The readers of benchmark tools' JSON. Each has two functions: whether a document is
 * of the tool, and its values into a sink. Reading fails with DUET_E_FORMAT (names file
 * and benchmark), DUET_E_NOMEM, and what the sink's receiver says. */
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

#endif
