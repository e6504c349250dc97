#include "formats/tools/tool_sink.h"

#include "base/alloc.h"
#include "formats/counted.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum duet_code formats_tool_add(struct formats_tool_sink *sink,
                                const struct formats_measured *measured,
                                struct duet_error *reterr)
{
    if (!isfinite(measured->ns) || measured->ns < 0) {
        return error_set(reterr, DUET_E_FORMAT, "'%s': %.300s: a value is not a %s",
                         sink->source->name, measured->benchmark,
                         measured->ns > 0 ? "time: it must be at most 1.79769e+308 ns"
                                          : "positive number");
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

/* *ret_added: it was not there. */
static enum duet_code look_up(struct formats_tool_sink *sink, const struct text *name,
                              uint32_t *ret_number, bool *ret_added,
                              struct duet_error *reterr)
{
    size_t before = sink->names.count;
    if (text_failed(name)) {
        return error_no_memory(reterr);
    }
    enum duet_code code = model_name_table_find(&sink->names, text_string(name),
                                                name->length, ret_number, reterr);
    *ret_added = sink->names.count > before;
    return code;
}

/* Where it is counted how often the name came again. NULL: no memory. */
static uint32_t *repeats_of(struct formats_tool_sink *sink, uint32_t number)
{
    if (number >= sink->repeats_capacity) {
        size_t wanted = sink->names.capacity;
        uint32_t *grown = alloc_resize(sink->repeats, wanted, sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        memset(grown + sink->repeats_capacity, 0,
               (wanted - sink->repeats_capacity) * sizeof *grown);
        sink->repeats = grown;
        sink->repeats_capacity = wanted;
    }
    return &sink->repeats[number];
}

enum duet_code formats_tool_name_once(struct formats_tool_sink *sink, struct text *name,
                                      struct duet_error *reterr)
{
    size_t length = name->length;
    uint32_t number = 0;
    bool added = false;
    enum duet_code code = look_up(sink, name, &number, &added, reterr);
    if (code != DUET_OK || added) {
        return code;
    }
    uint32_t *repeats = repeats_of(sink, number);
    code = repeats == NULL ? error_no_memory(reterr) : DUET_OK;
    while (code == DUET_OK && !added) {
        uint32_t other = 0;
        name->length = length;
        text_append_format(name, " #%" PRIu32, ++*repeats + 1);
        code = look_up(sink, name, &other, &added, reterr);
    }
    return code;
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
    free(sink->repeats);
    sink->repeats = NULL;
    sink->repeats_capacity = 0;
}
