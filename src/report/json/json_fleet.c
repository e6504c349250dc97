/* A fleet as JSON. */
#include "report/fleet_report.h"
#include "json/json_fields.h"

#include <math.h>

static json_t *interval_of(double low, double high, double confidence,
                           enum model_interval_method method)
{
    struct json_fields fields = json_fields_begin();
    json_fields_real(&fields, "low", low);
    json_fields_real(&fields, "high", high);
    json_fields_real(&fields, "confidence", confidence);
    json_fields_string(&fields, "method", model_interval_method_name(method));
    return json_fields_end(&fields);
}

static json_t *task_of(const struct model_fleet_state *task)
{
    struct json_fields fields = json_fields_begin();
    json_fields_uint(&fields, "task", task->task);
    json_fields_string(&fields, "phase", model_fleet_phase_name(task->phase));
    json_fields_string(&fields, "attempt", task->attempt);
    json_fields_string(&fields, "node", task->node);
    json_fields_string(&fields, "cpu_model", task->cpu_model);
    json_fields_string(&fields, "instance", task->instance);
    json_fields_real(&fields, "took_s",
                     task->ended_utc_ms > task->began_utc_ms && task->began_utc_ms > 0
                         ? (double)(task->ended_utc_ms - task->began_utc_ms) / 1e3
                         : (double)NAN);
    json_fields_string(&fields, "result", task->result);
    json_fields_string(&fields, "message", task->message);
    return json_fields_end(&fields);
}

static json_t *answer_of(const struct model_fleet_answer *answer)
{
    struct json_fields fields = json_fields_begin();
    json_fields_take(&fields, "name", json_fields_text(answer->name));
    json_fields_uint(&fields, "instances", answer->instances);
    json_fields_uint(&fields, "failed", answer->failed);
    json_fields_real(&fields, "ratio", answer->ratio);
    json_fields_take(
        &fields, "interval",
        interval_of(answer->low, answer->high, answer->confidence, answer->method));
    json_fields_string(&fields, "verdict", model_verdict_name(answer->verdict));
    json_fields_real(&fields, "p_value", answer->p_value);
    json_fields_real(&fields, "sd_between", answer->sd_between);
    json_fields_real(&fields, "could_have_seen_pct", 100 * answer->could_have_seen);
    json_fields_take(&fields, "decided_after",
                     answer->decided_after > 0
                         ? json_fields_count(answer->decided_after)
                         : json_null());
    return json_fields_end(&fields);
}

static json_t *stratum_of(const struct model_fleet_stratum *stratum)
{
    struct json_fields fields = json_fields_begin();
    json_fields_take(&fields, "benchmark", json_fields_text(stratum->benchmark));
    json_fields_take(&fields, "machine", json_fields_text(stratum->name));
    json_fields_uint(&fields, "instances", stratum->instances);
    json_fields_real(&fields, "ratio", stratum->ratio);
    json_fields_take(&fields, "interval",
                     interval_of(stratum->interval.low, stratum->interval.high,
                                 stratum->interval.confidence,
                                 stratum->interval.method));
    json_fields_real(&fields, "old_ns", stratum->old_ns);
    return json_fields_end(&fields);
}

static void take_words(struct json_fields *fields, const char *key,
                       const struct model_words *words)
{
    json_t *list = json_fields_list(fields, key);
    for (size_t i = 0; words != NULL && i < words->count; i++) {
        json_fields_add(fields, list, json_fields_text(words->list[i]));
    }
}

static json_t *plan_of(const struct model_fleet_view *view)
{
    const struct model_fleet_plan *plan = view->plan;
    struct json_fields fields = json_fields_begin();
    if (plan == NULL) {
        json_decref(json_fields_end(&fields));
        return json_null();
    }
    json_fields_string(&fields, "id", plan->id);
    json_fields_string(&fields, "folder", view->path);
    json_fields_string(&fields, "suite", plan->suite);
    json_fields_take(&fields, "study", json_boolean(plan->study));
    json_fields_string(&fields, "engine", model_fleet_engine_name(plan->engine));
    json_fields_uint(&fields, "tasks", plan->tasks);
    json_fields_uint(&fields, "runs", plan->runs);
    json_fields_uint(&fields, "seed", plan->seed);
    json_fields_take(&fields, "until_decided", json_boolean(plan->until_decided));
    return json_fields_end(&fields);
}

static json_t *phases_of(const struct model_fleet_view *view)
{
    size_t phases[MODEL_FLEET_PHASES] = {0};
    struct json_fields fields = json_fields_begin();
    for (size_t i = 0; i < view->count; i++) {
        phases[view->tasks[i].phase]++;
    }
    for (size_t i = 0; i < MODEL_FLEET_PHASES; i++) {
        json_fields_uint(&fields, model_fleet_phase_name((enum model_fleet_phase)i),
                         phases[i]);
    }
    return json_fields_end(&fields);
}

static void take_lists(struct json_fields *fields, const struct model_fleet_view *view)
{
    json_t *list = json_fields_list(fields, "tasks");
    for (size_t i = 0; i < view->count; i++) {
        json_fields_add(fields, list, task_of(&view->tasks[i]));
    }
    list = json_fields_list(fields, "benchmarks");
    for (size_t i = 0; i < view->answer_count; i++) {
        json_fields_add(fields, list, answer_of(&view->answers[i]));
    }
    list = json_fields_list(fields, "strata");
    for (size_t i = 0; i < view->stratum_count; i++) {
        json_fields_add(fields, list, stratum_of(&view->strata[i]));
    }
}

json_t *report_fleet_json(const struct model_fleet_view *view)
{
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_take(&fields, "fleet", plan_of(view));
    json_fields_take(&fields, "phases", phases_of(view));
    json_fields_string(&fields, "ended", view->ended);
    json_fields_real(&fields, "left_s", view->left_ms / 1e3);
    json_fields_string(&fields, "trouble", view->trouble);
    json_fields_uint(&fields, "used", view->used);
    json_fields_uint(&fields, "waiting", view->waiting);
    json_fields_take(&fields, "decided", json_boolean(view->decided));
    json_fields_string(&fields, "store", view->store);
    json_fields_take(&fields, "instances",
                     view->doubled != NULL ? json_fields_count(view->hosts)
                                           : json_null());
    take_words(&fields, "doubled", view->doubled);
    take_words(&fields, "refused", view->damaged);
    take_words(&fields, "foreign", view->foreign);
    take_lists(&fields, view);
    return json_fields_end(&fields);
}
