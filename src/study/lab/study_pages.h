/* Files with units of a study: a line a unit, its numbers exact. */
#ifndef DUET_STUDY_LAB_STUDY_PAGES_H
#define DUET_STUDY_LAB_STUDY_PAGES_H

#include "study/study_book.h"

/* Adds what the file has to the book. mark: of the study (study_mark.h). Errors:
 * DUET_E_NOT_FOUND (no such file), DUET_E_USAGE (it belongs to another study, other
 * data, other options or another version), DUET_E_FORMAT (it holds no units, was cut or
 * changed, or has other numbers for a unit that is known), DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code study_pages_read(const char *path, uint64_t mark,
                                              struct study_book *book,
                                              struct duet_error *reterr);
/* The same for a file, or for all files in a folder and below it, without hidden ones.
 */
BASE_MUST_USE enum duet_code study_pages_collect(const char *path, uint64_t mark,
                                                 struct study_book *book,
                                                 struct duet_error *reterr);

/* Writes what the book knows, as a whole or not at all. Errors: DUET_E_IO,
 * DUET_E_NOMEM.
 */
BASE_MUST_USE enum duet_code study_pages_write(const char *path, uint64_t mark,
                                               const struct study_book *book,
                                               struct duet_error *reterr);

#endif
