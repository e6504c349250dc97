#include "report/html/html_facts.h"

#include "report/digits.h"
#include "report/html/html_parts.h"
#include "report/words.h"
#include "report/xml_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static void begin_row(struct text *text, const char *name)
{
    text_append_format(text, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void end_row(struct text *text)
{
    text_append(text, "</td></tr>\n");
}

/* value: of foreign origin; "" or NULL: not known. */
static void row(struct text *text, const char *name, const char *value)
{
    if (value != NULL && *value != '\0') {
        begin_row(text, name);
        xml_append_line(text, value);
        end_row(text);
    }
}

static void row_code(struct text *text, const char *name, const char *value)
{
    if (value != NULL && *value != '\0') {
        begin_row(text, name);
        text_append(text, "<code>");
        xml_append_line(text, value);
        text_append(text, "</code>");
        end_row(text);
    }
}

static void row_format(struct text *text, const char *name, bool known,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
static void row_format(struct text *text, const char *name, bool known,
                       const char *format, ...)
{
    va_list arguments;
    if (!known) {
        return;
    }
    begin_row(text, name);
    va_start(arguments, format);
    text_append_list(text, format, arguments);
    va_end(arguments);
    end_row(text);
}

static void append_host(struct text *text, const struct html_facts *facts)
{
    const struct model_host *host = facts->host;
    const struct model_host_load *load = facts->load_before;
    if (host == NULL || host->host_name[0] == '\0') {
        return;
    }
    row(text, "Host", host->host_name);
    row(text, "CPU", host->cpu_model);
    row_format(text, "CPUs", host->num_cpus > 0, "%d (%d cores, %d threads each)",
               host->num_cpus, host->num_cores, host->smt);
    row_format(text, "CPU quota", isfinite(host->cpu_quota), "%.3g CPUs",
               host->cpu_quota);
    row_format(text, "Memory", isfinite(host->memory_bytes), "%.1f GiB",
               host->memory_bytes / (1024.0 * 1024 * 1024));
    row(text, "System", host->os);
    row(text, "Kernel", host->kernel);
    row(text, "Architecture", host->arch);
    row(text, "Hypervisor", host->hypervisor);
    row(text, "Clock", host->clock_source);
    row(text, "Governor", host->governor);
    row_format(text, "Turbo", host->turbo >= 0, "%s", host->turbo > 0 ? "on" : "off");
    if (load != NULL) {
        row_format(text, "Load before", load->load_avg[0] >= 0,
                   "%.2f (1 min), %.2f (5 min), %.2f (15 min)", load->load_avg[0],
                   load->load_avg[1], load->load_avg[2]);
    }
    row_format(text, "Steal", isfinite(facts->steal_pct), "%.2f %%", facts->steal_pct);
}

static void append_settings(struct text *text,
                            const struct model_comparison *comparison,
                            const struct html_facts *facts)
{
    struct text line = {0};
    for (int side = 0; side < MODEL_SIDES; side++) {
        enum model_side which = (enum model_side)side;
        row_code(text, side == MODEL_OLD ? "Old" : "New",
                 model_comparison_command(comparison, which));
        if (strcmp(comparison->side_names[side],
                   model_comparison_command(comparison, which)) != 0) {
            row(text, side == MODEL_OLD ? "Old is called" : "New is called",
                comparison->side_names[side]);
        }
    }
    if (comparison->verdict != MODEL_VERDICT_FAILED) {
        row(text, "Schedule", words_schedule(comparison->schedule));
        words_append_runs(&line, comparison);
        row(text, "Measured", text_string(&line));
        text->failed = text->failed || text_failed(&line);
        text_release(&line);
    }
    row_format(text, "Seed", facts->experiment > 0, "%" PRIu64, facts->seed);
    if (facts->started_utc_ms != 0) {
        begin_row(text, "Started");
        html_time(text, facts->started_utc_ms);
        end_row(text);
    }
    row(text, "duet", facts->duet_version);
    row_format(text, "Experiment", facts->experiment > 0, "%" PRId64,
               facts->experiment);
    row_code(text, "UUID", facts->uuid);
}

void html_facts_append(struct text *text, const struct model_comparison *comparison,
                       const struct html_facts *facts)
{
    html_table_begin(text, "Host and settings");
    text_append(text, "<tbody>\n");
    append_settings(text, comparison, facts);
    append_host(text, facts);
    html_table_end(text);
}
