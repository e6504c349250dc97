/* nanobench's JSON (templates::json): a file is a process; times are of one unit. */
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

bool formats_tool_nanobench_is(const json_t *document)
{
    const json_t *results = json_object_get(document, "results");
    return json_object_get(json_array_get(results, 0), "median(elapsed)") != NULL;
}

/* "title: name (N = 8)" */
static void name_result(const json_t *result, struct text *name)
{
    const char *title = formats_tool_text(result, "title");
    double n = json_number_value(json_object_get(result, "complexityN"));
    text_append_format(name, "%s%s%s", title, *title == '\0' ? "" : ": ",
                       formats_tool_text(result, "name"));
    if (n > 0) {
        text_append_format(name, " (N = %.15g)", n);
    }
}

static enum duet_code take_result(const json_t *result, const char *name,
                                  struct formats_tool_sink *sink,
                                  struct duet_error *reterr)
{
    const json_t *measurements = json_object_get(result, "measurements");
    double batch = json_number_value(json_object_get(result, "batch"));
    double unit_ns = 1e9 / (batch > 0 ? batch : 1);
    struct formats_measured measured = {.benchmark = name, .process = "0", .count = 1};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(measurements) && code == DUET_OK; i++) {
        code = formats_tool_add_number(
            sink, &measured,
            json_object_get(json_array_get(measurements, i), "elapsed"), unit_ns,
            "elapsed", reterr);
    }
    if (json_array_size(measurements) == 0) {
        code = formats_tool_add_number(sink, &measured,
                                       json_object_get(result, "median(elapsed)"),
                                       unit_ns, "median(elapsed)", reterr);
    }
    return code;
}

enum duet_code formats_tool_nanobench_read(const json_t *document,
                                           struct formats_tool_sink *sink,
                                           struct duet_error *reterr)
{
    const json_t *results = json_object_get(document, "results");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(results) && code == DUET_OK; i++) {
        struct text name = {0};
        name_result(json_array_get(results, i), &name);
        code = formats_tool_name_once(sink, &name, reterr);
        if (code == DUET_OK) {
            code = take_result(json_array_get(results, i), text_string(&name), sink,
                               reterr);
        }
        text_release(&name);
    }
    return code;
}
