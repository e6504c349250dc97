/* The description of an analysis as a JSON object, and back. Not by jansson, whose
 * integers end at 2^63 - 1: a seed is any number of 64 bits. */
#include "model/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- As text ---- */

static void append_value(struct text *text, const struct model_value *value)
{
    switch (value->kind) {
    case MODEL_VALUE_NONE:
        text_append(text, "null");
        break;
    case MODEL_VALUE_FLAG:
        text_append(text, value->flag ? "true" : "false");
        break;
    case MODEL_VALUE_COUNT:
        text_append_format(text, "%" PRIu64, value->count);
        break;
    case MODEL_VALUE_REAL:
        text_append_format(text, "%.17g", value->real);
        break;
    case MODEL_VALUE_WORD:
        text_append_format(text, "\"%s\"", value->word);
        break;
    }
}

void model_analysis_write(const struct model_analysis *analysis, struct text *text)
{
    for (size_t i = 0; i < model_analysis_fields(); i++) {
        struct model_value value = model_analysis_get(analysis, i);
        text_append_format(text, "%c\"%s\":", i == 0 ? '{' : ',',
                           model_analysis_key(i));
        append_value(text, &value);
    }
    text_append_char(text, '}');
}

/* ---- From text ---- */

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* What stands between quotes, without escapes; NULL: nothing such. */
static const char *take_quoted(const char *at, char *ret_word, size_t size)
{
    size_t length = *at == '"' ? strcspn(at + 1, "\"\\") : 0;
    if (*at != '"' || at[1 + length] != '"' || length >= size) {
        return NULL;
    }
    memcpy(ret_word, at + 1, length);
    ret_word[length] = '\0';
    return at + length + 2;
}

/* A word or a bare value up to ',' or '}'; a word is not empty. */
static const char *take_value(const char *at, struct model_value *ret_value)
{
    *ret_value = (struct model_value){.kind = MODEL_VALUE_WORD};
    if (*at == '"') {
        const char *after = take_quoted(at, ret_value->word, sizeof ret_value->word);
        return ret_value->word[0] == '\0' ? NULL : after;
    }
    size_t length = strcspn(at, ",} \t\r\n");
    if (length == 0 || length >= sizeof ret_value->word) {
        return NULL;
    }
    memcpy(ret_value->word, at, length);
    ret_value->word[length] = '\0';
    const char *word = ret_value->word;
    char *end = NULL;
    if (strcmp(word, "null") == 0) {
        ret_value->kind = MODEL_VALUE_NONE;
    } else if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        ret_value->kind = MODEL_VALUE_FLAG;
        ret_value->flag = word[0] == 't';
    } else if (model_whole_of(word, &ret_value->count)) {
        ret_value->kind = MODEL_VALUE_COUNT;
        ret_value->real = strtod(word, NULL);
    } else {
        ret_value->kind = MODEL_VALUE_REAL;
        ret_value->real = strtod(word, &end);
        if (strspn(word, "+-.eE0123456789") != length || *end != '\0' ||
            !isfinite(ret_value->real)) {
            return NULL;
        }
    }
    return at + length;
}

/* The number of fields: there is none such. */
static size_t field_of(const char *key)
{
    size_t index = 0;
    while (index < model_analysis_fields() &&
           strcmp(model_analysis_key(index), key) != 0) {
        index++;
    }
    return index;
}

/* "key": value. Returns where it ends, NULL after an error. */
static const char *read_member(const char *at, struct model_analysis *analysis,
                               struct duet_error *reterr)
{
    char key[MODEL_VALUE_WORD_MAX] = "";
    struct model_value value;
    const char *next = take_quoted(at, key, sizeof key);
    next = next != NULL ? skip_space(next) : NULL;
    next =
        next != NULL && *next == ':' ? take_value(skip_space(next + 1), &value) : NULL;
    if (next == NULL) {
        (void)error_set(reterr, DUET_E_FORMAT,
                        "the description of the analysis is damaged%s%s",
                        key[0] != '\0' ? " at " : "", key);
        return NULL;
    }
    size_t field = field_of(key);
    if (field == model_analysis_fields()) {
        (void)error_set(
            reterr, DUET_E_FORMAT,
            "the description of the analysis has '%s', which this duet does not know: "
            "use the newer duet that wrote it",
            key);
        return NULL;
    }
    if (!model_analysis_set(analysis, field, &value)) {
        (void)error_set(
            reterr, DUET_E_FORMAT,
            "the description of the analysis has a wrong value for '%s': %s", key,
            value.word[0] != '\0' ? value.word : "null");
        return NULL;
    }
    return skip_space(next);
}

enum duet_code model_analysis_read(const char *text, struct model_analysis *analysis,
                                   struct duet_error *reterr)
{
    struct model_analysis read = *analysis;
    const char *at = skip_space(text);
    bool more = *at == '{';
    if (more && *skip_space(at + 1) == '}') {
        at = skip_space(at + 1);
        more = false;
    }
    while (more) {
        at = read_member(skip_space(at + 1), &read, reterr);
        if (at == NULL) {
            return DUET_E_FORMAT;
        }
        more = *at == ',';
    }
    if (*at != '}' || *skip_space(at + 1) != '\0') {
        return error_set(reterr, DUET_E_FORMAT,
                         "the description of the analysis is no JSON object");
    }
    *analysis = read;
    return DUET_OK;
}
