/* JSON of pytest-benchmark (a file is a process) and of pyperf (a run is a process). */
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

#include <stdio.h>
#include <string.h>

/* ---- pytest-benchmark ---- */

bool formats_tool_pytest_is(const json_t *document)
{
    const json_t *first = json_array_get(json_object_get(document, "benchmarks"), 0);
    return json_object_get(first, "stats") != NULL &&
           json_object_get(first, "fullname") != NULL;
}

enum duet_code formats_tool_pytest_read(const json_t *document,
                                        struct formats_tool_sink *sink,
                                        struct duet_error *reterr)
{
    const json_t *benchmarks = json_object_get(document, "benchmarks");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(benchmarks) && code == DUET_OK; i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        const json_t *data =
            json_object_get(json_object_get(benchmark, "stats"), "data");
        struct text name = {0};
        text_append(&name, formats_tool_text(benchmark, "fullname"));
        code = formats_tool_name_once(sink, &name, reterr);
        struct formats_measured measured = {
            .benchmark = text_string(&name), .process = "0", .count = 1};
        if (code == DUET_OK && json_array_size(data) == 0) {
            formats_tool_leave_out(
                sink, text_string(&name),
                "no stats.data; measure with --benchmark-save-data or --benchmark-json");
        } else if (code == DUET_OK) {
            code = formats_tool_add_numbers(sink, &measured, data, 1e9,
                                            "a value of stats.data", reterr);
        }
        text_release(&name);
    }
    return code;
}

/* ---- pyperf ---- */

bool formats_tool_pyperf_is(const json_t *document)
{
    return json_object_get(json_array_get(json_object_get(document, "benchmarks"), 0),
                           "runs") != NULL;
}

/* Of the benchmark, else of the whole file. */
static const char *metadata(const json_t *document, const json_t *benchmark,
                            const char *key)
{
    const char *own = formats_tool_text(json_object_get(benchmark, "metadata"), key);
    return *own != '\0' ? own
                        : formats_tool_text(json_object_get(document, "metadata"), key);
}

static enum duet_code take_runs(const json_t *runs, const char *name,
                                struct formats_tool_sink *sink,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(runs) && code == DUET_OK; i++) {
        char process[32];
        struct formats_measured measured = {
            .benchmark = name, .process = process, .count = 1};
        (void)snprintf(process, sizeof process, "%zu", i);
        code = formats_tool_add_numbers(
            sink, &measured, json_object_get(json_array_get(runs, i), "values"), 1e9,
            "one of the values", reterr);
    }
    return code;
}

enum duet_code formats_tool_pyperf_read(const json_t *document,
                                        struct formats_tool_sink *sink,
                                        struct duet_error *reterr)
{
    const json_t *benchmarks = json_object_get(document, "benchmarks");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(benchmarks) && code == DUET_OK; i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        const char *unit = metadata(document, benchmark, "unit");
        struct text name = {0};
        text_append(&name, metadata(document, benchmark, "name"));
        code = formats_tool_name_once(sink, &name, reterr);
        if (code == DUET_OK && *unit != '\0' && strcmp(unit, "second") != 0) {
            formats_tool_leave_out(sink, text_string(&name),
                                   "its unit is not the second");
        } else if (code == DUET_OK) {
            code = take_runs(json_object_get(benchmark, "runs"), text_string(&name),
                             sink, reterr);
        }
        text_release(&name);
    }
    return code;
}
