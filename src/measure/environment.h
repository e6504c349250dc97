/* The environment that programs start with: ours, what attaches them, an offset that
 * moves their stack, and seeds of hash functions. */
#ifndef DUET_MEASURE_ENVIRONMENT_H
#define DUET_MEASURE_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

struct environment;

/* The largest offset, in bytes; offsets are multiples of 16, a stack's alignment. */
enum { ENVIRONMENT_OFFSET_MAX = 4080 };

/* Whether the entry, "NAME=VALUE", has this name. */
bool environment_is_named(const char *entry, const char *name);

/* A copy of environ (whose strings are borrowed) with the variable that attaches a
 * benchmark set to `attach`, and an offset of 0. seeded: with PYTHONHASHSEED and
 * PERL_HASH_SEED, where environ does not have them. NULL: no memory. */
struct environment *environment_new(const char *attach, bool seeded);

/* Makes the environment longer by so many bytes than with 0; at most
 * ENVIRONMENT_OFFSET_MAX. The value of DUET_ENVIRONMENT_OFFSET is there for its length
 * alone. Source: Mytkowicz et al. 2009, "Producing wrong data without doing anything
 * obviously wrong!" (ASPLOS). */
void environment_set_offset(struct environment *environment, uint32_t bytes);

/* The seed of the hash functions of Python and Perl, which draw one for each process
 * otherwise. Of no effect where they are not `seeded`. */
void environment_set_hash_seed(struct environment *environment, uint32_t seed);

/* For execve; valid until the environment is freed. */
const char *const *environment_entries(const struct environment *environment);

void environment_free(struct environment *environment);

/* Takes what attaches a benchmark out of environ, where a duet that measures this
 * process has put it: neither hooks nor checks are to take part there. Before the first
 * thread.
 */
void environment_detach(void);

#endif
