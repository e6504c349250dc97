/* A study under way: where its answer goes, which of its units are computed and kept,
 * and who may end it. */
#ifndef DUET_STUDY_LAB_STUDY_SESSION_H
#define DUET_STUDY_LAB_STUDY_SESSION_H

#include "base/text.h"
#include "session/listener.h"
#include "study/study_book.h"

#include <stdbool.h>
#include <stdint.h>

/* Which units are taken from files, computed here, and kept. Borrowed. */
struct study_share {
    const char *resume; /* a file that keeps what is done, and need not be there yet;
                           NULL:  none */
    const char **paths; /* files and folders with units that were computed elsewhere */
    size_t path_count;
    uint64_t part; /* only this part, from 1; 0: all */
    uint64_t parts;
    bool counting; /* nothing is computed: the study ends when its units are known */
};

/* How far a study is. */
struct study_progress {
    uint64_t done; /* in any unit */
    uint64_t planned;
    uint64_t elapsed_ns; /* since it was asked first */
    double left_ns;      /* about; NaN: not known yet */
};

struct study_session {
    /* The answer, for people and for programs. */
    struct text table;
    struct text csv;
    struct text json;
    int cancel_fd; /* becomes readable when it is to end */
    const struct listener *listener;
    bool (*go_on)(void *context,
                  const struct study_progress *progress); /* false: end */
    /* What it takes from files was read: from here on it asks who may end it. NULL:
     * nobody wants to know. */
    void (*begun)(void *context);
    void *context;
    const struct study_share *share; /* NULL: all units are computed, none is kept */
    /* Of study_session_begin() and _end(). */
    struct study_book book;
    uint64_t mark;
    uint64_t kept_ns;  /* when the file was written last */
    uint64_t taken;    /* of `done`: what an earlier session did */
    uint64_t began_ns; /* when it was asked first; 0: not yet */
    struct duet_error kept;
    uint64_t wanted; /* units of this part */
    uint64_t known;  /* units at the end */
};

/* Before the study computes anything: reads what is known of its units, which are so
 * many. mark: study_mark.h. *ret_book, which the session owns, is for the study's plan;
 * NULL where nobody asks for a share. Errors: those of the files; DUET_E_INTERRUPTED
 * when the units are counted only; DUET_E_NOMEM. Then there is nothing to end. */
BASE_MUST_USE enum duet_code study_session_begin(struct study_session *session,
                                                 uint64_t units, uint64_t mark,
                                                 struct study_book **ret_book,
                                                 struct duet_error *reterr);

/* Tells `begun`; study_session_begin() does so, too. */
void study_session_tell_begun(const struct study_session *session);

/* For the study to call from one thread at a time: `done` of `planned`, in any unit.
 * Every few seconds what is done is kept. `session` is a struct study_session. False:
 * it is to end. */
bool study_session_go_on(void *session, uint64_t done, uint64_t planned);

/* After the study, with its code: keeps what is done. Returns the code, or what kept
 * the file from being written. */
BASE_MUST_USE enum duet_code study_session_end(struct study_session *session,
                                               enum duet_code code,
                                               struct duet_error *reterr);

/* Whether the study is to give its answer, after it ended with this code: it is done or
 * was interrupted, also because its file could not be written, and had all its units.
 */
bool study_session_shows(const struct study_session *session, enum duet_code code);

#endif
