/* JSON: the document, its context, and hyperfine's results. */
#include "report/report.h"
#include "json/json_fields.h"

#include <math.h>

enum { SCHEMA_VERSION = 1 };

static const double ns_per_s = 1e9;

static void add_load(struct json_fields *fields, const char *key,
                     const struct model_host_load *load)
{
    if (load == NULL) {
        json_fields_take(fields, key, json_null());
        return;
    }
    json_t *list = json_fields_list(fields, key);
    for (size_t i = 0; i < 3; i++) {
        json_fields_add(fields, list, json_fields_number(load->load_avg[i]));
    }
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
    add_load(&fields, "load_avg", context->load_before);
    add_load(&fields, "load_avg_after", context->load_after);
    json_fields_real(&fields, "steal_pct", context->steal_pct);
    json_fields_string(&fields, "duet_version", context->duet_version);
    json_fields_uint(&fields, "seed", context->seed);
    return json_fields_end(&fields);
}

static json_t *seconds_of(const struct model_time *time)
{
    return json_fields_number(time->ns / ns_per_s);
}

static json_t *exit_code_of(const struct model_time *time)
{
    return json_integer(time->exit_status);
}

static void write_each(struct json_writer *writer, const char *key, struct spool *times,
                       json_t *(*value_of)(const struct model_time *time))
{
    bool reads = true;
    size_t count = 0;
    json_writer_array(writer, key);
    for (uint64_t at = 0; reads && at < spool_count(times); at += count) {
        const void *items = NULL;
        struct duet_error error;
        enum duet_code code = spool_read(times, at, &items, &count, &error);
        reads = json_writer_check(writer, code, &error);
        const struct model_time *found = items;
        for (size_t i = 0; reads && i < count; i++) {
            json_writer_value(writer, NULL, value_of(&found[i]));
        }
    }
    json_writer_end(writer);
}

void report_json_result(struct json_writer *writer, const char *command,
                        const char *name, const struct model_summary *summary,
                        struct spool *times)
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
    write_each(writer, "times", times, seconds_of);
    write_each(writer, "exit_codes", times, exit_code_of);
    json_writer_value(writer, "parameters", json_object());
    json_writer_end(writer);
}

void report_json_begin(struct json_writer *writer, json_t *context)
{
    json_writer_object(writer, NULL);
    json_writer_value(writer, "schema_version", json_integer(SCHEMA_VERSION));
    json_writer_value(writer, "context", context);
}
