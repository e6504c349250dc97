#include "cli/watch/watch_advice.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/json_file.h"
#include "report/columns.h"
#include "report/json/json_fields.h"
#include "session/watch/watch_derive.h"

static void append_table(struct text *text, const struct watch_derived *list,
                         size_t count, double loss)
{
    static const int columns[] = {-22, 8, 8, 8, 8, 7, 8, 10, 9};
    columns_append(
        text, columns,
        "series\tpoints\tper h\tblock\thours\tacf\tthinned\tacf then\tper h\n");
    for (size_t i = 0; i < count; i++) {
        const struct watch_derived *derived = &list[i];
        const struct analysis_cadence *cadence = &derived->cadence;
        columns_append(
            text, columns, "%s\t%zu\t%.2f\t%.1f\t%.1f\t%.2f\t%zu%s\t%.2f\t%.2f\n",
            derived->name, derived->points, derived->per_hour, cadence->block_length,
            derived->block_hours, cadence->correlation, cadence->thinning,
            cadence->limited ? " " : "+", cadence->thinned, derived->wanted_per_hour);
    }
    text_append_format(
        text,
        "\n"
        "block: optimal length (Politis and White), in points and in hours.\n"
        "thinning: one point in this many keeps the lag-1 autocorrelation within "
        "%.3g of the series'\n"
        "(+: every thinning that was tried does).\n",
        loss);
}

static void append_advice(struct text *text, const struct watch_advice *advice)
{
    text_append_format(text,
                       "\n"
                       "interval: %.6g h, the longest block (%.3g h of %s)\n"
                       "executions: %.6g an hour, ",
                       advice->every_hours, advice->longest->block_hours,
                       advice->longest->name, advice->per_hour);
    if (advice->fastest->cadence.limited) {
        text_append_format(text, "the most that a series needs (%.3g of %s)\n",
                           advice->fastest->wanted_per_hour, advice->fastest->name);
    } else {
        text_append(text,
                    "as given: thinning loses no autocorrelation of any series\n");
    }
    text_append_format(text,
                       "\n"
                       "duet watch --every %.6gh --executions-per-hour %.6g COMMAND\n",
                       advice->every_hours, advice->per_hour);
}

static json_t *derived_object(const struct watch_derived *derived)
{
    struct json_fields fields = json_fields_begin();
    json_fields_string(&fields, "name", derived->name);
    json_fields_uint(&fields, "points", derived->points);
    json_fields_real(&fields, "executions_per_hour", derived->per_hour);
    json_fields_real(&fields, "block_length", derived->cadence.block_length);
    json_fields_real(&fields, "block_hours", derived->block_hours);
    json_fields_real(&fields, "autocorrelation", derived->cadence.correlation);
    json_fields_uint(&fields, "thinning", derived->cadence.thinning);
    json_fields_real(&fields, "autocorrelation_thinned", derived->cadence.thinned);
    json_fields_take(&fields, "limited", json_boolean(derived->cadence.limited));
    json_fields_real(&fields, "enough_per_hour", derived->wanted_per_hour);
    return json_fields_end(&fields);
}

static json_t *derivation_document(const struct watch_derived *list, size_t count,
                                   const struct watch_advice *advice, double loss)
{
    struct json_fields inner = json_fields_begin();
    json_t *series = json_array();
    bool complete = series != NULL;
    for (size_t i = 0; i < count && complete; i++) {
        complete = json_fields_push(series, derived_object(&list[i]));
    }
    if (!complete) {
        json_decref(series);
        series = NULL;
    }
    json_fields_real(&inner, "loss", loss);
    json_fields_real(&inner, "every_s", advice->every_hours * 3600.0);
    json_fields_real(&inner, "executions_per_hour", advice->per_hour);
    json_fields_take(&inner, "series", series);
    struct json_fields fields = json_fields_begin();
    json_fields_int(&fields, "schema_version", 1);
    json_fields_take(&fields, "derivation", json_fields_end(&inner));
    return json_fields_end(&fields);
}

static enum duet_code show(const struct watch_derivation *derivation, bool json,
                           struct duet_error *reterr)
{
    const struct watch_advice advice = watch_advise(derivation);
    const struct watch_derived *list = derivation->list;
    size_t count = derivation->folder.count;
    struct text text = {0};
    if (json) {
        json_t *document = derivation_document(list, count, &advice, derivation->loss);
        return document == NULL ? error_no_memory(reterr)
                                : file_write_json("-", document, reterr);
    }
    append_table(&text, list, count, derivation->loss);
    append_advice(&text, &advice);
    return file_write_text("-", &text, reterr);
}

int watch_advice_show(const char *path, double per_hour, double loss, bool json)
{
    struct watch_derivation derivation = {.list = NULL};
    struct duet_error error = {0};
    enum duet_code code = watch_derive(path, per_hour, loss, &derivation, &error);
    if (code == DUET_OK) {
        code = show(&derivation, json, &error);
    }
    watch_derivation_release(&derivation);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}
