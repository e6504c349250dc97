/* JSON: how an answer was made. */
#include "report/report.h"
#include "json/json_fields.h"

json_t *report_json_analysis(const struct model_analysis *analysis)
{
    struct json_fields fields = json_fields_begin();
    for (size_t i = 0; i < model_analysis_fields(); i++) {
        const struct model_value value = model_analysis_get(analysis, i);
        const char *key = model_analysis_key(i);
        switch (value.kind) {
        case MODEL_VALUE_NONE:
            json_fields_take(&fields, key, json_null());
            break;
        case MODEL_VALUE_FLAG:
            json_fields_take(&fields, key, json_boolean(value.flag));
            break;
        case MODEL_VALUE_COUNT:
            json_fields_uint(&fields, key, value.count);
            break;
        case MODEL_VALUE_REAL:
            json_fields_real(&fields, key, value.real);
            break;
        case MODEL_VALUE_WORD:
            json_fields_string(&fields, key, value.word);
            break;
        }
    }
    return json_fields_end(&fields);
}
