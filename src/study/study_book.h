/* A study in units: parts of its work that can be done anywhere and in any order, since
 * each has random streams of its own. What a unit comes to is a list of numbers; the
 * answer follows from these lists, taken in the order of the units. So a study that was
 * shared among processes says the same, to the last bit, as one that was not. */
#ifndef DUET_STUDY_STUDY_BOOK_H
#define DUET_STUDY_STUDY_BOOK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STUDY_UNITS_MAX = 1 << 24 };

/* Of one unit. */
struct study_page {
    double *numbers; /* owned by the book */
    size_t count;    /* 0: the unit is not known */
};

/* What is known of a study's units, and which are to be computed here. NULL wherever a
 * book is borrowed: nothing is known, all is computed, and nothing is kept. */
struct study_book {
    struct study_page *pages;
    uint32_t *ranks; /* of the units in the order in which they are dealt; NULL: all
                         are computed here */
    uint64_t units;
    uint64_t known;
    uint64_t part; /* from 0 */
    uint64_t parts;
};

/* Errors: DUET_E_DOMAIN (more units than STUDY_UNITS_MAX), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code
study_book_init(uint64_t units, struct study_book *ret_book, struct duet_error *reterr);
void study_book_release(struct study_book *book);

/* Only part `part` (from 0) of `parts` is to be computed here. The units are dealt in a
 * random order that depends on nothing but their number: neighbours, which are often
 * alike in size, go to different parts. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_book_share(struct study_book *book, uint64_t part,
                                              uint64_t parts,
                                              struct duet_error *reterr);

/* NULL: it is not known. */
const struct study_page *study_book_find(const struct study_book *book, uint64_t unit);
/* Whether a unit that is not known is to be computed here. */
bool study_book_wants(const struct study_book *book, uint64_t unit);
/* Units that are to be computed here, known ones among them. */
uint64_t study_book_wanted(const struct study_book *book);

/* Keeps a copy of the numbers (at least 1), in place of what was known. Not from two
 * threads at once. Errors: DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_book_put(struct study_book *book, uint64_t unit,
                                            const double *numbers, size_t count,
                                            struct duet_error *reterr);

/* Number `at` of a page as a whole number up to `most`; false: there is none, or it is
 * another. What was kept in a file need not be what a study expects. */
bool study_page_whole(const struct study_page *page, size_t at, uint64_t most,
                      uint64_t *ret_number);
/* Returns DUET_E_FORMAT: what was kept of a unit is not what the study keeps. */
enum duet_code study_page_wrong(uint64_t unit, struct duet_error *reterr);

/* Of a simulation of `samples`, how many make a unit: some 256 units, but no smaller
 * than `least` and no larger than `most`. It follows from the plan, never from the
 * number of parts, so that sums are made of the same terms everywhere. */
uint64_t study_book_unit_size(uint64_t samples, uint64_t least, uint64_t most);

#endif
