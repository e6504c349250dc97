#include "measure/environment.h"

#include "base/alloc.h"
#include "sync/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OFFSET_NAME "DUET_ENVIRONMENT_OFFSET"
#define PYTHON_NAME "PYTHONHASHSEED"
#define PERL_NAME "PERL_HASH_SEED"

struct environment {
    char **entries;
    char *attach;
    char padding[sizeof OFFSET_NAME "=" + ENVIRONMENT_OFFSET_MAX];
    /* Of one length, whatever the seed: the stack stays where it is. */
    char python_seed[sizeof PYTHON_NAME "=0123456789"];
    char perl_seed[sizeof PERL_NAME "=0x01234567"];
};

bool environment_is_named(const char *entry, const char *name)
{
    size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* Whether the entry is one that the program is not to inherit from us. */
static bool is_ours(const char *entry)
{
    static const char *const names[] = {SYNC_ATTACH_VARIABLE, OFFSET_NAME};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (environment_is_named(entry, names[i])) {
            return true;
        }
    }
    return false;
}

struct environment *environment_new(const char *attach, bool seeded)
{
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    struct environment *made = alloc_array(1, sizeof *made);
    char **entries = alloc_array(count + 5, sizeof(char *));
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
    if (seeded && getenv(PYTHON_NAME) == NULL) {
        entries[out++] = made->python_seed;
    }
    if (seeded && getenv(PERL_NAME) == NULL) {
        entries[out++] = made->perl_seed;
    }
    entries[out] = NULL;
    made->entries = entries;
    made->attach = attached;
    memcpy(made->padding, OFFSET_NAME "=", sizeof OFFSET_NAME "=");
    environment_set_hash_seed(made, 0);
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

void environment_set_hash_seed(struct environment *environment, uint32_t seed)
{
    (void)snprintf(environment->python_seed, sizeof environment->python_seed,
                   PYTHON_NAME "=%010" PRIu32, seed);
    (void)snprintf(environment->perl_seed, sizeof environment->perl_seed,
                   PERL_NAME "=0x%08" PRIx32, seed);
}

const char *const *environment_entries(const struct environment *environment)
{
    return (const char *const *)environment->entries;
}

void environment_detach(void)
{
    /* banned-ok: for all that will be started; no thread yet */
    (void)unsetenv(SYNC_ATTACH_VARIABLE);
}

void environment_free(struct environment *environment)
{
    if (environment != NULL) {
        free(environment->attach);
        free((void *)environment->entries);
        free(environment);
    }
}
