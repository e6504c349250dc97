#include "model/analysis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_analysis model_analysis_default(void)
{
    return (struct model_analysis){
        .confidence = 0.99,
        .replicates = 10000,
        .estimator = MODEL_ESTIMATOR_GEOMEAN,
        .interval = MODEL_INTERVAL_T,
        .block_scheme = MODEL_SCHEME_CIRCULAR,
        .winsorize = MODEL_WINSORIZE_FACTOR,
        .same_within = (double)NAN,
        .gate = {.max_slowdown = (double)NAN},
        .multiplicity = MODEL_MULTIPLICITY_HOLM,
        .precision = (double)NAN,
    };
}

static const char *const warmup_words[] = {[MODEL_WARMUP_NONE] = "none",
                                           [MODEL_WARMUP_HALF] = "half",
                                           [MODEL_WARMUP_STEADY] = "steady"};

static void warmup_name(const struct model_cleaning *cleaning,
                        char ret_name[MODEL_WARMUP_NAME_MAX])
{
    if (cleaning->warmup == MODEL_WARMUP_COUNT) {
        (void)snprintf(ret_name, MODEL_WARMUP_NAME_MAX, "%" PRIu64,
                       cleaning->warmup_count);
    } else {
        (void)snprintf(ret_name, MODEL_WARMUP_NAME_MAX, "%s",
                       warmup_words[cleaning->warmup]);
    }
}

bool model_whole_of(const char *text, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (const char *at = text; *at != '\0'; at++) {
        unsigned digit = (unsigned)*at - (unsigned)'0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
    }
    *ret_value = value;
    return *text != '\0';
}

bool model_warmup_from_name(const char *name, struct model_cleaning *cleaning)
{
    for (size_t i = 0; i < sizeof warmup_words / sizeof warmup_words[0]; i++) {
        if (warmup_words[i] != NULL && strcmp(name, warmup_words[i]) == 0) {
            cleaning->warmup = (enum model_warmup)i;
            cleaning->warmup_count = 0;
            return true;
        }
    }
    if (!model_whole_of(name, &cleaning->warmup_count)) {
        return false;
    }
    cleaning->warmup = MODEL_WARMUP_COUNT;
    return true;
}

/* ---- Words ---- */

enum { FAIL_ON_SETS = 8, UNTILS = MODEL_UNTIL_PRECISION + 1 };

static const char *fail_on_word(unsigned value)
{
    static const char *const words[FAIL_ON_SETS] = {
        "",       "slower",        "faster",        "slower,faster",
        "unsure", "slower,unsure", "faster,unsure", "slower,faster,unsure"};
    return words[value];
}

/* ---- Fields ---- */

enum field_kind {
    FIELD_ENUM, /* as wide as unsigned */
    FIELD_FLAG,
    FIELD_COUNT,
    FIELD_REAL,
    FIELD_SHARE,  /* a real that is typed as a percentage */
    FIELD_LENGTH, /* a real that is not asked where it is 0 */
    FIELD_WARMUP, /* of struct model_cleaning */
    FIELD_OUTLIERS
};

struct field {
    const char *key;
    const char *option; /* NULL: none by itself */
    size_t offset;
    enum field_kind kind;
    const char *(*word)(unsigned value); /* FIELD_ENUM: "" stands for null */
    unsigned words;
};

_Static_assert(sizeof(enum model_estimator) == sizeof(unsigned) &&
                   sizeof(enum model_until) == sizeof(unsigned),
               "enumerations are read as unsigned");

#define AT(member) offsetof(struct model_analysis, member)

static const struct field fields[] = {
    {"statistic", "statistic", AT(statistic.kind), FIELD_ENUM,
     model_statistic_kind_name, MODEL_STATISTICS},
    {"quantile", NULL, AT(statistic.probability), FIELD_LENGTH, NULL, 0},
    {"estimator", "estimator", AT(estimator), FIELD_ENUM, model_estimator_name,
     MODEL_ESTIMATORS},
    {"estimator_asked", NULL, AT(estimator_asked), FIELD_FLAG, NULL, 0},
    {"interval", "interval", AT(interval), FIELD_ENUM, model_interval_method_name,
     MODEL_INTERVAL_METHODS},
    {"interval_asked", NULL, AT(interval_asked), FIELD_FLAG, NULL, 0},
    {"confidence", "confidence", AT(confidence), FIELD_REAL, NULL, 0},
    {"replicates", "replicates", AT(replicates), FIELD_COUNT, NULL, 0},
    {"seed", "seed", AT(seed), FIELD_COUNT, NULL, 0},
    {"resample", "resample", AT(resample), FIELD_ENUM, model_resample_name,
     MODEL_RESAMPLES},
    {"block_scheme", "block-scheme", AT(block_scheme), FIELD_ENUM, model_scheme_name,
     MODEL_SCHEMES},
    {"block_length", "block-length", AT(block_length), FIELD_LENGTH, NULL, 0},
    {"winsorize", "winsorize", AT(winsorize), FIELD_ENUM, model_winsorize_name,
     MODEL_WINSORIZES},
    {"winsorize_asked", NULL, AT(winsorize_asked), FIELD_FLAG, NULL, 0},
    {"drop_warmup", "drop-warmup", AT(cleaning), FIELD_WARMUP, NULL, 0},
    {"drop_outliers", "drop-outliers", AT(cleaning), FIELD_OUTLIERS, NULL, 0},
    {"losses", "losses", AT(losses), FIELD_ENUM, model_lost_treatment_name,
     MODEL_LOST_TREATMENTS},
    {"coin", NULL, AT(coin), FIELD_ENUM, model_coin_name, MODEL_COINS},
    {"test", "test", AT(test), FIELD_ENUM, model_test_name, MODEL_TESTS},
    {"sample_runs", "sample-runs", AT(sample_runs), FIELD_COUNT, NULL, 0},
    {"same_within", "same-within", AT(same_within), FIELD_SHARE, NULL, 0},
    {"same_within_asked", NULL, AT(same_within_asked), FIELD_FLAG, NULL, 0},
    {"max_slowdown", "max-slowdown", AT(gate.max_slowdown), FIELD_SHARE, NULL, 0},
    {"fail_on", "fail-on", AT(gate.fail_on), FIELD_ENUM, fail_on_word, FAIL_ON_SETS},
    {"multiplicity", "multiplicity", AT(multiplicity), FIELD_ENUM,
     model_multiplicity_name, MODEL_MULTIPLICITIES},
    {"family", NULL, AT(family), FIELD_COUNT, NULL, 0},
    {"until", NULL, AT(until), FIELD_ENUM, model_until_name, UNTILS},
    {"precision", NULL, AT(precision), FIELD_REAL, NULL, 0},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

size_t model_analysis_fields(void)
{
    return FIELDS;
}

const char *model_analysis_key(size_t index)
{
    return fields[index].key;
}

const char *model_analysis_option(size_t index)
{
    return fields[index].option;
}

static struct model_value value_word(const char *word)
{
    struct model_value value = {.kind = MODEL_VALUE_WORD};
    (void)snprintf(value.word, sizeof value.word, "%s", word);
    value.kind = value.word[0] != '\0' ? MODEL_VALUE_WORD : MODEL_VALUE_NONE;
    return value;
}

struct model_value model_analysis_get(const struct model_analysis *analysis,
                                      size_t index)
{
    const struct field *field = &fields[index];
    const unsigned char *at = (const unsigned char *)analysis + field->offset;
    struct model_value value = {.kind = MODEL_VALUE_NONE};
    unsigned enumerator = 0;
    switch (field->kind) {
    case FIELD_ENUM:
        memcpy(&enumerator, at, sizeof enumerator);
        return value_word(field->word(enumerator));
    case FIELD_WARMUP: {
        char name[MODEL_WARMUP_NAME_MAX];
        warmup_name(&analysis->cleaning, name);
        return value_word(name);
    }
    case FIELD_OUTLIERS:
        return value_word(analysis->cleaning.drop_magnitude ? "10x" : "none");
    case FIELD_FLAG:
        value.kind = MODEL_VALUE_FLAG;
        memcpy(&value.flag, at, sizeof value.flag);
        return value;
    case FIELD_COUNT:
        value.kind = MODEL_VALUE_COUNT;
        memcpy(&value.count, at, sizeof value.count);
        return value;
    case FIELD_REAL:
    case FIELD_SHARE:
    case FIELD_LENGTH:
        break;
    }
    memcpy(&value.real, at, sizeof value.real);
    bool asked =
        isfinite(value.real) && (field->kind != FIELD_LENGTH || value.real > 0.0);
    value.kind = asked ? MODEL_VALUE_REAL : MODEL_VALUE_NONE;
    return value;
}

void model_analysis_say(const struct model_analysis *analysis, size_t index,
                        char ret_word[MODEL_VALUE_WORD_MAX])
{
    struct model_value value = model_analysis_get(analysis, index);
    const char *word = value.word;
    const bool share = fields[index].kind == FIELD_SHARE;
    char name[MODEL_STATISTIC_NAME_MAX];
    if (fields[index].offset == AT(statistic.kind) && value.kind == MODEL_VALUE_WORD) {
        model_statistic_name(&analysis->statistic, name);
        word = name;
    }
    switch (value.kind) {
    case MODEL_VALUE_WORD:
        (void)snprintf(ret_word, MODEL_VALUE_WORD_MAX, "%s", word);
        break;
    case MODEL_VALUE_REAL:
        (void)snprintf(ret_word, MODEL_VALUE_WORD_MAX, share ? "%.15g%%" : "%.15g",
                       share ? 100.0 * value.real : value.real);
        break;
    case MODEL_VALUE_COUNT:
        if (fields[index].offset == AT(sample_runs) && value.count == 0) {
            (void)snprintf(ret_word, MODEL_VALUE_WORD_MAX, "all");
        } else {
            (void)snprintf(ret_word, MODEL_VALUE_WORD_MAX, "%" PRIu64, value.count);
        }
        break;
    case MODEL_VALUE_FLAG:
        (void)snprintf(ret_word, MODEL_VALUE_WORD_MAX, "%s",
                       value.flag ? "true" : "false");
        break;
    case MODEL_VALUE_NONE:
        (void)snprintf(ret_word, MODEL_VALUE_WORD_MAX, "none");
        break;
    }
}

bool model_analysis_differs(const struct model_analysis *a,
                            const struct model_analysis *b, size_t index)
{
    char left[MODEL_VALUE_WORD_MAX];
    char right[MODEL_VALUE_WORD_MAX];
    model_analysis_say(a, index, left);
    model_analysis_say(b, index, right);
    return strcmp(left, right) != 0;
}

/* ---- Setting ---- */

static bool set_enum(const struct field *field, const struct model_value *value,
                     unsigned char *at)
{
    const char *word = value->kind == MODEL_VALUE_NONE ? "" : value->word;
    if (value->kind != MODEL_VALUE_WORD && value->kind != MODEL_VALUE_NONE) {
        return false;
    }
    for (unsigned i = 0; i < field->words; i++) {
        if (strcmp(field->word(i), word) == 0) {
            memcpy(at, &i, sizeof i);
            return true;
        }
    }
    return false;
}

static bool set_real(const struct field *field, const struct model_value *value,
                     unsigned char *at)
{
    double none = field->kind == FIELD_LENGTH ? 0.0 : (double)NAN;
    if (value->kind == MODEL_VALUE_NONE) {
        memcpy(at, &none, sizeof none);
        return true;
    }
    memcpy(at, &value->real, sizeof value->real);
    return value->kind == MODEL_VALUE_REAL || value->kind == MODEL_VALUE_COUNT;
}

bool model_analysis_set(struct model_analysis *analysis, size_t index,
                        const struct model_value *value)
{
    const struct field *field = &fields[index];
    unsigned char *at = (unsigned char *)analysis + field->offset;
    switch (field->kind) {
    case FIELD_ENUM:
        return set_enum(field, value, at);
    case FIELD_WARMUP:
        return value->kind == MODEL_VALUE_WORD &&
               model_warmup_from_name(value->word, &analysis->cleaning);
    case FIELD_OUTLIERS:
        analysis->cleaning.drop_magnitude = strcmp(value->word, "10x") == 0;
        return analysis->cleaning.drop_magnitude || strcmp(value->word, "none") == 0;
    case FIELD_FLAG:
        memcpy(at, &value->flag, sizeof value->flag);
        return value->kind == MODEL_VALUE_FLAG;
    case FIELD_COUNT:
        memcpy(at, &value->count, sizeof value->count);
        return value->kind == MODEL_VALUE_COUNT;
    case FIELD_REAL:
    case FIELD_SHARE:
    case FIELD_LENGTH:
        break;
    }
    return set_real(field, value, at);
}
