/* A report page into a file. */
#ifndef DUET_CLI_PAGE_PAGE_WRITE_H
#define DUET_CLI_PAGE_PAGE_WRITE_H

#include "session/comparison/answers.h"

#include <stdbool.h>
#include <stdint.h>

struct page_request {
    const char *title;     /* NULL: what is on it */
    bool scratch;          /* the store ends with the program: no number, no moment */
    const char *index;     /* of the site, relative to the page; NULL: none */
    const size_t *history; /* of each answer its benchmark's number there; NULL: none */
};

/* overall: of just these answers. The raw data of one experiment at a time is read from
 * the store and written out. ret_bytes: the page's length; NULL: nobody asks. Errors:
 * DUET_E_IO (says the path), DUET_E_NOMEM, the store's. */
BASE_MUST_USE enum duet_code page_write(const char *path, struct store *store,
                                        const struct answer *answers,
                                        const struct answers_overall *overall,
                                        const struct page_request *request,
                                        uint64_t *ret_bytes, struct duet_error *reterr);

#endif
