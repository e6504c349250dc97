/* JMH's JSON (-rf json): a fork is a process; of throughputs the inverse is taken; of
 * histograms (mode "sample") each value as often as it was seen. */
#include "formats/scan.h"
#include "formats/tools/tool_json.h"
#include "formats/tools/tool_readers.h"

#include <stdio.h>
#include <string.h>

struct jmh {
    struct formats_tool_sink *sink;
    struct formats_measured measured;
    bool throughput;
    double unit_ns;
};

static enum duet_code take_value(struct jmh *jmh, const json_t *value, uint64_t count,
                                 struct duet_error *reterr)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || (jmh->throughput && !(number > 0))) {
        return error_set(reterr, DUET_E_FORMAT,
                         "'%s': %.300s: a value is not a positive number",
                         jmh->sink->source->name, jmh->measured.benchmark);
    }
    jmh->measured.ns = jmh->unit_ns * (jmh->throughput ? 1.0 / number : number);
    jmh->measured.count = count;
    return formats_tool_add(jmh->sink, &jmh->measured, reterr);
}

/* An iteration: its score, or a histogram of [value, count]. */
static enum duet_code take_iteration(struct jmh *jmh, const json_t *iteration,
                                     struct duet_error *reterr)
{
    if (!json_is_array(iteration)) {
        return take_value(jmh, iteration, 1, reterr);
    }
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(iteration) && code == DUET_OK; i++) {
        const json_t *seen = json_array_get(iteration, i);
        json_int_t count = json_integer_value(json_array_get(seen, 1));
        if (count < 1) {
            return error_set(reterr, DUET_E_FORMAT,
                             "'%s': %.300s: a histogram's count is not positive",
                             jmh->sink->source->name, jmh->measured.benchmark);
        }
        code = take_value(jmh, json_array_get(seen, 0), (uint64_t)count, reterr);
    }
    return code;
}

static enum duet_code take_forks(struct jmh *jmh, const json_t *forks,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t fork = 0; fork < json_array_size(forks) && code == DUET_OK; fork++) {
        const json_t *iterations = json_array_get(forks, fork);
        char process[32];
        (void)snprintf(process, sizeof process, "%zu", fork);
        jmh->measured.process = process;
        for (size_t i = 0; i < json_array_size(iterations) && code == DUET_OK; i++) {
            code = take_iteration(jmh, json_array_get(iterations, i), reterr);
        }
        jmh->measured.process = NULL;
    }
    return code;
}

/* "package.Class.method(size=100, mask=3) [thrpt, 4 threads]" */
static void name_benchmark(const json_t *result, struct text *name)
{
    const char *key = NULL;
    json_t *value = NULL;
    const char *mode = formats_tool_text(result, "mode");
    json_int_t threads = json_integer_value(json_object_get(result, "threads"));
    const char *benchmark = formats_tool_text(result, "benchmark");
    text_append(name, *benchmark == '\0' ? "-" : benchmark);
    size_t before = name->length;
    json_object_foreach(json_object_get(result, "params"), key, value)
    {
        const char *text = json_string_value(value);
        text_append_format(name, "%s%s=%s", name->length == before ? "(" : ", ", key,
                           text == NULL ? "" : text);
    }
    text_append(name, name->length == before ? "" : ")");
    bool shown = *mode != '\0' && strcmp(mode, "avgt") != 0;
    if (shown) {
        text_append_format(name, " [%s", mode);
    }
    if (threads > 1) {
        text_append_format(name, "%s%lld threads", shown ? ", " : " [",
                           (long long)threads);
    }
    text_append(name, shown || threads > 1 ? "]" : "");
}

/* "ms/op" and "ops/ms": the unit of time. false: another unit. */
static bool find_unit(struct jmh *jmh, const char *unit)
{
    char name[16] = "";
    const char *slash = strchr(unit, '/');
    int length = slash == NULL ? 0 : (int)(slash - unit);
    jmh->throughput = strncmp(unit, "ops/", 4) == 0;
    if (slash != NULL && length < (int)sizeof name) {
        (void)snprintf(name, sizeof name, "%.*s", jmh->throughput ? 15 : length,
                       jmh->throughput ? slash + 1 : unit);
    }
    return formats_unit_from_name(name, &jmh->unit_ns);
}

static enum duet_code take_result(struct jmh *jmh, const json_t *result,
                                  struct duet_error *reterr)
{
    const json_t *metric = json_object_get(result, "primaryMetric");
    const json_t *forks = json_object_get(metric, "rawDataHistogram");
    struct text name = {0};
    if (!json_is_array(forks)) {
        forks = json_object_get(metric, "rawData");
    }
    name_benchmark(result, &name);
    enum duet_code code = formats_tool_name_once(jmh->sink, &name, reterr);
    if (code == DUET_OK) {
        jmh->measured.benchmark = text_string(&name);
        if (!json_is_array(forks)) {
            formats_tool_leave_out(jmh->sink, text_string(&name),
                                   "no primaryMetric.rawData, as JMH writes it");
        } else if (!find_unit(jmh, formats_tool_text(metric, "scoreUnit"))) {
            formats_tool_leave_out(
                jmh->sink, text_string(&name),
                "its scoreUnit is not a time such as ns/op or ops/s");
        } else {
            code = take_forks(jmh, forks, reterr);
        }
    }
    text_release(&name);
    return code;
}

bool formats_tool_jmh_is(const json_t *document)
{
    return json_is_array(document) &&
           json_object_get(json_array_get(document, 0), "primaryMetric") != NULL;
}

enum duet_code formats_tool_jmh_read(const json_t *document,
                                     struct formats_tool_sink *sink,
                                     struct duet_error *reterr)
{
    struct jmh jmh = {.sink = sink};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; code == DUET_OK && i < json_array_size(document); i++) {
        code = take_result(&jmh, json_array_get(document, i), reterr);
    }
    return code;
}
