/* JSON: the document, its context, and hyperfine's results. */
#include "report/json/json_fields.h"
#include "report/report.h"

#include <math.h>

enum { SCHEMA_VERSION = 1 };

static const double ns_per_s = 1e9;

static json_t *load_average(const struct model_host_load *load)
{
    if (load == NULL) {
        return json_null();
    }
    json_t *array = json_array();
    for (size_t i = 0; i < 3; i++) {
        if (!json_fields_push(array, json_fields_number(load->load_avg[i]))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

json_t *report_json_context(const struct report_context *context)
{
    static const struct model_host unknown = {.num_cpus = -1,
                                              .num_cores = -1,
                                              .smt = -1,
                                              .turbo = -1,
                                              .cpu_quota = (double)NAN,
                                              .memory_bytes = (double)NAN};
    const struct model_host *host = context->host != NULL ? context->host : &unknown;
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "date", context->date_utc);
    json_fields_string(&fields, "host_name", host->host_name);
    json_fields_string(&fields, "host_uuid", host->uuid);
    json_fields_string(&fields, "os", host->os);
    json_fields_string(&fields, "kernel", host->kernel);
    json_fields_string(&fields, "arch", host->arch);
    json_fields_string(&fields, "hypervisor", host->hypervisor);
    json_fields_string(&fields, "cpu_model", host->cpu_model);
    json_fields_known_int(&fields, "num_cpus", host->num_cpus);
    json_fields_known_int(&fields, "num_cores", host->num_cores);
    json_fields_known_int(&fields, "smt", host->smt);
    json_fields_known_int(&fields, "turbo", host->turbo);
    json_fields_real(&fields, "cpu_quota", host->cpu_quota);
    json_fields_real(&fields, "memory_bytes", host->memory_bytes);
    json_fields_string(&fields, "clock", host->clock_source);
    json_fields_string(&fields, "governor", host->governor);
    json_fields_take(&fields, "load_avg", load_average(context->load_before));
    json_fields_take(&fields, "load_avg_after", load_average(context->load_after));
    json_fields_real(&fields, "steal_pct", context->steal_pct);
    json_fields_string(&fields, "duet_version", context->duet_version);
    json_fields_uint(&fields, "seed", context->seed);
    return json_fields_end(&fields);
}

void report_json_result(struct json_writer *writer, const char *command,
                        const char *name, const struct model_summary *summary,
                        const double *times_ns, const int *exit_codes, size_t count)
{
    struct json_fields fields = json_fields_begin();
    json_fields_take(&fields, "command", json_fields_text(command));
    json_fields_string(&fields, "name", name);
    json_fields_real(&fields, "mean", summary->mean_ns / ns_per_s);
    json_fields_real(&fields, "stddev", summary->sd_ns / ns_per_s);
    json_fields_real(&fields, "median", summary->median_ns / ns_per_s);
    json_fields_real(&fields, "user", summary->user_ns / ns_per_s);
    json_fields_real(&fields, "system", summary->system_ns / ns_per_s);
    json_fields_real(&fields, "min", summary->min_ns / ns_per_s);
    json_fields_real(&fields, "max", summary->max_ns / ns_per_s);
    json_writer_object(writer, NULL);
    json_writer_members(writer, json_fields_end(&fields));
    json_writer_array(writer, "times");
    for (size_t i = 0; i < count; i++) {
        json_writer_value(writer, NULL, json_fields_number(times_ns[i] / ns_per_s));
    }
    json_writer_end(writer);
    json_writer_array(writer, "exit_codes");
    for (size_t i = 0; i < count; i++) {
        json_writer_value(writer, NULL,
                          exit_codes != NULL ? json_integer(exit_codes[i])
                                             : json_null());
    }
    json_writer_end(writer);
    json_writer_value(writer, "parameters", json_object());
    json_writer_end(writer);
}

void report_json_begin(struct json_writer *writer, json_t *context)
{
    json_writer_object(writer, NULL);
    json_writer_value(writer, "schema_version", json_integer(SCHEMA_VERSION));
    json_writer_value(writer, "context", context);
}
