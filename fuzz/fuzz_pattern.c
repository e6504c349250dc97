// link: duet_pattern
// memory-mib: 100
/* Regular expressions (pattern/pattern.h), up to the input's first NUL, and what is
 * looked through behind it: within the limits of limits.c, and ranges lie in a line. */

#include "pattern/pattern.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_range(const struct pattern_range *range, const char *text,
                        size_t length)
{
    if (range->begin == SIZE_MAX && range->end == SIZE_MAX) {
        return;
    }
    if (range->begin > range->end || range->end > length ||
        memchr(text + range->begin, '\n', range->end - range->begin) != NULL) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { RANGES = 2, SEARCHED_BYTES = 16 }; /* steps grow with these, too */
    struct pattern_range ranges[RANGES];
    struct duet_error error = {0};
    struct pattern *pattern = NULL;
    bool found = false;
    char *text = calloc(size + 1, 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    size_t length = strlen(text);
    const char *searched = text + length + (length < size ? 1 : 0);
    size_t rest = size - (size_t)(searched - text);
    rest = rest < SEARCHED_BYTES ? rest : SEARCHED_BYTES;
    enum duet_code code = pattern_compile(text, &pattern, &error);
    if (code == DUET_OK) {
        code = pattern_find(pattern, searched, rest, ranges, RANGES, &found, &error);
        pattern_free(pattern);
    }
    for (size_t i = 0; i < RANGES && found; i++) {
        check_range(&ranges[i], searched, rest);
    }
    if (code != DUET_OK && error.message[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}
