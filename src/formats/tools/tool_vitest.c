/* JSON of vitest bench (--outputJson) and of tinybench's tasks: a file is a process.
 * Without samples there is the mean only: one value a benchmark. */
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

/* result: of tinybench, whose times are ms. */
static enum duet_code take_result(const json_t *result, struct text *name,
                                  struct formats_tool_sink *sink,
                                  struct duet_error *reterr)
{
    const json_t *latency = json_object_get(result, "latency");
    const json_t *from = json_is_object(latency) ? latency : result;
    const json_t *samples = json_object_get(from, "samples");
    enum duet_code code = formats_tool_name_once(sink, name, reterr);
    struct formats_measured measured = {
        .benchmark = text_string(name), .process = "0", .count = 1};
    if (code != DUET_OK) {
        return code;
    }
    if (json_array_size(samples) > 0) {
        return formats_tool_add_numbers(sink, &measured, samples, 1e6,
                                        "one of the samples", reterr);
    }
    if (!json_is_number(json_object_get(from, "mean"))) {
        formats_tool_leave_out(sink, text_string(name), "it has no result");
        return DUET_OK;
    }
    return formats_tool_add_number(sink, &measured, json_object_get(from, "mean"), 1e6,
                                   "mean", reterr);
}

/* ---- vitest ---- */

bool formats_tool_vitest_is(const json_t *document)
{
    const json_t *first = json_array_get(json_object_get(document, "files"), 0);
    return json_is_array(json_object_get(first, "groups"));
}

static enum duet_code take_group(const json_t *group, struct formats_tool_sink *sink,
                                 struct duet_error *reterr)
{
    const json_t *benchmarks = json_object_get(group, "benchmarks");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(benchmarks) && code == DUET_OK; i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        struct text name = {0};
        text_append_format(&name, "%s > %s", formats_tool_text(group, "fullName"),
                           formats_tool_text(benchmark, "name"));
        code = take_result(benchmark, &name, sink, reterr);
        text_release(&name);
    }
    return code;
}

enum duet_code formats_tool_vitest_read(const json_t *document,
                                        struct formats_tool_sink *sink,
                                        struct duet_error *reterr)
{
    const json_t *files = json_object_get(document, "files");
    enum duet_code code = DUET_OK;
    for (size_t f = 0; f < json_array_size(files) && code == DUET_OK; f++) {
        const json_t *groups = json_object_get(json_array_get(files, f), "groups");
        for (size_t g = 0; g < json_array_size(groups) && code == DUET_OK; g++) {
            code = take_group(json_array_get(groups, g), sink, reterr);
        }
    }
    return code;
}

/* ---- tinybench ---- */

bool formats_tool_tinybench_is(const json_t *document)
{
    const json_t *first = json_array_get(document, 0);
    return json_is_object(json_object_get(first, "result")) &&
           json_is_string(json_object_get(first, "name"));
}

enum duet_code formats_tool_tinybench_read(const json_t *document,
                                           struct formats_tool_sink *sink,
                                           struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(document) && code == DUET_OK; i++) {
        const json_t *task = json_array_get(document, i);
        struct text name = {0};
        text_append(&name, formats_tool_text(task, "name"));
        code = take_result(json_object_get(task, "result"), &name, sink, reterr);
        text_release(&name);
    }
    return code;
}
