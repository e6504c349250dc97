#include "base/parse.h"

#include "base/alloc.h"
#include "base/text.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_length(const char *text)
{
    size_t length = 0;
    while (is_digit(text[length])) {
        length++;
    }
    return length;
}

/* Length of the decimal number at the head of `text`, 0 when there is none. Narrower
 * than strtod(): no blanks, no hexadecimal, no "inf" or "nan", always a point. */
static size_t number_length(const char *text)
{
    size_t sign = text[0] == '+' || text[0] == '-' ? 1 : 0;
    size_t whole = digits_length(text + sign);
    size_t length = sign + whole;
    if (text[length] == '.') {
        size_t fraction = digits_length(text + length + 1);
        if (whole + fraction == 0) {
            return 0;
        }
        length += 1 + fraction;
    } else if (whole == 0) {
        return 0;
    }
    if (text[length] == 'e' || text[length] == 'E') {
        size_t exponent = length + 1;
        if (text[exponent] == '+' || text[exponent] == '-') {
            exponent++;
        }
        size_t digits = digits_length(text + exponent);
        if (digits > 0) {
            length = exponent + digits;
        }
    }
    return length;
}

/* The number at the head of `text` and what follows it. false: there is none, and the
 * caller says what it expected. A program that embeds this may have set a locale with
 * a decimal comma: hence the locale is named here. In glibc "C" is a static object, so
 * newlocale() cannot fail for it. */
static bool number_head(const char *text, double *ret_value, const char **ret_rest)
{
    size_t length = number_length(text);
    locale_t plain = length == 0 ? (locale_t)0 : newlocale(LC_ALL_MASK, "C", NULL);
    if (plain == (locale_t)0) {
        return false;
    }
    *ret_value = strtod_l(text, NULL, plain);
    *ret_rest = text + length;
    freelocale(plain);
    return true;
}

static const struct {
    const char *name;
    uint64_t ns;
} duration_units[] = {
    {"", UINT64_C(1000000000)},
    {"ns", 1},
    {"us", 1000},
    {"\xC2\xB5s", 1000}, /* micro sign */
    {"\xCE\xBCs", 1000}, /* Greek mu */
    {"ms", 1000000},
    {"s", UINT64_C(1000000000)},
    {"min", UINT64_C(60000000000)},
    {"h", UINT64_C(3600000000000)},
    {"d", UINT64_C(86400000000000)},
};

enum duet_code parse_duration_ns(const char *text, const char *what, uint64_t *ret_ns,
                                 struct duet_error *reterr)
{
    static const char help[] =
        "write a number and one of ns, us, ms, s, min, h, d, as in 500ms";
    double number = 0;
    const char *unit = NULL;
    if (!number_head(text, &number, &unit) || text[0] == '-') {
        return error_set(reterr, DUET_E_USAGE, "%s: '%s' is not a duration: %s", what,
                         text, help);
    }
    for (size_t i = 0; i < sizeof duration_units / sizeof duration_units[0]; i++) {
        if (strcmp(unit, duration_units[i].name) == 0) {
            double ns = number * (double)duration_units[i].ns;
            if (!(ns < 0x1p63)) {
                return error_set(reterr, DUET_E_USAGE,
                                 "%s: '%s' is too long: the limit is 292 years", what,
                                 text);
            }
            *ret_ns = (uint64_t)(ns + 0.5);
            return DUET_OK;
        }
    }
    return error_set(reterr, DUET_E_USAGE, "%s: '%s' has an unknown unit '%s': %s",
                     what, text, unit, help);
}

enum duet_code parse_time_ns(const char *text, const char *what, uint64_t *ret_ns,
                             struct duet_error *reterr)
{
    enum duet_code code = parse_duration_ns(text, what, ret_ns, reterr);
    return code == DUET_OK && *ret_ns == 0
               ? error_set(reterr, DUET_E_USAGE, "%s must be above 0", what)
               : code;
}

/* A hundredth of `value`, which was read from the head of `text`. 0.7 / 100 is not the
 * number nearest to 0.007: that one comes from reading "0.7e-2". */
static double percent_fraction(const char *text, double value)
{
    char shifted[64];
    size_t length = number_length(text);
    const char *rest = NULL;
    if (length + sizeof "e-2" <= sizeof shifted && strcspn(text, "eE") >= length) {
        memcpy(shifted, text, length);
        memcpy(shifted + length, "e-2", sizeof "e-2");
        if (number_head(shifted, &value, &rest)) {
            return value;
        }
    }
    return value / 100;
}

enum duet_code parse_fraction(const char *text, const char *what, double *ret_fraction,
                              struct duet_error *reterr)
{
    double fraction = 0;
    const char *rest = "";
    bool is_number = number_head(text, &fraction, &rest);
    bool is_percent = is_number && strcmp(rest, "%") == 0;
    if (!is_number || text[0] == '-' || (*rest != '\0' && !is_percent) ||
        !isfinite(fraction)) {
        return error_set(
            reterr, DUET_E_USAGE,
            "%s: '%s' is neither a percentage nor a fraction of 0 or more: write it as in 2%% or 0.02",
            what, text);
    }
    *ret_fraction = is_percent ? percent_fraction(text, fraction) : fraction;
    return DUET_OK;
}

enum duet_code parse_share(const char *text, const char *what, double *ret_share,
                           struct duet_error *reterr)
{
    double share = 0;
    enum duet_code code = parse_fraction(text, what, &share, reterr);
    if (code == DUET_OK && !(share > 0 && share < 1)) {
        code = error_set(reterr, DUET_E_USAGE, "%s %s: it must lie between 0 and 1",
                         what, text);
    }
    *ret_share = code == DUET_OK ? share : *ret_share;
    return code;
}

/* What to type instead of a bare number. From 1 on only a percentage makes sense. */
static enum duet_code refuse_bare(const char *text, const char *what, double number,
                                  struct duet_error *reterr)
{
    if (number < 1) {
        return error_set(reterr, DUET_E_USAGE,
                         "%s: '%s' has no unit: type %g%% or %s%%, whichever is meant",
                         what, text, 100 * number, text);
    }
    return error_set(reterr, DUET_E_USAGE, "%s: '%s' has no unit: type %s%%", what,
                     text, text);
}

enum duet_code parse_change(const char *text, const char *what, double *ret_fraction,
                            struct duet_error *reterr)
{
    double number = 0;
    const char *rest = "";
    bool is_number =
        number_head(text, &number, &rest) && text[0] != '-' && isfinite(number);
    if (!is_number || (*rest != '\0' && strcmp(rest, "%") != 0)) {
        return error_set(reterr, DUET_E_USAGE,
                         "%s: '%s' is not a percentage of 0 or more: type it as in 2%%",
                         what, text);
    }
    if (*rest == '\0' && number > 0) {
        return refuse_bare(text, what, number, reterr);
    }
    *ret_fraction = percent_fraction(text, number);
    return DUET_OK;
}

/* Decimal digits at the head of `text`; false when there are none or the value does not
 * fit. */
static bool whole_head(const char *text, uint64_t *ret_value, const char **ret_rest)
{
    uint64_t value = 0;
    size_t length = 0;
    for (; is_digit(text[length]); length++) {
        uint64_t digit = (uint64_t)(text[length] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *ret_value = value;
    *ret_rest = text + length;
    return length > 0;
}

enum duet_code parse_whole(const char *text, const char *what, uint64_t low,
                           uint64_t high, uint64_t *ret_value,
                           struct duet_error *reterr)
{
    uint64_t value = 0;
    const char *rest = NULL;
    bool low_enough = whole_head(text, &value, &rest) && *rest == '\0' && value >= low;
    if (!low_enough || value > high) {
        /* Nobody chose the largest number of a type: it says nothing to a reader. */
        if (high == UINT64_MAX || (!low_enough && high >= INT64_MAX)) {
            return error_set(reterr, DUET_E_USAGE,
                             "%s: '%s' is not a whole number of %llu or more", what,
                             text, (unsigned long long)low);
        }
        return error_set(reterr, DUET_E_USAGE,
                         "%s: '%s' is not a whole number from %llu to %llu", what, text,
                         (unsigned long long)low, (unsigned long long)high);
    }
    *ret_value = value;
    return DUET_OK;
}

enum duet_code parse_size(const char *text, const char *what, size_t low, size_t high,
                          size_t *ret_size, struct duet_error *reterr)
{
    uint64_t whole = 0;
    enum duet_code code = parse_whole(text, what, low, high, &whole, reterr);
    if (code == DUET_OK) {
        *ret_size = (size_t)whole;
    }
    return code;
}

bool parse_next_word(const char **list, char ret_word[PARSE_WORD_BYTES])
{
    if (*list == NULL) {
        return false;
    }
    size_t length = strcspn(*list, ",");
    size_t kept = length < PARSE_WORD_BYTES - 1 ? length : PARSE_WORD_BYTES - 1;
    memcpy(ret_word, *list, kept);
    ret_word[kept] = '\0';
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

/* The text is what was typed, `word` all of it or a part. */
static enum duet_code find_word(const char *word, const char *text, const char *what,
                                const char *const *words, size_t *ret_index,
                                struct duet_error *reterr)
{
    struct text list = {0};
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], word) == 0) {
            text_release(&list);
            *ret_index = i;
            return DUET_OK;
        }
        text_append_format(&list, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    enum duet_code code = error_set(reterr, DUET_E_USAGE, "%s %s: expected one of %s",
                                    what, text, text_string(&list));
    text_release(&list);
    return code;
}

enum duet_code parse_word(const char *text, const char *what, const char *const *words,
                          size_t *ret_index, struct duet_error *reterr)
{
    return find_word(text, text, what, words, ret_index, reterr);
}

enum duet_code parse_word_set(const char *text, const char *what,
                              const char *const *words, unsigned *ret_set,
                              struct duet_error *reterr)
{
    char word[PARSE_WORD_BYTES];
    unsigned set = 0;
    size_t index = 0;
    for (const char *rest = text; parse_next_word(&rest, word);) {
        enum duet_code code = find_word(word, text, what, words, &index, reterr);
        if (code != DUET_OK) {
            return code;
        }
        set |= 1U << index;
    }
    *ret_set = set;
    return DUET_OK;
}

enum duet_code parse_number(const char *text, const char *what, double *ret_value,
                            struct duet_error *reterr)
{
    double value = 0;
    const char *rest = NULL;
    if (!number_head(text, &value, &rest) || *rest != '\0') {
        return error_set(reterr, DUET_E_USAGE, "%s: '%s' is not a number", what, text);
    }
    if (!isfinite(value)) {
        return error_set(reterr, DUET_E_USAGE, "%s: '%s' is too large for a number",
                         what, text);
    }
    *ret_value = value;
    return DUET_OK;
}

enum duet_code parse_positive(const char *text, const char *what, double *ret_value,
                              struct duet_error *reterr)
{
    double value = 0;
    enum duet_code code = parse_number(text, what, &value, reterr);
    if (code == DUET_OK && !(value > 0.0)) {
        return error_set(reterr, DUET_E_USAGE, "%s %s: it must be above 0", what, text);
    }
    if (code == DUET_OK) {
        *ret_value = value;
    }
    return code;
}

struct cpu_range {
    unsigned first;
    unsigned last;
};

/* The range at `*cursor`, which moves past it and the comma behind it; at the end of
 * the list it points to '\0'. A list read from /sys ends with a newline. */
static bool cpu_range_next(const char **cursor, struct cpu_range *ret_range)
{
    uint64_t first = 0;
    uint64_t last = 0;
    const char *rest = NULL;
    if (!whole_head(*cursor, &first, &rest)) {
        return false;
    }
    last = first;
    if (*rest == '-' && !whole_head(rest + 1, &last, &rest)) {
        return false;
    }
    if (last > UINT_MAX || first > last) {
        return false;
    }
    bool is_separated =
        (rest[0] == ',' && is_digit(rest[1])) || (rest[0] == '\n' && rest[1] == '\0');
    if (!is_separated && *rest != '\0') {
        return false;
    }
    rest += is_separated ? 1 : 0;
    *cursor = rest;
    *ret_range = (struct cpu_range){(unsigned)first, (unsigned)last};
    return true;
}

/* Whether a range of `list` before `end` has a CPU in common with `range`, and the
 * first such CPU. */
static bool cpu_range_repeated(const char *list, const char *end,
                               struct cpu_range range, unsigned *ret_cpu)
{
    struct cpu_range earlier;
    while (list < end && cpu_range_next(&list, &earlier)) {
        if (earlier.first <= range.last && range.first <= earlier.last) {
            *ret_cpu = range.first > earlier.first ? range.first : earlier.first;
            return true;
        }
    }
    return false;
}

enum duet_code parse_cpu_list(const char *text, const char *what, unsigned *cpus,
                              size_t capacity, size_t *ret_count,
                              struct duet_error *reterr)
{
    struct cpu_range range;
    size_t count = 0;
    /* First everything is checked, so that cpus[] stays as it is on failure. */
    const char *cursor = text;
    do {
        const char *start = cursor;
        if (!cpu_range_next(&cursor, &range)) {
            return error_set(reterr, DUET_E_USAGE,
                             "%s: '%s' is not a list of CPUs: write it as in 0-2,5",
                             what, text);
        }
        if (range.last - range.first >= capacity - count) {
            return error_set(reterr, DUET_E_USAGE,
                             "%s: '%s' names more than the %zu CPUs allowed here", what,
                             text, capacity);
        }
        unsigned cpu = 0;
        if (cpu_range_repeated(text, start, range, &cpu)) {
            return error_set(reterr, DUET_E_USAGE, "%s: '%s' names CPU %u twice", what,
                             text, cpu);
        }
        count += (size_t)(range.last - range.first) + 1;
    } while (*cursor != '\0');

    size_t filled = 0;
    cursor = text;
    while (filled < count && cpu_range_next(&cursor, &range)) {
        for (unsigned i = 0; i <= range.last - range.first; i++) {
            cpus[filled++] = range.first + i;
        }
    }
    *ret_count = count;
    return DUET_OK;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

/* Copies the word at `*cursor` to `*out`, unquoted and NUL-terminated, and moves both
 * behind it (POSIX.1-2017, Shell Command Language, 2.2). Returns '\0', or what was
 * wrong: the quote that stays open, '\\' for a backslash at the end, or an operator. */
static char word_copy(const char **cursor, char **out)
{
    const char *in = *cursor;
    char *to = *out;
    char quote = '\0';
    for (; *in != '\0' && (quote != '\0' || !is_blank(*in)); in++) {
        if (*in == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*in == '\'' || *in == '"')) {
            quote = *in;
        } else if (quote == '\0' && strchr("|&;<>()$`", *in) != NULL) {
            return *in;
        } else if (*in == '\\' && quote != '\'') {
            if (in[1] == '\0') {
                if (quote == '\0') {
                    quote = '\\';
                }
                return quote;
            }
            if (quote == '"' && strchr("$`\"\\\n", in[1]) == NULL) {
                *to++ = *in; /* in double quotes it only escapes these */
            }
            in++;
            if (*in != '\n') { /* escaped, a newline joins two lines */
                *to++ = *in;
            }
        } else {
            *to++ = *in;
        }
    }
    *to++ = '\0';
    *cursor = in;
    *out = to;
    return quote;
}

static enum duet_code word_refused(const char *text, char reason,
                                   struct duet_error *reterr)
{
    if (reason == '\'' || reason == '"') {
        return error_set(reterr, DUET_E_USAGE,
                         "command '%s': the quote %c is never closed", text, reason);
    }
    if (reason == '\\') {
        return error_set(reterr, DUET_E_USAGE, "command '%s' ends in a backslash",
                         text);
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "command '%s': %s needs a shell: add -S default, or quote it to pass it on "
        "unchanged",
        text,
        reason == '\n' ? "a line break" : (const char[]){'\'', reason, '\'', '\0'});
}

/* "NAME=...", which a shell takes for an assignment when it is a command's first word.
 */
static bool is_assignment(const char *word)
{
    size_t length = 0;
    bool is_name = (word[0] >= 'A' && word[0] <= 'Z') ||
                   (word[0] >= 'a' && word[0] <= 'z') || word[0] == '_';
    while (is_digit(word[length]) || (word[length] >= 'A' && word[length] <= 'Z') ||
           (word[length] >= 'a' && word[length] <= 'z') || word[length] == '_') {
        length++;
    }
    return is_name && word[length] == '=';
}

/* Moves to the next word. False when a line break stands between two words: to a shell
 * those are two commands (unless a backslash joins the lines). */
static bool blanks_skip(const char **cursor, bool has_word_before)
{
    const char *in = *cursor;
    bool has_line_break = false;
    while (is_blank(in[0]) || (in[0] == '\\' && in[1] == '\n')) {
        has_line_break = has_line_break || in[0] == '\n';
        in += in[0] == '\\' ? 2 : 1;
    }
    *cursor = in;
    return !has_line_break || !has_word_before || *in == '\0';
}

enum duet_code parse_command_words(const char *text, char ***ret_words,
                                   struct duet_error *reterr)
{
    /* A word takes a byte and a blank of `text` at least, an empty one two quotes; its
     * copy with the NUL at most one byte more. */
    size_t length = strlen(text);
    size_t words_max = length / 2 + 1;
    size_t pointers = words_max + 1;
    size_t for_bytes = (length + words_max) / sizeof(char *) + 1;
    char **words = alloc_array(pointers + for_bytes, sizeof(char *));
    if (words == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory for a command of %zu B",
                         length);
    }
    char *out = (char *)(words + pointers);
    const char *cursor = text;
    size_t count = 0;
    char refused = '\0';
    while (refused == '\0') {
        if (!blanks_skip(&cursor, count > 0)) {
            refused = '\n';
        } else if (*cursor == '\0') {
            break;
        } else {
            words[count++] = out;
            refused = word_copy(&cursor, &out);
        }
    }
    enum duet_code code = DUET_OK;
    if (refused != '\0') {
        code = word_refused(text, refused, reterr);
    } else if (count == 0) {
        code = error_set(reterr, DUET_E_USAGE, "the command '%s' is empty", text);
    } else if (is_assignment(words[0])) {
        code = error_set(
            reterr, DUET_E_USAGE,
            "command '%s': '%s' needs a shell: type 'env %s', or add -S default", text,
            words[0], text + strspn(text, " \t\n"));
    }
    if (code != DUET_OK) {
        free(words);
        return code;
    }
    *ret_words = words;
    return DUET_OK;
}
