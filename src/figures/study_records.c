#include "figures/study_records.h"

#include "report/quote.h"
#include "json/json_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The text remembers its failure; NULL takes nothing. */
static enum duet_code add_bytes(void *context, const char *bytes, size_t length,
                                struct duet_error *reterr)
{
    (void)reterr;
    if (context != NULL) {
        text_append_n(context, bytes, length);
    }
    return DUET_OK;
}

void study_records_begin(struct study_records *records, const char *study,
                         uint64_t seed, const char *names, struct text *csv,
                         struct text *json)
{
    *records = (struct study_records){.csv = csv,
                                      .json = json,
                                      .writer = {.write = add_bytes, .context = json},
                                      .names = names,
                                      .name = names};
    text_append_format(csv, "%s\r\n", names);
    json_writer_object(&records->writer, NULL);
    json_writer_value(&records->writer, "schema_version", json_integer(1));
    json_writer_value(&records->writer, "study", json_fields_text(study));
    json_writer_value(&records->writer, "seed", json_fields_count(seed));
    json_writer_array(&records->writer, "rows");
}

/* The next field as JSON, and what stands around it as CSV. */
static void add_field(struct study_records *records, json_t *value)
{
    char name[64];
    size_t length = strcspn(records->name, ",");
    bool last = records->name[length] == '\0';
    (void)snprintf(name, sizeof name, "%.*s", (int)length, records->name);
    if (records->name == records->names) {
        json_writer_object(&records->writer, NULL);
    }
    json_writer_value(&records->writer, name, value);
    text_append(records->csv, last ? "\r\n" : ",");
    records->name = last ? records->names : records->name + length + 1;
    if (last) {
        json_writer_end(&records->writer);
    }
}

void study_records_text(struct study_records *records, const char *value)
{
    quote_append_csv(records->csv, value);
    add_field(records, json_fields_text(value));
}

void study_records_number(struct study_records *records, double value)
{
    if (isfinite(value)) {
        text_append_format(records->csv, "%.17g", value);
    }
    add_field(records, json_fields_number(value));
}

void study_records_whole(struct study_records *records, uint64_t value)
{
    text_append_format(records->csv, "%" PRIu64, value);
    add_field(records, json_fields_count(value));
}

void study_records_end(struct study_records *records)
{
    json_writer_end(&records->writer);
    json_writer_end(&records->writer);
    enum duet_code code = json_writer_finish(&records->writer, NULL);
    if (records->json != NULL) {
        records->json->failed = records->json->failed || code != DUET_OK;
        text_append_char(records->json, '\n');
    }
}
