/* What the two halves of the gather share: adding values, and making runs of them. */
#ifndef DUET_FORMATS_GATHER_PRIVATE_H
#define DUET_FORMATS_GATHER_PRIVATE_H

#include "formats/gather.h"

/* One side's values in a run. */
struct gather_column {
    double *values;
    uint64_t *iterations; /* as many; NULL: the file does not say */
    size_t count;
    size_t capacity;
};

/* The values of one label. */
struct gather_slot {
    char *label; /* instance, '\n', run */
    size_t label_length;
    size_t order; /* of appearance */
    uint64_t number;
    bool has_block;
    uint64_t block;
    struct gather_column sides[MODEL_SIDES];
};

struct formats_gather {
    struct gather_slot *slots;
    size_t count;
    size_t capacity;
    size_t *table; /* slot index + 1 by hash of the label; 0: empty */
    size_t table_size;
    size_t current; /* slot of the last record: files come in stretches */
    bool has_runs;
    bool has_iterations;
    bool beside;
};

/* Leaves an empty gather. */
void formats_gather_forget(struct formats_gather *gather);
/* DUET_E_NOMEM with its message. */
enum duet_code formats_gather_no_memory(struct duet_error *reterr);

#endif
