#include "study/lab/study_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t between_writes_ns = UINT64_C(5000000000);
static const char magic[] = "duet-study-1";

static uint64_t mix_word(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

uint64_t study_fingerprint_number(uint64_t hash, uint64_t number)
{
    unsigned char bytes[sizeof number];
    memcpy(bytes, &number, sizeof number);
    for (size_t i = 0; i < sizeof bytes; i++) {
        hash = mix_word(hash, bytes[i]);
    }
    return hash;
}

uint64_t study_fingerprint_doubles(uint64_t hash, const double *values, size_t count)
{
    for (size_t i = 0; values != NULL && i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &values[i], sizeof bits);
        hash = mix_word(hash, bits);
    }
    return hash;
}

uint64_t study_fingerprint_data(const struct model_dataset *dataset)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = study_fingerprint_doubles(hash, dataset->values, dataset->value_count);
    hash = study_fingerprint_doubles(hash, dataset->olds, dataset->value_count);
    for (size_t i = 0; i < dataset->instance_count; i++) {
        hash = study_fingerprint_number(hash, dataset->instances[i].count);
    }
    for (size_t t = 0; t < dataset->trial_count; t++) {
        hash = study_fingerprint_number(hash, dataset->trials[t].count);
    }
    return study_fingerprint_number(hash, dataset->configuration_count);
}

/* ---- Reading ---- */

bool study_state_number(FILE *file, uint64_t most, uint64_t *ret_number)
{
    char word[24];
    char *end = NULL;
    if (fscanf(file, "%23s", word) != 1) {
        return false;
    }
    errno = 0;
    *ret_number = strtoull(word, &end, 10);
    return errno == 0 && *end == '\0' && word[0] != '-' && *ret_number <= most;
}

bool study_state_double(FILE *file, double *ret_number)
{
    char word[40];
    char *end = NULL;
    if (fscanf(file, "%39s", word) != 1) {
        return false;
    }
    *ret_number = strtod(word, &end);
    return *end == '\0';
}

enum duet_code study_state_damaged(const struct study_state *state,
                                   struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_FORMAT, "'%s' is damaged; remove it", state->path);
}

static enum duet_code read_head(const struct study_state *state, FILE *file,
                                uint64_t most, uint64_t *ret_records,
                                struct duet_error *reterr)
{
    uint64_t fingerprint = 0;
    char word[32];
    if (fscanf(file, "%31s", word) != 1 || strcmp(word, magic) != 0 ||
        !study_state_number(file, UINT64_MAX, &fingerprint)) {
        return error_set(
            reterr, DUET_E_FORMAT,
            "'%s' holds no state of a study; name another file for --resume",
            state->path);
    }
    if (fingerprint != state->fingerprint) {
        return error_set(reterr, DUET_E_USAGE,
                         "'%s' belongs to another study, other data or other options; "
                         "remove it, or name another file for --resume",
                         state->path);
    }
    return study_state_number(file, most, ret_records)
               ? DUET_OK
               : study_state_damaged(state, reterr);
}

enum duet_code study_state_open(const struct study_state *state, uint64_t most,
                                FILE **ret_file, uint64_t *ret_records,
                                struct duet_error *reterr)
{
    FILE *file = fopen(state->path, "re");
    if (file == NULL && errno != ENOENT) {
        return error_set_errno(reterr, DUET_E_IO, errno, "opening '%s'", state->path);
    }
    if (file != NULL) {
        enum duet_code code = read_head(state, file, most, ret_records, reterr);
        if (code != DUET_OK) {
            (void)fclose(file);
            return code;
        }
    }
    *ret_file = file;
    return DUET_OK;
}

/* ---- Writing ---- */

bool study_state_is_due(struct study_state *state, bool now)
{
    struct timespec clock = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &clock);
    uint64_t at = (uint64_t)clock.tv_sec * 1000000000U + (uint64_t)clock.tv_nsec;
    if (!now && at - state->kept_ns < between_writes_ns) {
        return false;
    }
    state->kept_ns = at;
    return true;
}

void study_state_append_head(const struct study_state *state, uint64_t records,
                             struct text *text)
{
    text_append_format(text, "%s %" PRIu64 " %" PRIu64 "\n", magic, state->fingerprint,
                       records);
}
