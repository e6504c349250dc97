/* What commands have in braces, and what a benchmark must yield. */
#include "formats/suite_schema.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 1000, VALUES_MAX = 10000 };

static enum duet_code check_name(struct suite_document *document,
                                 const struct suite_at *key)
{
    return suite_is_name(key->key)
               ? DUET_OK
               : suite_fail(
                     document, key,
                     "a name must not contain blanks or braces, since it is used in "
                     "braces");
}

/* ---- Variables ---- */

static struct model_suite_variable *
variable_find(struct suite_document *document, struct model_suite_variables *variables,
              const char *name)
{
    for (size_t i = 0; i < variables->count; i++) {
        if (strcmp(variables->items[i].name, name) == 0) {
            return &variables->items[i];
        }
    }
    struct model_suite_variable added = {.name = alloc_string(name)};
    struct model_suite_variable *grown =
        alloc_resize(variables->items, variables->count + 1, sizeof *grown);
    variables->items = grown != NULL ? grown : variables->items;
    if (added.name == NULL || grown == NULL) {
        free(added.name);
        (void)suite_fail_memory(document);
        return NULL;
    }
    grown[variables->count] = added;
    return &grown[variables->count++];
}

struct variable_visit {
    struct model_suite_variables *variables;
    bool sides[MODEL_SIDES]; /* whose value it is */
};

static enum duet_code variable_value(struct suite_document *document,
                                     const struct suite_at *key,
                                     const struct suite_at *value, void *context)
{
    const struct variable_visit *visit = context;
    enum duet_code code = check_name(document, key);
    if (code != DUET_OK) {
        return code;
    }
    struct model_suite_variable *variable =
        variable_find(document, visit->variables, key->key);
    if (variable == NULL) {
        return DUET_E_NOMEM;
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        if (visit->sides[side]) {
            code = suite_text(document, value, &variable->values[side]);
        }
    }
    return code;
}

/* `old` and `new` hold those of one side; what else there is holds for both. */
static enum duet_code variable_visit(struct suite_document *document,
                                     const struct suite_at *key,
                                     const struct suite_at *value, void *context)
{
    struct variable_visit visit = {.variables = context, .sides = {true, true}};
    bool is_old = strcmp(key->key, "old") == 0;
    if (is_old || strcmp(key->key, "new") == 0) {
        visit.sides[is_old ? MODEL_NEW : MODEL_OLD] = false;
        return suite_mapping(document, value, NAMES_MAX, variable_value, &visit);
    }
    return variable_value(document, key, value, &visit);
}

enum duet_code suite_read_variables(struct suite_document *document,
                                    const struct suite_at *at, void *field)
{
    return suite_mapping(document, at, NAMES_MAX, variable_visit, field);
}

/* ---- Parameters ---- */

static enum duet_code parameter_value(struct suite_document *document,
                                      const struct suite_at *element, void *context)
{
    struct model_suite_parameter *parameter = context;
    char *value = NULL;
    enum duet_code code = suite_text(document, element, &value);
    if (code != DUET_OK) {
        return code;
    }
    char **grown = alloc_resize((void *)parameter->values, parameter->count + 1,
                                sizeof *parameter->values);
    if (grown == NULL) {
        free(value);
        return suite_fail_memory(document);
    }
    grown[parameter->count++] = value;
    parameter->values = grown;
    return DUET_OK;
}

static enum duet_code number_read(struct suite_document *document,
                                  const struct suite_at *at, void *field)
{
    char **text = field;
    double number = 0;
    struct duet_error error;
    enum duet_code code = suite_text(document, at, text);
    if (code == DUET_OK && parse_number(*text, "it", &number, &error) != DUET_OK) {
        code = suite_fail(document, at, "'%s' is not a number", *text);
    }
    return code;
}

static const struct suite_field scan_fields[] = {
    {"from", number_read, 0},
    {"to", number_read, sizeof(char *)},
    {"step", number_read, 2 * sizeof(char *)},
    {NULL, NULL, 0}};

static enum duet_code parameter_scan(struct suite_document *document,
                                     const struct suite_at *at,
                                     struct model_suite_parameter *parameter)
{
    struct suite_shape shape = {.fields = scan_fields, .into = (void *)parameter->scan};
    enum duet_code code = suite_shape_read(document, at, &shape);
    if (code == DUET_OK && (parameter->scan[0] == NULL || parameter->scan[1] == NULL)) {
        code =
            suite_fail(document, at, "it needs 'from' and 'to', or a list of values");
    }
    return code;
}

static enum duet_code parameter_visit(struct suite_document *document,
                                      const struct suite_at *key,
                                      const struct suite_at *value, void *context)
{
    struct model_suite_parameters *parameters = context;
    enum duet_code code = check_name(document, key);
    if (code != DUET_OK) {
        return code;
    }
    struct model_suite_parameter *grown =
        alloc_resize(parameters->items, parameters->count + 1, sizeof *grown);
    if (grown == NULL) {
        return suite_fail_memory(document);
    }
    parameters->items = grown;
    struct model_suite_parameter *parameter = &grown[parameters->count++];
    *parameter = (struct model_suite_parameter){.name = alloc_string(key->key),
                                                .position = suite_position(value)};
    if (parameter->name == NULL) {
        return suite_fail_memory(document);
    }
    return value->node->type == YAML_MAPPING_NODE
               ? parameter_scan(document, value, parameter)
               : suite_list(document, value, VALUES_MAX, parameter_value, parameter);
}

enum duet_code suite_read_parameters(struct suite_document *document,
                                     const struct suite_at *at, void *field)
{
    return suite_mapping(document, at, NAMES_MAX, parameter_visit, field);
}

/* ---- Checks ---- */

static enum duet_code exit_read(struct suite_document *document,
                                const struct suite_at *at, void *field)
{
    char *text = NULL;
    uint64_t status = 0;
    struct duet_error error;
    enum duet_code code = suite_text(document, at, &text);
    if (code == DUET_OK &&
        parse_whole(text, "it", 0, 255, &status, &error) != DUET_OK) {
        code =
            suite_fail(document, at, "'%s' is not an exit status from 0 to 255", text);
    }
    if (code == DUET_OK) {
        *(unsigned *)field = (unsigned)status;
    }
    free(text);
    return code;
}

static enum duet_code sha256_read(struct suite_document *document,
                                  const struct suite_at *at, void *field)
{
    enum { DIGITS = 64 };
    char **text = field;
    enum duet_code code = suite_text(document, at, text);
    if (code == DUET_OK &&
        (strlen(*text) != DIGITS || strspn(*text, "0123456789abcdef") != DIGITS)) {
        code = suite_fail(
            document, at,
            "a SHA-256 is 64 hexadecimal digits (0-9, a-f), as sha256sum prints them");
    }
    return code;
}

static enum duet_code regex_read(struct suite_document *document,
                                 const struct suite_at *at, void *field)
{
    char **text = field;
    struct pattern *pattern = NULL;
    enum duet_code code = suite_text(document, at, text);
    if (code != DUET_OK) {
        return code;
    }
    struct duet_error error;
    code = pattern_compile(*text, &pattern, &error);
    if (code == DUET_OK) {
        pattern_free(pattern);
        return DUET_OK;
    }
    return code == DUET_E_NOMEM
               ? suite_fail_memory(document)
               : suite_fail(document, at, "not a regular expression: %s",
                            error.message);
}

static const struct suite_field check_fields[] = {
    {"exit", exit_read, offsetof(struct model_suite_check, exit_status)},
    {"sha256", sha256_read, offsetof(struct model_suite_check, sha256)},
    {"matches", regex_read, offsetof(struct model_suite_check, matches)},
    {"command", suite_read_text, offsetof(struct model_suite_check, command)},
    {"file", suite_read_text, offsetof(struct model_suite_check, file)},
    {NULL, NULL, 0}};

enum duet_code suite_read_check(struct suite_document *document,
                                const struct suite_at *at, void *field)
{
    struct model_suite_check *check = field;
    struct suite_shape shape = {.fields = check_fields, .into = check};
    enum duet_code code = suite_shape_read(document, at, &shape);
    check->given = code == DUET_OK;
    if (code == DUET_OK && check->file != NULL && check->sha256 == NULL &&
        check->matches == NULL && check->command == NULL) {
        code = suite_fail(
            document, at,
            "'file' needs 'sha256', 'matches' or 'command', which checks it");
    }
    return code;
}
