/* What may stand in a suite's file: each mapping as a table of its keys. */
#ifndef DUET_FORMATS_SUITE_SCHEMA_H
#define DUET_FORMATS_SUITE_SCHEMA_H

#include "formats/suite_document.h"

/* Reads the value `at` into a field, a text or struct of model/suite.h. */
typedef enum duet_code suite_read(struct suite_document *document,
                                  const struct suite_at *at, void *field);

struct suite_field {
    const char *key;
    suite_read *read;
    size_t offset; /* of the field in the struct */
};

/* Reads a mapping by its `fields` (ended by a NULL key) into the struct `into`; keys
 * that are settings go to `settings` (NULL: there are none; its old ones are kept and
 * overridden). */
struct suite_shape {
    const struct suite_field *fields;
    void *into;
    struct model_suite_settings *settings;
    bool defaults; /* they are the defaults */
};
BASE_MUST_USE enum duet_code suite_shape_read(struct suite_document *document,
                                              const struct suite_at *at,
                                              const struct suite_shape *shape);

/* Fields of several mappings (suite_fields.c): a text (char *), struct
 * model_suite_variables, model_suite_parameters, model_suite_check (suite_accept.c:
 * model_acceptance). */
suite_read suite_read_text;
suite_read suite_read_variables;
suite_read suite_read_parameters;
suite_read suite_read_check;
suite_read suite_read_accept;

/* Whether it can stand between the braces of {NAME}. */
bool suite_is_name(const char *name);

#endif
