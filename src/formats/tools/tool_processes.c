/* JSON of Renaissance (a file is a process) and of krun (each list is a process). */
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

#include <stdio.h>
#include <string.h>

/* ---- Renaissance ---- */

bool formats_tool_renaissance_is(const json_t *document)
{
    return json_object_get(document, "format_version") != NULL &&
           json_is_object(json_object_get(document, "data"));
}

enum duet_code formats_tool_renaissance_read(const json_t *document,
                                             struct formats_tool_sink *sink,
                                             struct duet_error *reterr)
{
    const char *name = NULL;
    json_t *benchmark = NULL;
    enum duet_code code = DUET_OK;
    json_object_foreach(json_object_get(document, "data"), name, benchmark)
    {
        const json_t *results = json_object_get(benchmark, "results");
        struct formats_measured measured = {
            .benchmark = name, .process = "0", .count = 1};
        size_t count = json_array_size(results);
        if (strcmp(formats_tool_text(benchmark, "termination"), "failure") == 0) {
            formats_tool_leave_out(sink, name, "it failed");
            count = 0;
        } else if (count == 0) {
            formats_tool_leave_out(sink, name, "it has no results");
        }
        for (size_t i = 0; i < count && code == DUET_OK; i++) {
            code = formats_tool_add_number(
                sink, &measured,
                json_object_get(json_array_get(results, i), "duration_ns"), 1,
                "duration_ns", reterr);
        }
    }
    return code;
}

/* ---- krun ---- */

bool formats_tool_krun_is(const json_t *document)
{
    return json_is_object(json_object_get(document, "wallclock_times"));
}

enum duet_code formats_tool_krun_read(const json_t *document,
                                      struct formats_tool_sink *sink,
                                      struct duet_error *reterr)
{
    const char *name = NULL;
    json_t *executions = NULL;
    enum duet_code code = DUET_OK;
    json_object_foreach(json_object_get(document, "wallclock_times"), name, executions)
    {
        for (size_t i = 0; i < json_array_size(executions) && code == DUET_OK; i++) {
            const json_t *times = json_array_get(executions, i);
            char process[32];
            struct formats_measured measured = {
                .benchmark = name, .process = process, .count = 1};
            (void)snprintf(process, sizeof process, "%zu", i);
            if (json_array_size(times) == 0) {
                formats_tool_leave_out(sink, name, "one of its processes failed");
            }
            code = formats_tool_add_numbers(sink, &measured, times, 1e9,
                                            "one of the times", reterr);
        }
    }
    return code;
}
