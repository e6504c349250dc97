/* Criterion's sample.json (one benchmark, a process), and critcmp's exports (only
 * means: one value a benchmark). */
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

bool formats_tool_criterion_is(const json_t *document)
{
    return json_is_array(json_object_get(document, "iters")) &&
           json_is_array(json_object_get(document, "times"));
}

enum duet_code formats_tool_criterion_read(const json_t *document,
                                           struct formats_tool_sink *sink,
                                           struct duet_error *reterr)
{
    const json_t *iters = json_object_get(document, "iters");
    const json_t *times = json_object_get(document, "times");
    struct formats_measured measured = {.benchmark = "-", .process = "0", .count = 1};
    enum duet_code code = DUET_OK;
    if (json_array_size(iters) != json_array_size(times)) {
        return error_set(
            reterr, DUET_E_FORMAT, "'%s': %zu times of %zu samples; it is not complete",
            sink->source->name, json_array_size(times), json_array_size(iters));
    }
    for (size_t i = 0; i < json_array_size(times) && code == DUET_OK; i++) {
        double count = json_number_value(json_array_get(iters, i));
        code = formats_tool_add_number(sink, &measured, json_array_get(times, i),
                                       count > 0 ? 1.0 / count : -1.0,
                                       "one of the times", reterr);
    }
    return code;
}

bool formats_tool_critcmp_is(const json_t *document)
{
    const json_t *benchmarks = json_object_get(document, "benchmarks");
    void *first = json_object_iter((json_t *)json_object_get(document, "benchmarks"));
    return json_is_object(benchmarks) && first != NULL &&
           json_object_get(json_object_iter_value(first), "criterion_estimates_v1") !=
               NULL;
}

enum duet_code formats_tool_critcmp_read(const json_t *document,
                                         struct formats_tool_sink *sink,
                                         struct duet_error *reterr)
{
    const char *name = NULL;
    json_t *benchmark = NULL;
    enum duet_code code = DUET_OK;
    json_object_foreach(json_object_get(document, "benchmarks"), name, benchmark)
    {
        const json_t *mean = json_object_get(
            json_object_get(benchmark, "criterion_estimates_v1"), "mean");
        struct formats_measured measured = {
            .benchmark = name, .process = "0", .count = 1};
        if (code == DUET_OK) {
            code = formats_tool_add_number(sink, &measured,
                                           json_object_get(mean, "point_estimate"), 1,
                                           "mean.point_estimate", reterr);
        }
    }
    return code;
}
