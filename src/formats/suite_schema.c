#include "formats/suite_schema.h"

#include "base/alloc.h"
#include "formats/suite_settings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 200, KEY_BYTES_MAX = 32 };

/* ---- Unknown keys ---- */

/* Levenshtein's distance of two words; large ones come out as large. */
static size_t distance(const char *a, const char *b)
{
    size_t row[KEY_BYTES_MAX + 1];
    size_t length = strlen(b);
    if (length > KEY_BYTES_MAX || strlen(a) > KEY_BYTES_MAX) {
        return KEY_BYTES_MAX;
    }
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[length];
}

static void keep_nearer(const char *candidate, const char *word, size_t *nearest,
                        const char **ret_found)
{
    size_t apart = distance(word, candidate);
    if (apart < *nearest) {
        *nearest = apart;
        *ret_found = candidate;
    }
}

static enum duet_code fail_unknown(struct suite_document *document,
                                   const struct suite_at *key,
                                   const struct suite_shape *shape)
{
    const char *found = NULL;
    size_t nearest = strlen(key->key) < 5 ? 3 : 4;
    for (const struct suite_field *field = shape->fields; field->key != NULL; field++) {
        keep_nearer(field->key, key->key, &nearest, &found);
    }
    size_t count = 0;
    const struct suite_setting_key *settings = suite_setting_keys(&count);
    for (size_t i = 0; i < count && shape->settings != NULL; i++) {
        keep_nearer(settings[i].name, key->key, &nearest, &found);
    }
    return found == NULL
               ? suite_fail(document, key, "unknown key (docs/suite.md)")
               : suite_fail(document, key, "unknown key; did you mean '%s'?", found);
}

/* ---- Settings ---- */

static enum duet_code check_flag(struct suite_document *document,
                                 const struct suite_at *at,
                                 const struct suite_setting_key *key, const char *value)
{
    bool flag = strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    return key->kind != SUITE_SETTING_FLAG || flag
               ? DUET_OK
               : suite_fail(document, at, "'%s' is neither true nor false", value);
}

static enum duet_code setting_read(struct suite_document *document,
                                   const struct suite_at *at,
                                   const struct suite_setting_key *key,
                                   struct model_suite_settings *settings)
{
    struct model_suite_setting setting = {.position = suite_position(at)};
    enum duet_code code = suite_text(document, at, &setting.value);
    if (code == DUET_OK) {
        code = check_flag(document, at, key, setting.value);
    }
    if (code == DUET_OK) {
        setting.name = alloc_string(key->name);
        struct model_suite_setting *grown =
            alloc_resize(settings->items, settings->count + 1, sizeof *grown);
        settings->items = grown != NULL ? grown : settings->items;
        if (setting.name == NULL || grown == NULL) {
            code = suite_fail_memory(document);
        }
    }
    if (code != DUET_OK) {
        free(setting.name);
        free(setting.value);
        return code;
    }
    settings->items[settings->count++] = setting;
    return DUET_OK;
}

/* ---- Mappings ---- */

static enum duet_code shape_visit(struct suite_document *document,
                                  const struct suite_at *key,
                                  const struct suite_at *value, void *context)
{
    const struct suite_shape *shape = context;
    for (const struct suite_field *field = shape->fields; field->key != NULL; field++) {
        if (strcmp(field->key, key->key) == 0) {
            return field->read(document, value, (char *)shape->into + field->offset);
        }
    }
    const struct suite_setting_key *setting =
        shape->settings == NULL ? NULL : suite_setting_find(key->key);
    if (setting == NULL) {
        return fail_unknown(document, key, shape);
    }
    if (setting->defaults_only && !shape->defaults) {
        return suite_fail(document, key,
                          "this key is for all benchmarks; move it to 'defaults'");
    }
    return setting_read(document, value, setting, shape->settings);
}

enum duet_code suite_shape_read(struct suite_document *document,
                                const struct suite_at *at,
                                const struct suite_shape *shape)
{
    struct suite_shape copy = *shape;
    return suite_mapping(document, at, KEYS_MAX, shape_visit, &copy);
}

enum duet_code suite_read_text(struct suite_document *document,
                               const struct suite_at *at, void *field)
{
    return suite_text(document, at, field);
}

bool suite_is_name(const char *name)
{
    return *name != '\0' && strpbrk(name, "{} ") == NULL;
}
