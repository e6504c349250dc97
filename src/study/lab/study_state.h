/* What a study has done so far, kept in a text file: its head, and what the study's own
 * lines need. */
#ifndef DUET_STUDY_LAB_STUDY_STATE_H
#define DUET_STUDY_LAB_STUDY_STATE_H

#include "base/error.h"
#include "base/text.h"
#include "model/dataset.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct study_state {
    const char *path;
    uint64_t fingerprint; /* of the data, the study and its options */
    uint64_t kept_ns;     /* when it was written last */
};

/* FNV-1a, 64 bits: of the data, and of what follows it. */
uint64_t study_fingerprint_data(const struct model_dataset *dataset);
uint64_t study_fingerprint_number(uint64_t hash, uint64_t number);
uint64_t study_fingerprint_doubles(uint64_t hash, const double *values, size_t count);

/* Opens the file behind its head, with the number of records that follow; *ret_file
 * NULL: there is none yet. most: records that there can be. Errors: DUET_E_USAGE (the
 * file belongs to another study, other data or other options), DUET_E_FORMAT,
 * DUET_E_IO.
 */
BASE_MUST_USE enum duet_code study_state_open(const struct study_state *state,
                                              uint64_t most, FILE **ret_file,
                                              uint64_t *ret_records,
                                              struct duet_error *reterr);
/* The next whole number, at most `most`; false: there is none. */
bool study_state_number(FILE *file, uint64_t most, uint64_t *ret_number);
/* The next number, NaN included; false: there is none. */
bool study_state_double(FILE *file, double *ret_number);
/* For a file whose records are wrong. Returns DUET_E_FORMAT. */
enum duet_code study_state_damaged(const struct study_state *state,
                                   struct duet_error *reterr);

/* Whether it is time to write again, which it is every few seconds, or `now`. */
bool study_state_is_due(struct study_state *state, bool now);
/* The head of a file of so many records. */
void study_state_append_head(const struct study_state *state, uint64_t records,
                             struct text *text);

#endif
