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

/* "BenchmarkName-8  100 ..." */
static bool is_go_line(const char *line, size_t length)
{
    static const char mark[] = "Benchmark";
    size_t at = sizeof mark - 1;
    if (length <= at || memcmp(line, mark, at) != 0 ||
        islower((unsigned char)line[at]) != 0) {
        return false;
    }
    while (at < length && line[at] != ' ' && line[at] != '\t') {
        at++;
    }
    while (at < length && (line[at] == ' ' || line[at] == '\t')) {
        at++;
    }
    return at < length && isdigit((unsigned char)line[at]) != 0;
}

static bool is_go(const char *bytes, size_t length)
{
    static const char *const marks[] = {"goos: ", "goarch: ", "pkg: "};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (length > strlen(marks[i]) &&
            memcmp(bytes, marks[i], strlen(marks[i])) == 0) {
            return true;
        }
    }
    for (size_t at = 0; at < length;) {
        const char *end = memchr(bytes + at, '\n', length - at);
        size_t line = end == NULL ? length - at : (size_t)(end - bytes) - at;
        if (is_go_line(bytes + at, line)) {
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
    return is_go(bytes, length) ? FORMATS_TOOL_GO : FORMATS_TOOL_NONE;
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

enum duet_code formats_tool_json_read(struct formats_source *source,
                                      const char *environment, const char *instance,
                                      struct model_dataset_builder *builder,
                                      struct formats_left_out *left_out,
                                      struct duet_error *reterr)
{
    json_t *document = NULL;
    struct receiver receiver = {.builder = builder};
    struct formats_tool_sink sink = {
        .source = source, .add = receive, .context = &receiver, .left_out = left_out};
    receiver.point.names[MODEL_LEVEL_ENVIRONMENT] =
        (struct model_name){environment, strlen(environment)};
    receiver.point.names[MODEL_LEVEL_INSTANCE] =
        (struct model_name){instance, strlen(instance)};
    enum duet_code code = formats_json_load(source, &document, reterr);
    if (code == DUET_OK) {
        code = read_document(document, &sink, reterr);
    }
    if (code == DUET_OK) {
        code = check_any(&sink, reterr);
    }
    if (code == DUET_OK && text_failed(&left_out->lines)) {
        code = error_no_memory(reterr);
    }
    formats_tool_sink_release(&sink);
    json_decref(document);
    return code;
}
