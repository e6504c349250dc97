#include "formats/fleet/fleet_json.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "formats/json_load.h"
#include "json/json_fields.h"
#include "json/json_text.h"
#include "json/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };

/* ---- Writing ---- */

/* odd: the first text of a plan that is not UTF-8. */
static json_t *exact(const char *text, const char **odd)
{
    if (*odd == NULL && !utf8_is_valid(text)) {
        *odd = text;
    }
    return json_string(text);
}

static json_t *mended(const char *text)
{
    json_t *value = json_string(text);
    char *copy = value != NULL ? NULL : alloc_string(text);
    for (char *at = copy; at != NULL && *at != '\0'; at++) {
        if ((unsigned char)*at >= 0x80) {
            *at = '?';
        }
    }
    value = copy != NULL ? json_string(copy) : value;
    free(copy);
    return value;
}

static void put_words(struct json_fields *fields, const char *key,
                      const struct model_words *words, const char **odd)
{
    json_t *list = json_fields_list(fields, key);
    for (size_t i = 0; i < words->count; i++) {
        json_fields_add(fields, list, exact(words->list[i], odd));
    }
}

static enum duet_code finish(struct json_fields *fields, const char *odd,
                             struct text *text, struct duet_error *reterr)
{
    json_t *object = json_fields_end(fields);
    bool whole = json_text_append(text, object);
    json_decref(object);
    if (odd != NULL) {
        return error_set(
            reterr, DUET_E_USAGE,
            "'%s' is not UTF-8, and the plan of a fleet is JSON: rename it", odd);
    }
    text_append_char(text, '\n');
    return whole && !text_failed(text) ? DUET_OK : error_no_memory(reterr);
}

enum duet_code formats_fleet_plan_write(const struct model_fleet_plan *plan,
                                        struct text *text, struct duet_error *reterr)
{
    struct json_fields fields = json_fields_begin();
    const char *odd = NULL;
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, plan->seed);
    json_fields_int(&fields, "schema_version", VERSION);
    json_fields_take(&fields, "id", json_string(plan->id));
    json_fields_take(&fields, "engine",
                     json_string(model_fleet_engine_name(plan->engine)));
    json_fields_take(&fields, "study", json_boolean(plan->study));
    json_fields_take(&fields, "suite", exact(plan->suite, &odd));
    json_fields_take(&fields, "suite_sha256", json_string(plan->suite_sha256));
    json_fields_take(&fields, "folder", exact(plan->folder, &odd));
    put_words(&fields, "options", &plan->options, &odd);
    json_fields_uint(&fields, "tasks", plan->tasks);
    json_fields_uint(&fields, "runs", plan->runs);
    json_fields_take(&fields, "seed", json_string(seed));
    json_fields_take(&fields, "instance",
                     json_string(model_fleet_instance_name(plan->instance)));
    json_fields_take(&fields, "until_decided", json_boolean(plan->until_decided));
    json_fields_real(&fields, "confidence", plan->confidence);
    json_fields_real(&fields, "same_within", plan->same_within);
    json_fields_uint(&fields, "limit", plan->limit);
    put_words(&fields, "sbatch", &plan->sbatch, &odd);
    json_fields_int(&fields, "created_utc_ms", plan->created_utc_ms);
    json_fields_take(&fields, "duet_version", json_string(plan->version));
    return finish(&fields, odd, text, reterr);
}

static void put_ratios(struct json_fields *fields,
                       const struct model_fleet_state *state)
{
    json_t *list = json_fields_list(fields, "ratios");
    for (size_t i = 0; i < state->ratio_count; i++) {
        const struct model_fleet_ratio *ratio = &state->ratios[i];
        struct json_fields row = json_fields_begin();
        json_fields_take(&row, "name", mended(ratio->name));
        json_fields_real(&row, "log_ratio", ratio->log_ratio);
        json_fields_real(&row, "old_ns", ratio->old_ns);
        json_fields_take(&row, "identical", json_boolean(ratio->identical));
        json_fields_add(fields, list, json_fields_end(&row));
    }
}

enum duet_code formats_fleet_state_write(const struct model_fleet_state *state,
                                         struct text *text, struct duet_error *reterr)
{
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", VERSION);
    json_fields_uint(&fields, "task", state->task);
    json_fields_take(&fields, "attempt", json_string(state->attempt));
    json_fields_take(&fields, "phase",
                     json_string(model_fleet_phase_name(state->phase)));
    json_fields_take(&fields, "node", mended(state->node));
    json_fields_take(&fields, "cpu_model", mended(state->cpu_model));
    json_fields_take(&fields, "instance", json_string(state->instance));
    json_fields_int(&fields, "began_utc_ms", state->began_utc_ms);
    json_fields_int(&fields, "ended_utc_ms", state->ended_utc_ms);
    json_fields_take(&fields, "result", json_string(state->result));
    json_fields_take(&fields, "message", mended(state->message));
    put_ratios(&fields, state);
    return finish(&fields, NULL, text, reterr);
}

/* ---- Reading ---- */

/* A document being taken apart; the first failure stays. */
struct reading {
    const char *path;
    const json_t *object;
    enum duet_code code;
    struct duet_error error;
};

static const json_t *get(struct reading *reading, const char *key, bool right)
{
    if (!right && reading->code == DUET_OK) {
        reading->code = error_set(&reading->error, DUET_E_FORMAT,
                                  "'%s': \"%s\" is missing, or not what it must be",
                                  reading->path, key);
    }
    return json_object_get(reading->object, key);
}

static void take_text(struct reading *reading, const char *key, char *field,
                      size_t size)
{
    const char *text = json_string_value(json_object_get(reading->object, key));
    (void)get(reading, key, text != NULL && strlen(text) < size);
    text_copy(field, size, text == NULL ? "" : text);
}

static void take_string(struct reading *reading, const char *key, char **ret_string)
{
    const char *text = json_string_value(json_object_get(reading->object, key));
    (void)get(reading, key, text != NULL && *text != '\0');
    *ret_string = alloc_string(text == NULL ? "" : text);
    if (*ret_string == NULL && reading->code == DUET_OK) {
        reading->code = error_no_memory(&reading->error);
    }
}

static int64_t take_whole(struct reading *reading, const char *key, int64_t low,
                          int64_t high)
{
    const json_t *value = json_object_get(reading->object, key);
    int64_t whole = json_integer_value(value);
    (void)get(reading, key, json_is_integer(value) && whole >= low && whole <= high);
    return whole;
}

static double take_number(struct reading *reading, const char *key)
{
    const json_t *value = json_object_get(reading->object, key);
    (void)get(reading, key, json_is_number(value) || json_is_null(value));
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static unsigned take_word(struct reading *reading, const char *key,
                          const char *(*name_of)(unsigned), unsigned count)
{
    const char *text = json_string_value(json_object_get(reading->object, key));
    unsigned index = 0;
    while (text != NULL && index < count && strcmp(text, name_of(index)) != 0) {
        index++;
    }
    (void)get(reading, key, text != NULL && index < count);
    return index;
}

static void take_words(struct reading *reading, const char *key,
                       struct model_words *ret_words)
{
    const json_t *list = json_object_get(reading->object, key);
    (void)get(reading, key, json_is_array(list));
    for (size_t i = 0; i < json_array_size(list) && reading->code == DUET_OK; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        (void)get(reading, key, word != NULL);
        if (word != NULL) {
            reading->code = model_words_add(ret_words, word, &reading->error);
        }
    }
}

static enum duet_code load(const char *path, json_t **ret_document,
                           struct duet_error *reterr)
{
    struct formats_source *source = NULL;
    json_t *document = NULL;
    /* Others may have put something into the folder that is not a file. */
    enum duet_code code = formats_source_open_plain(path, &source, reterr);
    if (code == DUET_OK) {
        code = formats_json_load(source, &document, reterr);
        formats_source_close(source);
    }
    if (code != DUET_OK) {
        return code;
    }
    const json_t *version = json_object_get(document, "schema_version");
    if (json_integer_value(version) > VERSION) {
        code = error_set(reterr, DUET_E_VERSION,
                         "'%s' was written by a newer duet: read it with that", path);
    } else if (json_integer_value(version) != VERSION) {
        code = error_set(reterr, DUET_E_FORMAT, "'%s' is no file of a fleet", path);
    }
    if (code != DUET_OK) {
        json_decref(document);
        return code;
    }
    *ret_document = document;
    return DUET_OK;
}

static void take_plan(struct reading *reading, struct model_fleet_plan *plan)
{
    char seed[24] = "";
    take_text(reading, "id", plan->id, sizeof plan->id);
    (void)get(reading, "id",
              strspn(plan->id, "0123456789abcdef") == sizeof plan->id - 1);
    plan->engine = (enum model_fleet_engine)take_word(
        reading, "engine", model_fleet_engine_name, MODEL_FLEET_ENGINES);
    const json_t *study = json_object_get(reading->object, "study");
    (void)get(reading, "study", study == NULL || json_is_boolean(study));
    plan->study = json_is_true(study);
    take_string(reading, "suite", &plan->suite);
    take_text(reading, "suite_sha256", plan->suite_sha256, sizeof plan->suite_sha256);
    take_string(reading, "folder", &plan->folder);
    take_words(reading, "options", &plan->options);
    (void)get(reading, "options", !plan->study || plan->options.count > 0);
    plan->tasks = (uint64_t)take_whole(reading, "tasks", 1, MODEL_FLEET_TASKS_MAX);
    plan->runs = (uint64_t)take_whole(reading, "runs", 1, INT64_MAX);
    take_text(reading, "seed", seed, sizeof seed);
    struct duet_error ignored;
    (void)get(reading, "seed",
              parse_whole(seed, "seed", 0, UINT64_MAX, &plan->seed, &ignored) ==
                  DUET_OK);
    plan->instance = (enum model_fleet_instance)take_word(
        reading, "instance", model_fleet_instance_name, MODEL_FLEET_INSTANCES);
    const json_t *until = json_object_get(reading->object, "until_decided");
    (void)get(reading, "until_decided", json_is_boolean(until));
    plan->until_decided = json_is_true(until);
    plan->confidence = take_number(reading, "confidence");
    (void)get(reading, "confidence", plan->confidence > 0 && plan->confidence < 1);
    plan->same_within = take_number(reading, "same_within");
    plan->limit = (uint64_t)take_whole(reading, "limit", 0, MODEL_FLEET_TASKS_MAX);
    take_words(reading, "sbatch", &plan->sbatch);
    plan->created_utc_ms = take_whole(reading, "created_utc_ms", 0, INT64_MAX);
    take_text(reading, "duet_version", plan->version, sizeof plan->version);
}

enum duet_code formats_fleet_plan_read(const char *path,
                                       struct model_fleet_plan *ret_plan,
                                       struct duet_error *reterr)
{
    json_t *document = NULL;
    enum duet_code code = load(path, &document, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct reading reading = {.path = path, .object = document};
    struct model_fleet_plan plan = {.suite = NULL};
    take_plan(&reading, &plan);
    json_decref(document);
    if (reading.code != DUET_OK) {
        model_fleet_plan_release(&plan);
        return error_set(reterr, reading.code, "%s", reading.error.message);
    }
    *ret_plan = plan;
    return DUET_OK;
}

static void take_ratios(struct reading *reading, struct model_fleet_state *state)
{
    const json_t *list = json_object_get(reading->object, "ratios");
    (void)get(reading, "ratios", json_is_array(list));
    state->ratios = alloc_array(json_array_size(list), sizeof *state->ratios);
    if (state->ratios == NULL) {
        reading->code = error_no_memory(&reading->error);
        return;
    }
    for (size_t i = 0; i < json_array_size(list) && reading->code == DUET_OK; i++) {
        struct reading row = {.path = reading->path, .object = json_array_get(list, i)};
        struct model_fleet_ratio *ratio = &state->ratios[state->ratio_count++];
        take_string(&row, "name", &ratio->name);
        ratio->log_ratio = take_number(&row, "log_ratio");
        ratio->old_ns = take_number(&row, "old_ns");
        const json_t *identical = json_object_get(row.object, "identical");
        (void)get(&row, "identical", identical == NULL || json_is_boolean(identical));
        ratio->identical = json_is_true(identical);
        reading->code = row.code;
        reading->error = row.error;
    }
}

enum duet_code formats_fleet_state_read(const char *path,
                                        struct model_fleet_state *ret_state,
                                        struct duet_error *reterr)
{
    json_t *document = NULL;
    enum duet_code code = load(path, &document, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct reading reading = {.path = path, .object = document};
    struct model_fleet_state state = {.ratios = NULL};
    state.task = (uint64_t)take_whole(&reading, "task", 1, MODEL_FLEET_TASKS_MAX);
    take_text(&reading, "attempt", state.attempt, sizeof state.attempt);
    state.phase = (enum model_fleet_phase)take_word(
        &reading, "phase", model_fleet_phase_name, MODEL_FLEET_PHASES);
    take_text(&reading, "node", state.node, sizeof state.node);
    take_text(&reading, "cpu_model", state.cpu_model, sizeof state.cpu_model);
    take_text(&reading, "instance", state.instance, sizeof state.instance);
    state.began_utc_ms = take_whole(&reading, "began_utc_ms", 0, INT64_MAX);
    state.ended_utc_ms = take_whole(&reading, "ended_utc_ms", 0, INT64_MAX);
    take_text(&reading, "result", state.result, sizeof state.result);
    take_text(&reading, "message", state.message, sizeof state.message);
    take_ratios(&reading, &state);
    json_decref(document);
    if (reading.code != DUET_OK) {
        model_fleet_state_release(&state);
        return error_set(reterr, reading.code, "%s", reading.error.message);
    }
    *ret_state = state;
    return DUET_OK;
}
