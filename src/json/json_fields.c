#include "json/json_fields.h"

#include "base/text.h"
#include "json/utf8.h"

#include <math.h>

struct json_fields json_fields_begin(void)
{
    struct json_fields fields = {.object = json_object()};
    fields.failed = fields.object == NULL;
    return fields;
}

void json_fields_take(struct json_fields *fields, const char *key, json_t *value)
{
    if (fields->failed) {
        json_decref(value);
    } else if (json_object_set_new(fields->object, key, value) != 0) {
        fields->failed = true;
    }
}

json_t *json_fields_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void json_fields_real(struct json_fields *fields, const char *key, double value)
{
    json_fields_take(fields, key, json_fields_number(value));
}

void json_fields_int(struct json_fields *fields, const char *key, int64_t value)
{
    json_fields_take(fields, key, json_integer(value));
}

json_t *json_fields_count(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

void json_fields_uint(struct json_fields *fields, const char *key, uint64_t value)
{
    json_fields_take(fields, key, json_fields_count(value));
}

void json_fields_known_int(struct json_fields *fields, const char *key, int64_t value)
{
    json_fields_take(fields, key, value >= 0 ? json_integer(value) : json_null());
}

json_t *json_fields_text(const char *string)
{
    struct text clean = {0};
    utf8_append(&clean, string);
    json_t *value = text_failed(&clean) ? NULL : json_string(text_string(&clean));
    text_release(&clean);
    return value;
}

void json_fields_string(struct json_fields *fields, const char *key, const char *value)
{
    bool known = value != NULL && *value != '\0';
    json_fields_take(fields, key, known ? json_fields_text(value) : json_null());
}

json_t *json_fields_list(struct json_fields *fields, const char *key)
{
    json_t *list = json_array();
    json_fields_take(fields, key, list);
    return fields->failed ? NULL : list;
}

void json_fields_add(struct json_fields *fields, json_t *list, json_t *value)
{
    fields->failed = json_array_append_new(list, value) != 0 || fields->failed;
}

json_t *json_fields_end(struct json_fields *fields)
{
    json_t *object = fields->object;
    if (fields->failed) {
        json_decref(object);
        object = NULL;
    }
    *fields = (struct json_fields){.failed = true};
    return object;
}

bool json_fields_push(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0;
}
