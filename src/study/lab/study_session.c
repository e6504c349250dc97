#include "study/lab/study_session.h"

#include "study/lab/study_pages.h"

#include <math.h>
#include <time.h>

static const uint64_t between_writes_ns = UINT64_C(5000000000);

static enum duet_code read_known(const struct study_session *session,
                                 struct study_book *book, struct duet_error *reterr)
{
    const struct study_share *share = session->share;
    enum duet_code code = DUET_OK;
    if (share->resume != NULL) {
        code = study_pages_read(share->resume, session->mark, book, reterr);
        code = code == DUET_E_NOT_FOUND ? DUET_OK : code;
    }
    for (size_t i = 0; i < share->path_count && code == DUET_OK; i++) {
        code = study_pages_collect(share->paths[i], session->mark, book, reterr);
    }
    return code;
}

void study_session_tell_begun(const struct study_session *session)
{
    if (session->begun != NULL) {
        session->begun(session->context);
    }
}

enum duet_code study_session_begin(struct study_session *session, uint64_t units,
                                   uint64_t mark, struct study_book **ret_book,
                                   struct duet_error *reterr)
{
    const struct study_share *share = session->share;
    *ret_book = NULL;
    session->wanted = units;
    if (share == NULL) {
        study_session_tell_begun(session);
        return DUET_OK;
    }
    if (share->counting) {
        return error_set(reterr, DUET_E_INTERRUPTED, "the units are counted");
    }
    session->mark = mark;
    enum duet_code code = study_book_init(units, &session->book, reterr);
    if (code == DUET_OK) {
        code = read_known(session, &session->book, reterr);
    }
    if (code == DUET_OK && share->part > 0) {
        code = study_book_share(&session->book, share->part - 1, share->parts, reterr);
    }
    if (code != DUET_OK) {
        study_book_release(&session->book);
        return code;
    }
    study_session_tell_begun(session);
    session->wanted = study_book_wanted(&session->book);
    *ret_book = &session->book;
    return DUET_OK;
}

static uint64_t now_ns(void)
{
    struct timespec clock = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &clock);
    return (uint64_t)clock.tv_sec * 1000000000U + (uint64_t)clock.tv_nsec;
}

static void keep(struct study_session *session)
{
    if (session->kept.code == DUET_OK && session->book.pages != NULL &&
        session->share->resume != NULL) {
        (void)!study_pages_write(session->share->resume, session->mark, &session->book,
                                 &session->kept);
    }
}

static struct study_progress progress_of(struct study_session *session, uint64_t now,
                                         uint64_t done, uint64_t planned)
{
    if (session->began_ns == 0) {
        session->taken = done;
        session->began_ns = now;
    }
    uint64_t elapsed_ns = now - session->began_ns;
    uint64_t own = done - session->taken;
    double left_ns = (double)elapsed_ns * (double)(planned - done);
    return (struct study_progress){.done = done,
                                   .planned = planned,
                                   .elapsed_ns = elapsed_ns,
                                   .left_ns =
                                       own > 0 ? left_ns / (double)own : (double)NAN};
}

bool study_session_go_on(void *session, uint64_t done, uint64_t planned)
{
    struct study_session *asked = session;
    uint64_t now = now_ns();
    const struct study_progress progress = progress_of(asked, now, done, planned);
    if (now - asked->kept_ns >= between_writes_ns) {
        asked->kept_ns = now;
        keep(asked);
    }
    return asked->kept.code == DUET_OK && asked->go_on(asked->context, &progress);
}

enum duet_code study_session_end(struct study_session *session, enum duet_code code,
                                 struct duet_error *reterr)
{
    keep(session);
    session->known = session->book.known;
    study_book_release(&session->book);
    return session->kept.code == DUET_OK
               ? code
               : error_set(reterr, session->kept.code, "%s", session->kept.message);
}

bool study_session_shows(const struct study_session *session, enum duet_code code)
{
    const struct study_share *share = session->share;
    bool unkept = session->kept.code != DUET_OK && session->known > 0;
    return (code == DUET_OK || code == DUET_E_INTERRUPTED || unkept) &&
           (share == NULL || (share->part == 0 && !share->counting));
}
