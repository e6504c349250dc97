/* What a side was built from: a commit, or a working tree on top of one. */
#ifndef DUET_MODEL_REVISION_H
#define DUET_MODEL_REVISION_H

#include <stdbool.h>
#include <stdint.h>

enum { MODEL_HASH_BYTES = 65 }; /* of SHA-256, with the NUL */

/* Strings are borrowed, unless their holder says otherwise. */
struct model_revision {
    char *repository; /* its folder; NULL: not known */
    char *subject;    /* of the commit; NULL: not known */
    char commit[MODEL_HASH_BYTES];
    char tree[MODEL_HASH_BYTES];
    int64_t committed_utc_ms; /* 0: not known */
    bool changed; /* the working tree: `commit`, with changes that are in none */
};

#endif
