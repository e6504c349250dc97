#include "formats/yaml_limits.h"

#include <stdbool.h>

struct counts {
    size_t depth;
    size_t anchors;
    size_t nodes;
};

enum duet_code yaml_syntax_error(const yaml_parser_t *parser, const char *name,
                                 struct duet_error *reterr)
{
    /* It forgets to say so of some. */
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", name);
    }
    const char *problem = parser->problem != NULL ? parser->problem : "not YAML";
    if (parser->error == YAML_READER_ERROR) {
        return error_set(reterr, DUET_E_FORMAT, "%s: byte %zu: %s", name,
                         parser->problem_offset, problem);
    }
    const char *context = parser->context != NULL ? parser->context : "";
    return error_set(reterr, DUET_E_FORMAT, "%s:%zu:%zu: %s%s%s", name,
                     parser->problem_mark.line + 1, parser->problem_mark.column + 1,
                     problem, *context == '\0' ? "" : " ", context);
}

static void count_event(const yaml_event_t *event, struct counts *counts)
{
    const yaml_char_t *anchor = NULL;
    bool opens = event->type == YAML_SEQUENCE_START_EVENT ||
                 event->type == YAML_MAPPING_START_EVENT;
    if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
    } else if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
    }
    counts->anchors += anchor != NULL ? 1 : 0;
    counts->nodes +=
        opens || event->type == YAML_SCALAR_EVENT || event->type == YAML_ALIAS_EVENT
            ? 1
            : 0;
    counts->depth += opens ? 1 : 0;
    counts->depth -=
        event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT
            ? 1
            : 0;
}

static enum duet_code check_counts(const struct counts *counts,
                                   const yaml_event_t *event, const char *name,
                                   struct duet_error *reterr)
{
    const char *what = counts->depth > YAML_DEPTH_MAX       ? "levels of nesting"
                       : counts->anchors > YAML_ANCHORS_MAX ? "anchors"
                       : counts->nodes > YAML_NODES_MAX     ? "values"
                                                            : NULL;
    size_t limit = counts->depth > YAML_DEPTH_MAX       ? YAML_DEPTH_MAX
                   : counts->anchors > YAML_ANCHORS_MAX ? YAML_ANCHORS_MAX
                                                        : YAML_NODES_MAX;
    return what == NULL
               ? DUET_OK
               : error_set(reterr, DUET_E_FORMAT, "%s:%zu:%zu: more than %zu %s", name,
                           event->start_mark.line + 1, event->start_mark.column + 1,
                           limit, what);
}

enum duet_code yaml_limits_check(const char *bytes, size_t length, const char *name,
                                 struct duet_error *reterr)
{
    yaml_parser_t parser;
    struct counts counts = {0};
    enum duet_code code = DUET_OK;
    bool more = true;
    if (yaml_parser_initialize(&parser) == 0) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read '%s'", name);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
    while (more && code == DUET_OK) {
        yaml_event_t event;
        if (yaml_parser_parse(&parser, &event) == 0) {
            code = yaml_syntax_error(&parser, name, reterr);
            break;
        }
        count_event(&event, &counts);
        code = check_counts(&counts, &event, name, reterr);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return code;
}
