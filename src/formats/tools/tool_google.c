/* Google Benchmark's JSON (--benchmark_format=json): a file is a process. */
#include "formats/scan.h"
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

#include <string.h>

bool formats_tool_google_is(const json_t *document)
{
    const json_t *benchmarks = json_object_get(document, "benchmarks");
    return json_is_array(benchmarks) &&
           (json_object_get(json_array_get(benchmarks, 0), "real_time") != NULL ||
            json_object_get(json_object_get(document, "context"),
                            "library_build_type") != NULL);
}

bool formats_tool_google_is_aggregate(const char *name)
{
    static const char *const ends[] = {"_mean", "_median", "_stddev",
                                       "_cv",   "_BigO",   "_RMS"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(name + length - end, ends[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_aggregate(const json_t *benchmark, const char *name)
{
    const char *type = formats_tool_text(benchmark, "run_type");
    return *type != '\0' ? strcmp(type, "aggregate") == 0
                         : formats_tool_google_is_aggregate(name);
}

static enum duet_code take(const json_t *benchmark, struct formats_tool_sink *sink,
                           struct duet_error *reterr)
{
    const char *run_name = formats_tool_text(benchmark, "run_name");
    const char *name =
        *run_name != '\0' ? run_name : formats_tool_text(benchmark, "name");
    double unit_ns = 1;
    struct formats_measured measured = {.benchmark = name, .process = "0", .count = 1};
    if (json_is_true(json_object_get(benchmark, "error_occurred"))) {
        formats_tool_leave_out(sink, name,
                               formats_tool_text(benchmark, "error_message"));
        return DUET_OK;
    }
    if (json_is_true(json_object_get(benchmark, "skipped"))) {
        formats_tool_leave_out(sink, name,
                               formats_tool_text(benchmark, "skip_message"));
        return DUET_OK;
    }
    const char *unit = formats_tool_text(benchmark, "time_unit");
    if (*unit != '\0' && !formats_unit_from_name(unit, &unit_ns)) {
        return error_set(reterr, DUET_E_FORMAT,
                         "'%s': %.300s: '%.20s' is not a unit of time",
                         sink->source->name, name, unit);
    }
    return formats_tool_add_number(sink, &measured,
                                   json_object_get(benchmark, "real_time"), unit_ns,
                                   "real_time", reterr);
}

enum duet_code formats_tool_google_read(const json_t *document,
                                        struct formats_tool_sink *sink,
                                        struct duet_error *reterr)
{
    const json_t *benchmarks = json_object_get(document, "benchmarks");
    enum duet_code code = DUET_OK;
    size_t aggregates = 0;
    for (size_t i = 0; i < json_array_size(benchmarks) && code == DUET_OK; i++) {
        const json_t *benchmark = json_array_get(benchmarks, i);
        if (is_aggregate(benchmark, formats_tool_text(benchmark, "name"))) {
            aggregates++;
        } else {
            code = take(benchmark, sink, reterr);
        }
    }
    if (code == DUET_OK && sink->added == 0 && aggregates > 0) {
        formats_tool_leave_out(
            sink, "all benchmarks",
            "aggregates only; measure without --benchmark_report_aggregates_only");
    }
    return code;
}
