#include "study/study_book.h"

#include "base/alloc.h"
#include "base/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS_OF_A_CELL = 256 };
static const double whole_most = 9007199254740992.0; /* 2^53 */

/* Away from those of studies; the order must be the same for everybody. */
static const uint64_t deal_seed = UINT64_C(0x6475657464656c73);

enum duet_code study_book_init(uint64_t units, struct study_book *ret_book,
                               struct duet_error *reterr)
{
    if (units > STUDY_UNITS_MAX) {
        return error_set(reterr, DUET_E_DOMAIN,
                         "the study has %" PRIu64
                         " units, more than %d: ask for less of "
                         "it at a time",
                         units, STUDY_UNITS_MAX);
    }
    struct study_page *pages = alloc_array((size_t)units + 1, sizeof *pages);
    if (pages == NULL) {
        return error_no_memory(reterr);
    }
    *ret_book = (struct study_book){.pages = pages, .units = units, .parts = 1};
    return DUET_OK;
}

void study_book_release(struct study_book *book)
{
    for (uint64_t i = 0; book->pages != NULL && i < book->units; i++) {
        free(book->pages[i].numbers);
    }
    free(book->pages);
    free(book->ranks);
    *book = (struct study_book){.pages = NULL};
}

enum duet_code study_book_share(struct study_book *book, uint64_t part, uint64_t parts,
                                struct duet_error *reterr)
{
    struct random_stream stream = random_stream_at(deal_seed, book->units);
    size_t count = (size_t)book->units;
    uint32_t *order = alloc_array(count + 1, sizeof *order);
    uint32_t *ranks = alloc_array(count + 1, sizeof *ranks);
    if (order == NULL || ranks == NULL) {
        free(order);
        free(ranks);
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        size_t at = random_below(&stream, (uint32_t)(i + 1));
        order[i] = order[at];
        order[at] = (uint32_t)i;
    }
    for (size_t i = 0; i < count; i++) {
        ranks[order[i]] = (uint32_t)i;
    }
    free(order);
    free(book->ranks);
    book->ranks = ranks;
    book->part = part;
    book->parts = parts;
    return DUET_OK;
}

const struct study_page *study_book_find(const struct study_book *book, uint64_t unit)
{
    return book != NULL && book->pages[unit].count > 0 ? &book->pages[unit] : NULL;
}

bool study_book_wants(const struct study_book *book, uint64_t unit)
{
    return book == NULL || book->ranks == NULL ||
           book->ranks[unit] % book->parts == book->part;
}

uint64_t study_book_wanted(const struct study_book *book)
{
    uint64_t wanted = 0;
    for (uint64_t i = 0; i < book->units; i++) {
        wanted += study_book_wants(book, i) ? 1 : 0;
    }
    return wanted;
}

enum duet_code study_book_put(struct study_book *book, uint64_t unit,
                              const double *numbers, size_t count,
                              struct duet_error *reterr)
{
    if (book == NULL) {
        return DUET_OK;
    }
    double *copy = alloc_array(count, sizeof *copy);
    if (copy == NULL) {
        return error_no_memory(reterr);
    }
    memcpy(copy, numbers, count * sizeof *copy);
    struct study_page *page = &book->pages[unit];
    book->known += page->count == 0 ? 1 : 0;
    free(page->numbers);
    *page = (struct study_page){copy, count};
    return DUET_OK;
}

bool study_page_whole(const struct study_page *page, size_t at, uint64_t most,
                      uint64_t *ret_number)
{
    double number = at < page->count ? page->numbers[at] : -1.0;
    if (!(number >= 0.0 && number <= (double)most) || number > whole_most) {
        return false;
    }
    *ret_number = (uint64_t)number;
    return !((double)*ret_number < number);
}

enum duet_code study_page_wrong(uint64_t unit, struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_FORMAT,
                     "unit %" PRIu64
                     " of the study was kept with numbers that cannot be "
                     "its own: remove the file that it was kept in",
                     unit);
}

uint64_t study_book_unit_size(uint64_t samples, uint64_t least, uint64_t most)
{
    uint64_t size = (samples + UNITS_OF_A_CELL - 1) / UNITS_OF_A_CELL;
    size = size < least ? least : size;
    return size > most ? most : size;
}
