/* hyperfine's JSON, and that of programs after its model: each time is a process. */
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

#include <stdio.h>

bool formats_tool_hyperfine_is(const json_t *document)
{
    const json_t *results = json_object_get(document, "results");
    return json_is_array(results) &&
           json_object_get(json_array_get(results, 0), "command") != NULL;
}

/* "command (size=100)" */
void formats_tool_hyperfine_name(const json_t *result, struct text *name)
{
    const char *key = NULL;
    json_t *value = NULL;
    bool any = false;
    text_append(name, formats_tool_text(result, "command"));
    json_object_foreach(json_object_get(result, "parameters"), key, value)
    {
        const char *text = json_string_value(value);
        text_append_format(name, "%s%s=%s", any ? ", " : " (", key,
                           text != NULL ? text : "");
        any = true;
    }
    text_append(name, any ? ")" : "");
}

static enum duet_code take_times(struct formats_tool_sink *sink, const json_t *times,
                                 const char *command, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(times) && code == DUET_OK; i++) {
        char process[32];
        struct formats_measured measured = {
            .benchmark = command, .process = process, .count = 1};
        (void)snprintf(process, sizeof process, "%zu", i);
        code = formats_tool_add_number(sink, &measured, json_array_get(times, i), 1e9,
                                       "one of its times", reterr);
    }
    return code;
}

enum duet_code formats_tool_hyperfine_read(const json_t *document,
                                           struct formats_tool_sink *sink,
                                           struct duet_error *reterr)
{
    const json_t *results = json_object_get(document, "results");
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(results) && code == DUET_OK; i++) {
        const json_t *result = json_array_get(results, i);
        const json_t *times = json_object_get(result, "times");
        struct text name = {0};
        formats_tool_hyperfine_name(result, &name);
        code = formats_tool_name_once(sink, &name, reterr);
        if (code == DUET_OK && json_array_size(times) == 0) {
            formats_tool_leave_out(sink, text_string(&name),
                                   "it has no times, only a summary");
        } else if (code == DUET_OK) {
            code = take_times(sink, times, text_string(&name), reterr);
        }
        text_release(&name);
    }
    return code;
}
