#include "formats/tools/tool_json.h"

const char *formats_tool_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

enum duet_code formats_tool_add_number(struct formats_tool_sink *sink,
                                       struct formats_measured *measured,
                                       const json_t *number, double unit_ns,
                                       const char *where, struct duet_error *reterr)
{
    if (!json_is_number(number)) {
        return error_set(reterr, DUET_E_FORMAT, "'%s': %.300s: %s is not a number",
                         sink->source->name, measured->benchmark, where);
    }
    measured->ns = unit_ns * json_number_value(number);
    return formats_tool_add(sink, measured, reterr);
}

enum duet_code formats_tool_add_numbers(struct formats_tool_sink *sink,
                                        struct formats_measured *measured,
                                        const json_t *numbers, double unit_ns,
                                        const char *where, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(numbers) && code == DUET_OK; i++) {
        code = formats_tool_add_number(sink, measured, json_array_get(numbers, i),
                                       unit_ns, where, reterr);
    }
    return code;
}
