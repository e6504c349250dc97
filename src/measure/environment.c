#include "measure/environment.h"

#include "base/alloc.h"
#include "sync/page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OFFSET_NAME "DUET_ENVIRONMENT_OFFSET"

struct environment {
    char **entries;
    char *attach;
    char padding[sizeof OFFSET_NAME "=" + ENVIRONMENT_OFFSET_MAX];
};

/* Whether the entry is one that the program is not to inherit from us. */
static bool is_ours(const char *entry)
{
    static const char *const names[] = {SYNC_ATTACH_VARIABLE, OFFSET_NAME};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(entry, names[i], length) == 0 && entry[length] == '=') {
            return true;
        }
    }
    return false;
}

struct environment *environment_new(const char *attach)
{
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    struct environment *made = alloc_array(1, sizeof *made);
    char **entries = alloc_array(count + 3, sizeof(char *));
    char *attached = alloc_format("%s=%s", SYNC_ATTACH_VARIABLE, attach);
    if (made == NULL || entries == NULL || attached == NULL) {
        free(made);
        free(entries);
        free(attached);
        return NULL;
    }
    size_t out = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_ours(environ[i])) {
            entries[out++] = environ[i];
        }
    }
    entries[out++] = attached;
    entries[out++] = made->padding;
    entries[out] = NULL;
    made->entries = entries;
    made->attach = attached;
    memcpy(made->padding, OFFSET_NAME "=", sizeof OFFSET_NAME "=");
    return made;
}

void environment_set_offset(struct environment *environment, uint32_t bytes)
{
    char *value = environment->padding + strlen(OFFSET_NAME "=");
    uint32_t length =
        bytes < ENVIRONMENT_OFFSET_MAX ? bytes : (uint32_t)ENVIRONMENT_OFFSET_MAX;
    memset(value, 'x', length);
    value[length] = '\0';
}

const char *const *environment_entries(const struct environment *environment)
{
    return (const char *const *)environment->entries;
}

void environment_free(struct environment *environment)
{
    if (environment != NULL) {
        free(environment->attach);
        free((void *)environment->entries);
        free(environment);
    }
}
