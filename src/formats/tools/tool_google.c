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

/* The length of a name without what Google Benchmark appends to that of an aggregate:
 * "B/8_mean". All of it: nothing was appended. */
static size_t base_length(const char *name)
{
    static const char *const ends[] = {"_mean", "_median", "_stddev",
                                       "_cv",   "_BigO",   "_RMS"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t end = strlen(ends[i]);
        if (length > end && strcmp(name + length - end, ends[i]) == 0) {
            return length - end;
        }
    }
    return length;
}

enum duet_code formats_tool_google_is_aggregate(struct formats_tool_sink *sink,
                                                const char *name, bool *ret_aggregate,
                                                struct duet_error *reterr)
{
    uint32_t number = 0;
    size_t known = sink->names.count;
    size_t length = base_length(name);
    bool aggregate = name[length] != '\0';
    enum duet_code code =
        model_name_table_find(&sink->names, name, length, &number, reterr);
    if (code == DUET_OK && aggregate && sink->names.count > known) {
        formats_tool_leave_out(sink, name,
                               "it is called like an aggregate (a file with "
                               "--benchmark_out_format=json says what it is)");
    }
    *ret_aggregate = aggregate;
    return code;
}

static enum duet_code is_aggregate(const json_t *benchmark,
                                   struct formats_tool_sink *sink, bool *ret_aggregate,
                                   struct duet_error *reterr)
{
    const char *type = formats_tool_text(benchmark, "run_type");
    const char *name = formats_tool_text(benchmark, "name");
    uint32_t number = 0;
    if (*type == '\0') {
        return formats_tool_google_is_aggregate(sink, name, ret_aggregate, reterr);
    }
    *ret_aggregate = strcmp(type, "aggregate") == 0;
    return model_name_table_find(&sink->names, name, base_length(name), &number,
                                 reterr);
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
        bool aggregate = false;
        code = is_aggregate(benchmark, sink, &aggregate, reterr);
        if (code == DUET_OK && aggregate) {
            aggregates++;
        } else if (code == DUET_OK) {
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
