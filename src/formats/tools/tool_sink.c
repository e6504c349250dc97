#include "formats/tools/tool_sink.h"

#include "formats/counted.h"

#include <math.h>

enum duet_code formats_tool_add(struct formats_tool_sink *sink,
                                const struct formats_measured *measured,
                                struct duet_error *reterr)
{
    if (!isfinite(measured->ns) || measured->ns < 0) {
        return error_set(reterr, DUET_E_FORMAT,
                         "'%s': %.300s: a value is not a positive number",
                         sink->source->name, measured->benchmark);
    }
    if (!(measured->ns > 0)) {
        sink->zeros += (size_t)measured->count;
        return DUET_OK;
    }
    enum duet_code code =
        measured->count > 1
            ? formats_counted_add(sink->source, measured->count, &sink->counted, reterr)
            : DUET_OK;
    for (uint64_t i = 0; i < measured->count && code == DUET_OK; i++) {
        code = sink->add(sink->context, measured, reterr);
        sink->added += code == DUET_OK;
    }
    return code;
}

enum duet_code formats_tool_name_once(struct formats_tool_sink *sink, struct text *name,
                                      struct duet_error *reterr)
{
    size_t length = name->length;
    for (unsigned again = 2;; again++) {
        size_t before = sink->names.count;
        uint32_t number = 0;
        if (text_failed(name)) {
            return error_no_memory(reterr);
        }
        enum duet_code code = model_name_table_find(&sink->names, text_string(name),
                                                    name->length, &number, reterr);
        if (code != DUET_OK || sink->names.count > before) {
            return code;
        }
        name->length = length;
        text_append_format(name, " #%u", again);
    }
}

void formats_tool_leave_out(struct formats_tool_sink *sink, const char *benchmark,
                            const char *why)
{
    formats_left_out_note(sink->left_out, "'%s': %s: %s: it is left out",
                          sink->source->name, benchmark, why);
}

void formats_tool_sink_release(struct formats_tool_sink *sink)
{
    model_name_table_release(&sink->names);
}
