#include "cli/list/list_document.h"

#include "base/day.h"
#include "cli/list/list_filter.h"
#include "json/json_fields.h"

#include <math.h>

static json_t *side_object(const struct store_experiment *experiment,
                           enum model_side side)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "name", experiment->names[side]);
    json_fields_string(&fields, "command", experiment->commands[side]);
    return json_fields_end(&fields);
}

static json_t *dataset_object(const struct store_dataset *dataset)
{
    if (dataset->trials == 0) {
        return json_null();
    }
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "benchmarks", dataset->benchmarks);
    json_fields_uint(&fields, "environments", dataset->environments);
    json_fields_uint(&fields, "trials", dataset->trials);
    json_fields_uint(&fields, "iterations", dataset->iterations);
    json_fields_take(&fields, "paired", json_boolean(dataset->paired));
    return json_fields_end(&fields);
}

json_t *list_document_experiment(const struct store_experiment *experiment,
                                 const struct store_verdict *verdict)
{
    char started[DAY_MOMENT_BYTES];
    bool dataset = experiment->dataset.trials > 0;
    day_utc(experiment->started_utc_ms, started);
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "id", experiment->id);
    json_fields_string(&fields, "uuid", experiment->uuid);
    json_fields_string(&fields, "name", experiment->name);
    json_fields_string(&fields, "started", started);
    json_fields_string(&fields, "host_name", experiment->host.host_name);
    json_fields_string(&fields, "duet_version", experiment->duet_version);
    json_fields_string(&fields, "schedule",
                       dataset ? NULL : model_schedule_name(experiment->schedule));
    json_fields_string(&fields, "state", list_state_word(experiment->state));
    json_fields_string(&fields, "message", experiment->message);
    json_fields_uint(&fields, "runs", experiment->runs);
    json_fields_string(&fields, "verdict",
                       verdict->known ? model_verdict_name(verdict->verdict) : NULL);
    json_fields_real(&fields, "change_pct",
                     verdict->known ? 100.0 * (verdict->ratio - 1.0) : (double)NAN);
    json_fields_take(&fields, "old", side_object(experiment, MODEL_OLD));
    json_fields_take(&fields, "new", side_object(experiment, MODEL_NEW));
    json_fields_take(&fields, "family",
                     experiment->family != 0 ? json_integer(experiment->family)
                                             : json_null());
    json_fields_take(&fields, "data_set", dataset_object(&experiment->dataset));
    return json_fields_end(&fields);
}

json_t *list_document(const char *store, const struct analysis_overrides *overrides,
                      json_t *experiments)
{
    struct json_fields options = json_fields_begin();
    for (size_t i = 0; i < overrides->count; i++) {
        json_fields_string(&options, overrides->items[i].name,
                           overrides->items[i].value);
    }
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_string(&fields, "store", store);
    json_fields_take(&fields, "analysis_options", json_fields_end(&options));
    json_fields_take(&fields, "experiments", experiments);
    return json_fields_end(&fields);
}
