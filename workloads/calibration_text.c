#include "workloads/calibration_text.h"

#include "workloads/calibration.h"

#include <assert.h>
#include <string.h>

#define FIRST_LINE "duet-calibration " CALIBRATION_VERSION "\n"

/* Takes the text up to `end` off *cursor; false when `end` does not come. */
static bool field_take(const char **cursor, char end, const char **ret_field,
                       size_t *ret_length)
{
    const char *field = *cursor;
    size_t length = strcspn(field, "\t\n");
    if (length == 0 || field[length] != end) {
        return false;
    }
    *ret_field = field;
    *ret_length = length;
    *cursor = field + length + 1;
    return true;
}

static bool field_equals(const char *field, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(field, text, length) == 0;
}

/* A rate in its range; 0 when it is none. */
static uint64_t field_rate(const char *field, size_t length)
{
    uint64_t rate = 0;
    for (size_t i = 0; i < length; i++) {
        if (field[i] < '0' || field[i] > '9') {
            return 0;
        }
        rate = rate * 10 + (uint64_t)(field[i] - '0');
        if (rate >= CALIBRATION_RATE_LIMIT) {
            return 0;
        }
    }
    return rate;
}

bool calibration_text_find(const char *text, const char *host, const char *kind,
                           uint64_t *ret_rate_operations_per_s)
{
    if (strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0) {
        return false;
    }
    uint64_t found = 0;
    const char *cursor = text + strlen(FIRST_LINE);
    while (*cursor != '\0') {
        const char *fields[3];
        size_t lengths[3];
        for (size_t i = 0; i < 3; i++) {
            if (!field_take(&cursor, i < 2 ? '\t' : '\n', &fields[i], &lengths[i])) {
                return false;
            }
        }
        uint64_t rate = field_rate(fields[2], lengths[2]);
        if (rate == 0) {
            return false;
        }
        if (found == 0 && field_equals(fields[0], lengths[0], host) &&
            field_equals(fields[1], lengths[1], kind)) {
            found = rate;
        }
    }
    *ret_rate_operations_per_s = found;
    return true;
}

void calibration_text_add(struct text *content, const char *old_text, const char *host,
                          const char *kind, uint64_t rate_operations_per_s)
{
    assert(rate_operations_per_s > 0 && rate_operations_per_s < CALIBRATION_RATE_LIMIT);
    text_append(content, old_text != NULL ? old_text : FIRST_LINE);
    text_append_format(content, "%s\t%s\t%llu\n", host, kind,
                       (unsigned long long)rate_operations_per_s);
}
