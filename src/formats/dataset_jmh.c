#include "formats/dataset_jmh.h"

#include "base/text.h"
#include "formats/counted.h"
#include "formats/json_load.h"
#include "formats/scan.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct jmh {
    const struct formats_source *source;
    struct model_dataset_builder *builder;
    struct model_point point;
    char trial[32];
    bool throughput;
    bool in_ns;
    double scale;  /* of a time */
    size_t result; /* for messages */
    uint64_t counted;
};

static enum duet_code wrong(const struct jmh *jmh, const char *what,
                            struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_FORMAT, "'%s': result %zu: %s", jmh->source->name,
                     jmh->result, what);
}

static enum duet_code take_value(struct jmh *jmh, const json_t *value, uint64_t count,
                                 struct duet_error *reterr)
{
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number > 0)) {
        return wrong(jmh, "a value is not a positive number", reterr);
    }
    jmh->point.value = jmh->scale * (jmh->throughput ? 1.0 / number : number);
    enum duet_code code =
        formats_counted_add(jmh->source, count, &jmh->counted, reterr);
    if (code == DUET_OK) {
        code =
            model_dataset_builder_add_again(jmh->builder, &jmh->point, count, reterr);
    }
    return code;
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
        code = count < 1
                   ? wrong(jmh, "a histogram's count is not positive", reterr)
                   : take_value(jmh, json_array_get(seen, 0), (uint64_t)count, reterr);
    }
    return code;
}

static enum duet_code take_forks(struct jmh *jmh, const json_t *forks,
                                 struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t fork = 0; fork < json_array_size(forks) && code == DUET_OK; fork++) {
        const json_t *iterations = json_array_get(forks, fork);
        int length = snprintf(jmh->trial, sizeof jmh->trial, "%zu", fork);
        jmh->point.names[MODEL_LEVEL_TRIAL] =
            (struct model_name){jmh->trial, (size_t)length};
        for (size_t i = 0; i < json_array_size(iterations) && code == DUET_OK; i++) {
            code = take_iteration(jmh, json_array_get(iterations, i), reterr);
        }
    }
    return code;
}

/* "package.Class.method(size=100, mask=3)" */
static void name_benchmark(const json_t *result, struct text *name)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_t *params = json_object_get(result, "params");
    const char *benchmark = json_string_value(json_object_get(result, "benchmark"));
    text_append(name, benchmark == NULL ? "-" : benchmark);
    size_t before = name->length;
    json_object_foreach(params, key, value)
    {
        const char *text = json_string_value(value);
        text_append_format(name, "%s%s=%s", name->length == before ? "(" : ", ", key,
                           text == NULL ? "" : text);
    }
    text_append(name, name->length == before ? "" : ")");
}

/* "ms/op" and "ops/ms": the unit of time. */
static enum duet_code find_scale(struct jmh *jmh, const char *unit,
                                 struct duet_error *reterr)
{
    char name[16] = "";
    jmh->scale = 1.0;
    if (!jmh->in_ns) {
        return DUET_OK;
    }
    if (unit != NULL) {
        const char *slash = strchr(unit, '/');
        int length = slash == NULL ? 0 : (int)(slash - unit);
        (void)snprintf(name, sizeof name, "%.*s", jmh->throughput ? 15 : length,
                       jmh->throughput ? slash + 1 : unit);
    }
    return formats_unit_from_name(name, &jmh->scale)
               ? DUET_OK
               : wrong(jmh, "its scoreUnit is not a time such as ns/op or ops/s",
                       reterr);
}

static enum duet_code take_result(struct jmh *jmh, const json_t *result,
                                  struct duet_error *reterr)
{
    const json_t *metric = json_object_get(result, "primaryMetric");
    const json_t *forks = json_object_get(metric, "rawDataHistogram");
    const char *unit = json_string_value(json_object_get(metric, "scoreUnit"));
    struct text name = {0};
    if (!json_is_array(forks)) {
        forks = json_object_get(metric, "rawData");
    }
    if (!json_is_array(forks)) {
        return wrong(jmh, "no primaryMetric.rawData, as JMH writes it", reterr);
    }
    jmh->throughput = unit != NULL && strncmp(unit, "ops/", 4) == 0;
    enum duet_code code = find_scale(jmh, unit, reterr);
    if (code != DUET_OK) {
        return code;
    }
    name_benchmark(result, &name);
    jmh->point.names[MODEL_LEVEL_BENCHMARK] =
        (struct model_name){text_string(&name), name.length};
    code =
        text_failed(&name) ? error_no_memory(reterr) : take_forks(jmh, forks, reterr);
    text_release(&name);
    return code;
}

static enum duet_code read_jmh(struct formats_source *source, const char *environment,
                               const char *instance, bool in_ns,
                               struct model_dataset_builder *builder,
                               struct duet_error *reterr)
{
    json_t *document = NULL;
    struct jmh jmh = {.source = source, .builder = builder, .in_ns = in_ns};
    jmh.point.names[MODEL_LEVEL_ENVIRONMENT] =
        (struct model_name){environment, strlen(environment)};
    jmh.point.names[MODEL_LEVEL_INSTANCE] =
        (struct model_name){instance, strlen(instance)};
    enum duet_code code = formats_json_load(source, &document, reterr);
    if (code == DUET_OK && !json_is_array(document)) {
        code = error_set(reterr, DUET_E_FORMAT,
                         "'%s' is JSON, but no array of results, as JMH writes it",
                         source->name);
    }
    for (size_t i = 0; code == DUET_OK && i < json_array_size(document); i++) {
        jmh.result = i;
        code = take_result(&jmh, json_array_get(document, i), reterr);
    }
    json_decref(document);
    return code;
}

enum duet_code formats_dataset_jmh_read(struct formats_source *source,
                                        const char *environment, const char *instance,
                                        struct model_dataset_builder *builder,
                                        struct duet_error *reterr)
{
    return read_jmh(source, environment, instance, false, builder, reterr);
}

enum duet_code formats_dataset_jmh_read_ns(struct formats_source *source,
                                           const char *environment,
                                           const char *instance,
                                           struct model_dataset_builder *builder,
                                           struct duet_error *reterr)
{
    return read_jmh(source, environment, instance, true, builder, reterr);
}
