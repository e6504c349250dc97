#define PCRE2_CODE_UNIT_WIDTH 8

#include "pattern/pattern.h"

#include "base/alloc.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

struct pattern {
    pcre2_code *code;
};

/* ---- Compiling ---- */

static enum duet_code compile_error(int number, size_t at, struct duet_error *reterr)
{
    enum { NO_MEMORY = 121 }; /* its header has no name for it */
    unsigned char why[200];
    if (number == NO_MEMORY) {
        return error_no_memory(reterr);
    }
    (void)pcre2_get_error_message(number, why, sizeof why);
    return error_set(reterr, DUET_E_FORMAT, "%s, at byte %zu", (const char *)why, at);
}

enum duet_code pattern_compile(const char *text, struct pattern **ret_pattern,
                               struct duet_error *reterr)
{
    size_t length = strlen(text);
    if (length > PATTERN_BYTES_MAX) {
        return error_set(reterr, DUET_E_FORMAT, "it is longer than %d bytes",
                         PATTERN_BYTES_MAX);
    }
    int number = 0;
    size_t at = 0;
    struct pattern *pattern = alloc_array(1, sizeof *pattern);
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (pattern == NULL || context == NULL) {
        free(pattern);
        pcre2_compile_context_free(context);
        return error_no_memory(reterr);
    }
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF); /* whatever it was built for */
    pattern->code =
        pcre2_compile((PCRE2_SPTR)text, length, PCRE2_UTF | PCRE2_MATCH_INVALID_UTF,
                      &number, &at, context);
    pcre2_compile_context_free(context);
    if (pattern->code == NULL) {
        free(pattern);
        return compile_error(number, at, reterr);
    }
    *ret_pattern = pattern;
    return DUET_OK;
}

void pattern_free(struct pattern *pattern)
{
    if (pattern != NULL) {
        pcre2_code_free(pattern->code);
        free(pattern);
    }
}

/* ---- Matching ---- */

struct search {
    const pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *context;
};

static enum duet_code match_error(int number, struct duet_error *reterr)
{
    switch (number) {
    case PCRE2_ERROR_NOMEMORY:
        return error_no_memory(reterr);
    case PCRE2_ERROR_MATCHLIMIT:
        return error_set(
            reterr, DUET_E_WORKLOAD,
            "looking for it in a line takes more than %d steps; print shorter "
            "lines, or nest fewer * and +",
            PATTERN_STEPS_MAX);
    case PCRE2_ERROR_HEAPLIMIT:
        return error_set(
            reterr, DUET_E_WORKLOAD,
            "looking for it in a line takes more than %d MiB; print shorter "
            "lines, or simplify it",
            PATTERN_HEAP_KIB / 1024);
    default: {
        unsigned char why[200];
        (void)pcre2_get_error_message(number, why, sizeof why);
        return error_set(reterr, DUET_E_WORKLOAD, "looking for it failed: %s",
                         (const char *)why);
    }
    }
}

/* The match within the line that begins at `begin`, and its groups. */
static void copy_ranges(const struct search *search, size_t begin,
                        struct pattern_range *ret_ranges, size_t count)
{
    const size_t *ends = pcre2_get_ovector_pointer(search->data);
    uint32_t known = pcre2_get_ovector_count(search->data);
    for (size_t i = 0; i < count; i++) {
        bool there = i < known && ends[2 * i] != PCRE2_UNSET;
        ret_ranges[i] =
            (struct pattern_range){.begin = there ? begin + ends[2 * i] : SIZE_MAX,
                                   .end = there ? begin + ends[2 * i + 1] : SIZE_MAX};
    }
}

static enum duet_code find_line(const struct search *search, const char *text,
                                size_t length, struct pattern_range *ret_ranges,
                                size_t count, bool *ret_found,
                                struct duet_error *reterr)
{
    *ret_found = false;
    for (size_t begin = 0; begin < length;) {
        const char *end = memchr(text + begin, '\n', length - begin);
        size_t line = (end == NULL ? length : (size_t)(end - text)) - begin;
        int matched = pcre2_match(search->code, (PCRE2_SPTR)text + begin, line, 0, 0,
                                  search->data, search->context);
        if (matched > 0) {
            *ret_found = true;
            copy_ranges(search, begin, ret_ranges, count);
            return DUET_OK;
        }
        if (matched != PCRE2_ERROR_NOMATCH) {
            return match_error(matched, reterr);
        }
        begin += line + 1;
    }
    return DUET_OK;
}

enum duet_code pattern_find(const struct pattern *pattern, const char *text,
                            size_t length, struct pattern_range *ret_ranges,
                            size_t count, bool *ret_found, struct duet_error *reterr)
{
    struct search search = {
        .code = pattern->code,
        .data = pcre2_match_data_create_from_pattern(pattern->code, NULL),
        .context = pcre2_match_context_create(NULL)};
    enum duet_code code = DUET_E_NOMEM;
    if (search.data == NULL || search.context == NULL) {
        code = error_no_memory(reterr);
    } else {
        (void)pcre2_set_heap_limit(search.context, PATTERN_HEAP_KIB);
        (void)pcre2_set_match_limit(search.context, PATTERN_STEPS_MAX);
        code = find_line(&search, text, length, ret_ranges, count, ret_found, reterr);
    }
    pcre2_match_context_free(search.context);
    pcre2_match_data_free(search.data);
    return code;
}
