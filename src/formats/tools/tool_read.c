#include "formats/tools/tool_read.h"

#include "formats/json_load.h"
#include "formats/tools/tool_readers.h"

#include <ctype.h>
#include <string.h>

/* ---- Which tool ---- */

static bool has(const char *bytes, size_t length, const char *mark)
{
    return memmem(bytes, length, mark, strlen(mark)) != NULL;
}

static bool is_go(const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t line = end == NULL ? length - at : (size_t)(end - bytes) - at;
        if (formats_tool_go_is_line(bytes + at, line)) {
            return true;
        }
        at += line + 1;
    }
    return false;
}

enum formats_tool_kind formats_tool_guess(struct formats_source *source)
{
    size_t length = 0;
    const char *bytes = (const char *)formats_source_look(source, &length);
    while (length > 0 && isspace((unsigned char)*bytes) != 0) {
        bytes++;
        length--;
    }
    if (length > 0 && *bytes == '{' && has(bytes, length, "\"results\"") &&
        has(bytes, length, "\"command\"")) {
        return FORMATS_TOOL_HYPERFINE;
    }
    if (length > 0 && (*bytes == '{' || *bytes == '[')) {
        return FORMATS_TOOL_JSON;
    }
    return formats_tool_catch2_is(bytes, length)  ? FORMATS_TOOL_CATCH2
           : formats_tool_csv_is(bytes, length)   ? FORMATS_TOOL_CSV
           : formats_tool_divan_is(bytes, length) ? FORMATS_TOOL_DIVAN
           : is_go(bytes, length)                 ? FORMATS_TOOL_GO
                                                  : FORMATS_TOOL_NONE;
}

/* ---- JSON ---- */

static const struct {
    bool (*is)(const json_t *document);
    enum duet_code (*read)(const json_t *document, struct formats_tool_sink *sink,
                           struct duet_error *reterr);
} readers[] = {{formats_tool_jmh_is, formats_tool_jmh_read},
               {formats_tool_hyperfine_is, formats_tool_hyperfine_read},
               {formats_tool_pytest_is, formats_tool_pytest_read},
               {formats_tool_pyperf_is, formats_tool_pyperf_read},
               {formats_tool_google_is, formats_tool_google_read},
               {formats_tool_criterion_is, formats_tool_criterion_read},
               {formats_tool_critcmp_is, formats_tool_critcmp_read},
               {formats_tool_renaissance_is, formats_tool_renaissance_read},
               {formats_tool_krun_is, formats_tool_krun_read},
               {formats_tool_nanobench_is, formats_tool_nanobench_read},
               {formats_tool_dotnet_is, formats_tool_dotnet_read},
               {formats_tool_vitest_is, formats_tool_vitest_read},
               {formats_tool_tinybench_is, formats_tool_tinybench_read}};

struct receiver {
    struct model_dataset_builder *builder;
    struct model_point point;
};

static enum duet_code receive(void *context, const struct formats_measured *measured,
                              struct duet_error *reterr)
{
    struct receiver *receiver = context;
    struct model_point *point = &receiver->point;
    const char *process = measured->process != NULL ? measured->process : "0";
    point->names[MODEL_LEVEL_BENCHMARK] =
        (struct model_name){measured->benchmark, strlen(measured->benchmark)};
    point->names[MODEL_LEVEL_TRIAL] = (struct model_name){process, strlen(process)};
    point->value = measured->ns;
    return model_dataset_builder_add(receiver->builder, point, reterr);
}

static enum duet_code read_document(const json_t *document,
                                    struct formats_tool_sink *sink,
                                    struct duet_error *reterr)
{
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        if (readers[i].is(document)) {
            return readers[i].read(document, sink, reterr);
        }
    }
    if (json_object_get(json_object_get(document, "metadata"), "catch2-version") !=
        NULL) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "'%s': Catch2's JSON has no results of benchmarks: write them with -r xml",
            sink->source->name);
    }
    return error_set(
        reterr, DUET_E_FORMAT,
        "'%s' is JSON, but of no known tool; docs/formats.md lists them, and CSV with named columns always works",
        sink->source->name);
}

static enum duet_code check_any(const struct formats_tool_sink *sink,
                                struct duet_error *reterr)
{
    if (sink->zeros > 0) {
        formats_left_out_note(
            sink->left_out,
            "'%s': %zu values of 0, shorter than the clock's step, are left out",
            sink->source->name, sink->zeros);
    }
    if (sink->added > 0) {
        return DUET_OK;
    }
    return error_set(reterr, DUET_E_FORMAT, "'%s' has no usable value: %.700s",
                     sink->source->name,
                     sink->left_out->count > 0 ? text_string(&sink->left_out->lines)
                                               : "it names no benchmark");
}

static enum duet_code read_json(struct formats_source *source,
                                struct formats_tool_sink *sink,
                                struct duet_error *reterr)
{
    json_t *document = NULL;
    enum duet_code code = formats_json_load(source, &document, reterr);
    if (code == DUET_OK) {
        code = read_document(document, sink, reterr);
    }
    json_decref(document);
    return code;
}

enum duet_code formats_tool_read(struct formats_source *source,
                                 enum formats_tool_kind kind, formats_tool_add_fn *add,
                                 void *context, struct formats_left_out *left_out,
                                 struct duet_error *reterr)
{
    static enum duet_code (*const files[FORMATS_TOOL_KINDS])(
        struct formats_source * source, struct formats_tool_sink * sink,
        struct duet_error * reterr) = {[FORMATS_TOOL_HYPERFINE] = read_json,
                                       [FORMATS_TOOL_JSON] = read_json,
                                       [FORMATS_TOOL_GO] = formats_tool_go_read,
                                       [FORMATS_TOOL_CSV] = formats_tool_csv_read,
                                       [FORMATS_TOOL_DIVAN] = formats_tool_divan_read,
                                       [FORMATS_TOOL_CATCH2] =
                                           formats_tool_catch2_read};
    struct formats_tool_sink sink = {
        .source = source, .add = add, .context = context, .left_out = left_out};
    enum duet_code code = files[kind](source, &sink, reterr);
    if (code == DUET_OK) {
        code = formats_source_check(source, reterr);
    }
    if (code == DUET_OK) {
        code = check_any(&sink, reterr);
    }
    if (code == DUET_OK && text_failed(&left_out->lines)) {
        code = error_no_memory(reterr);
    }
    formats_tool_sink_release(&sink);
    return code;
}

enum duet_code formats_tool_dataset_read(struct formats_source *source,
                                         enum formats_tool_kind kind,
                                         const char *environment, const char *instance,
                                         struct model_dataset_builder *builder,
                                         struct formats_left_out *left_out,
                                         struct duet_error *reterr)
{
    struct receiver receiver = {.builder = builder};
    receiver.point.names[MODEL_LEVEL_ENVIRONMENT] =
        (struct model_name){environment, strlen(environment)};
    receiver.point.names[MODEL_LEVEL_INSTANCE] =
        (struct model_name){instance, strlen(instance)};
    return formats_tool_read(source, kind, receive, &receiver, left_out, reterr);
}
