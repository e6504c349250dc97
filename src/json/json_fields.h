/* Builds a JSON object field by field. A failure is remembered, so that a caller checks
 * once, when it takes the object. */
#ifndef DUET_JSON_JSON_FIELDS_H
#define DUET_JSON_JSON_FIELDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct json_fields {
    json_t *object;
    bool failed;
};

struct json_fields json_fields_begin(void);

/* Adds `value`, whose reference is taken over; NULL is a failure. */
void json_fields_take(struct json_fields *fields, const char *key, json_t *value);
/* NaN and infinities become null, as every unknown value. */
void json_fields_real(struct json_fields *fields, const char *key, double value);
void json_fields_int(struct json_fields *fields, const char *key, int64_t value);
/* Null from 2^63 on, where jansson's integers end. */
void json_fields_uint(struct json_fields *fields, const char *key, uint64_t value);
/* Negative means unknown in the model. */
void json_fields_known_int(struct json_fields *fields, const char *key, int64_t value);
/* Ill-formed UTF-8, which JSON cannot hold, is replaced by U+FFFD. NULL and "" mean
 * unknown. */
void json_fields_string(struct json_fields *fields, const char *key, const char *value);

/* Adds an empty array and returns it, for json_fields_add(); NULL after a failure. */
json_t *json_fields_list(struct json_fields *fields, const char *key);
/* Appends `value`, whose reference is taken over, to such an array; NULL is a failure.
 */
void json_fields_add(struct json_fields *fields, json_t *list, json_t *value);

/* The finished object, a new reference; NULL when anything failed. */
json_t *json_fields_end(struct json_fields *fields);

/* A string as json_fields_string makes it, "" kept; NULL when memory is short. */
json_t *json_fields_text(const char *string);
/* A number, or null when it is not finite, or from 2^63 on. */
json_t *json_fields_number(double value);
json_t *json_fields_count(uint64_t value);
/* Appends `value`, whose reference is taken over; false when it is NULL or memory is
 * short. */
bool json_fields_push(json_t *array, json_t *value);

#endif
