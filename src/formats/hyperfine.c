#include "formats/hyperfine.h"

#include "base/text.h"
#include "formats/json_load.h"
#include "formats/scan.h"
#include "formats/tools/tool_readers.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *command_of(const json_t *result)
{
    const char *command = json_string_value(json_object_get(result, "command"));
    return command != NULL ? command : "";
}

static enum duet_code
take_times(const struct formats_source *source, const json_t *results, size_t index,
           enum model_side side, const char *benchmark, struct formats_gather *gather,
           char ret_names[MODEL_SIDES][256], struct duet_error *reterr)
{
    const json_t *result = json_array_get(results, index);
    const json_t *times = json_object_get(result, "times");
    if (!json_is_array(times) || json_array_size(times) == 0) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "'%s': results[%zu] has no times (a summary alone cannot be compared)",
            source->name, index);
    }
    const struct formats_unit seconds = {.ns = 1e9};
    for (size_t i = 0; i < json_array_size(times); i++) {
        const json_t *time = json_array_get(times, i);
        struct formats_record record = {.side = side, .benchmark = benchmark};
        double value = json_number_value(time); /* 0: not a number */
        if (!formats_unit_apply(&seconds, value, &record.ns)) {
            const struct formats_unit_wanted wanted =
                formats_unit_wanted(&seconds, value);
            return error_set(reterr, DUET_E_FORMAT,
                             "'%s': results[%zu].times[%zu] is not a %s", source->name,
                             index, i, value > 0 ? wanted.text : "positive number");
        }
        enum duet_code code = formats_gather_add(gather, &record, reterr);
        if (code != DUET_OK) {
            return code;
        }
    }
    if (benchmark == NULL) {
        text_copy(ret_names[side], sizeof ret_names[side], command_of(result));
    }
    return DUET_OK;
}

/* The one result with that command. */
static enum duet_code find_command(const struct formats_source *source,
                                   const json_t *results, const char *command,
                                   size_t *ret_index, struct duet_error *reterr)
{
    for (size_t i = 0; i < json_array_size(results); i++) {
        if (strcmp(command_of(json_array_get(results, i)), command) == 0) {
            *ret_index = i;
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_NOT_FOUND, "'%s' has no result of the command '%s'",
                     source->name, command);
}

/* Each command is a benchmark. */
static enum duet_code take_all(const struct formats_source *source,
                               const json_t *results, enum model_side side,
                               struct formats_gather *gather,
                               char ret_names[MODEL_SIDES][256],
                               struct duet_error *reterr)
{
    struct formats_tool_sink names = {.source = source};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < json_array_size(results) && code == DUET_OK; i++) {
        struct text name = {0};
        formats_tool_hyperfine_name(json_array_get(results, i), &name);
        code = formats_tool_name_once(&names, &name, reterr);
        if (code == DUET_OK) {
            code = take_times(source, results, i, side, text_string(&name), gather,
                              ret_names, reterr);
        }
        text_release(&name);
    }
    formats_tool_sink_release(&names);
    return code;
}

static enum duet_code take_results(const struct formats_source *source,
                                   const json_t *results,
                                   const struct formats_hyperfine_choice *choice,
                                   struct formats_gather *gather,
                                   char ret_names[MODEL_SIDES][256],
                                   struct duet_error *reterr)
{
    size_t count = json_array_size(results);
    bool named = choice->one_side ? choice->commands[choice->side] != NULL
                                  : choice->commands[MODEL_OLD] != NULL &&
                                        choice->commands[MODEL_NEW] != NULL;
    size_t wanted = choice->one_side ? 1 : 2;
    if (!named && choice->one_side && count > 1) {
        return take_all(source, results, choice->side, gather, ret_names, reterr);
    }
    if (!named && count != wanted) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "'%s' has %zu results where %zu %s needed; choose with --sides OLD,NEW (their commands)",
            source->name, count, wanted, wanted == 1 ? "is" : "are");
    }
    enum duet_code code = DUET_OK;
    size_t next = 0;
    for (unsigned side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        if (choice->one_side && side != (unsigned)choice->side) {
            continue;
        }
        size_t index = next++;
        if (named) {
            code =
                find_command(source, results, choice->commands[side], &index, reterr);
        }
        if (code == DUET_OK) {
            code = take_times(source, results, index, (enum model_side)side, NULL,
                              gather, ret_names, reterr);
        }
    }
    return code;
}

enum duet_code formats_hyperfine_read(struct formats_source *source,
                                      const struct formats_hyperfine_choice *choice,
                                      struct formats_gather *gather,
                                      char ret_names[MODEL_SIDES][256],
                                      struct duet_error *reterr)
{
    json_t *document = NULL;
    enum duet_code code = formats_json_load(source, &document, reterr);
    if (code == DUET_OK) {
        const json_t *results = json_object_get(document, "results");
        code = json_is_array(results)
                   ? take_results(source, results, choice, gather, ret_names, reterr)
                   : error_set(reterr, DUET_E_FORMAT,
                               "'%s' is JSON without results[], which hyperfine "
                               "--export-json writes",
                               source->name);
    }
    json_decref(document);
    return code;
}
