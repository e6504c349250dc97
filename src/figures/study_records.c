#include "figures/study_records.h"

#include "report/quote.h"

#include <inttypes.h>
#include <math.h>

void study_records_begin(struct study_records *records, const char *study,
                         uint64_t seed, const char *const *names, size_t count,
                         struct text *csv, struct text *json)
{
    *records = (struct study_records){
        .csv = csv, .json = json, .names = names, .count = count};
    for (size_t i = 0; i < count; i++) {
        text_append_format(csv, "%s%s", i == 0 ? "" : ",", names[i]);
    }
    text_append(csv, "\r\n");
    text_append_format(json,
                       "{\n"
                       "\"schema_version\": 1,\n"
                       "\"study\": \"%s\",\n"
                       "\"seed\": %" PRIu64 ",\n\"rows\": [",
                       study, seed);
}

static void begin_field(struct study_records *records)
{
    bool first = records->field == 0;
    if (first) {
        text_append(records->json, records->rows == 0 ? "\n{" : ",\n{");
    } else {
        text_append_char(records->csv, ',');
        text_append(records->json, ", ");
    }
    text_append_format(records->json, "\"%s\": ", records->names[records->field]);
}

static void end_field(struct study_records *records)
{
    records->field++;
    if (records->field == records->count) {
        text_append(records->csv, "\r\n");
        text_append_char(records->json, '}');
        records->field = 0;
        records->rows++;
    }
}

void study_records_text(struct study_records *records, const char *value)
{
    begin_field(records);
    quote_append_csv(records->csv, value);
    quote_append_json(records->json, value);
    end_field(records);
}

void study_records_number(struct study_records *records, double value)
{
    begin_field(records);
    if (isfinite(value)) {
        text_append_format(records->csv, "%.17g", value);
        text_append_format(records->json, "%.17g", value);
    } else {
        text_append(records->json, "null");
    }
    end_field(records);
}

void study_records_whole(struct study_records *records, uint64_t value)
{
    begin_field(records);
    text_append_format(records->csv, "%" PRIu64, value);
    text_append_format(records->json, "%" PRIu64, value);
    end_field(records);
}

void study_records_end(struct study_records *records)
{
    text_append(records->json, records->rows == 0 ? "]\n}\n" : "\n]\n}\n");
}
