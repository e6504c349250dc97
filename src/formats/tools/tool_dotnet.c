/* BenchmarkDotNet's JSON: a launch is a process. */
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

#include <stdio.h>
#include <string.h>

bool formats_tool_dotnet_is(const json_t *document)
{
    const json_t *first = json_array_get(json_object_get(document, "Benchmarks"), 0);
    return json_object_get(first, "DisplayInfo") != NULL;
}

/* "Space.Type.Method(N: 8)", and the job unless it is the default one, which stands in
 * "Type.Method: JOB [N=8]". */
static void name_benchmark(const json_t *benchmark, struct text *name)
{
    const char *info = formats_tool_text(benchmark, "DisplayInfo");
    const char *colon = strstr(info, ": ");
    const char *job = colon != NULL ? colon + 2 : "";
    const char *end = strstr(job, " [");
    size_t length = end != NULL ? (size_t)(end - job) : strlen(job);
    text_append(name, formats_tool_text(benchmark, "FullName"));
    if (length > 0 && strncmp(job, "DefaultJob", length) != 0) {
        text_append(name, " ");
        text_append_n(name, job, length);
    }
}

static enum duet_code take_measurement(const json_t *measurement, const char *name,
                                       struct formats_tool_sink *sink,
                                       struct duet_error *reterr)
{
    char process[32];
    struct formats_measured measured = {
        .benchmark = name, .process = process, .count = 1};
    double operations = json_number_value(json_object_get(measurement, "Operations"));
    (void)snprintf(
        process, sizeof process, "%lld",
        (long long)json_integer_value(json_object_get(measurement, "LaunchIndex")));
    return formats_tool_add_number(
        sink, &measured, json_object_get(measurement, "Nanoseconds"),
        operations > 0 ? 1.0 / operations : -1.0, "Nanoseconds of Operations", reterr);
}

/* *ret_any: whether it has results of launches. */
static enum duet_code take_measurements(const json_t *benchmark, const char *name,
                                        struct formats_tool_sink *sink, bool *ret_any,
                                        struct duet_error *reterr)
{
    const json_t *list = json_object_get(benchmark, "Measurements");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(list) && code == DUET_OK; i++) {
        const json_t *measurement = json_array_get(list, i);
        if (strcmp(formats_tool_text(measurement, "IterationStage"), "Result") == 0) {
            *ret_any = true;
            code = take_measurement(measurement, name, sink, reterr);
        }
    }
    return code;
}

enum duet_code formats_tool_dotnet_read(const json_t *document,
                                        struct formats_tool_sink *sink,
                                        struct duet_error *reterr)
{
    const json_t *benchmarks = json_object_get(document, "Benchmarks");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(benchmarks) && code == DUET_OK; i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        const json_t *values =
            json_object_get(json_object_get(benchmark, "Statistics"), "OriginalValues");
        bool any = false;
        struct text name = {0};
        name_benchmark(benchmark, &name);
        code = formats_tool_name_once(sink, &name, reterr);
        if (code == DUET_OK) {
            code = take_measurements(benchmark, text_string(&name), sink, &any, reterr);
        }
        struct formats_measured measured = {
            .benchmark = text_string(&name), .process = "0", .count = 1};
        if (code == DUET_OK && !any && json_array_size(values) == 0) {
            formats_tool_leave_out(sink, text_string(&name), "it has no measurements");
        } else if (code == DUET_OK && !any) {
            code = formats_tool_add_numbers(sink, &measured, values, 1,
                                            "one of OriginalValues", reterr);
        }
        text_release(&name);
    }
    return code;
}
