/* Errors: one code for programs, one sentence for people.
 *
 * A function that can fail returns `enum duet_code` and takes a
 * `struct duet_error *reterr` as its last parameter. On failure it fills
 * `reterr` (NULL: not wanted) and leaves its results untouched; on success it
 * leaves `reterr` untouched. The message says what was wrong, where (file, line,
 * field, side, run), and what to do about it. Only cli/ prints or exits.
 */
#ifndef DUET_BASE_ERROR_H
#define DUET_BASE_ERROR_H

#define BASE_MUST_USE __attribute__((warn_unused_result))
#define BASE_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

enum duet_code {
    DUET_OK,            /* success */
    DUET_E_USAGE,       /* wrong usage */
    DUET_E_DOMAIN,      /* value out of range */
    DUET_E_TOO_FEW,     /* too little data */
    DUET_E_NOMEM,       /* out of memory */
    DUET_E_IO,          /* input or output failed */
    DUET_E_FORMAT,      /* malformed data */
    DUET_E_VERSION,     /* data of a newer or unknown version */
    DUET_E_NOT_FOUND,   /* not found */
    DUET_E_UNSUITABLE,  /* this machine cannot do it */
    DUET_E_SYSTEM,      /* a system call failed */
    DUET_E_WORKLOAD,    /* a workload failed */
    DUET_E_TIMEOUT,     /* time limit exceeded */
    DUET_E_PEER,        /* the other side is gone */
    DUET_E_PROTOCOL,    /* the shared page's protocol was violated */
    DUET_E_INTERRUPTED, /* interrupted */
    DUET_E_INTERNAL,    /* internal error */
};

struct duet_error {
    enum duet_code code;
    char
        message[1024]; /* NUL-terminated, one sentence or more, no newline at the end */
};

/* Fills *reterr (may be NULL) and returns code, so that `return error_set(...)`
 * reads as one step. The message is cut at the size of the field. */
enum duet_code error_set(struct duet_error *reterr, enum duet_code code,
                         const char *format, ...) BASE_PRINTF(3, 4);

/* DUET_E_NOMEM, "out of memory". */
enum duet_code error_no_memory(struct duet_error *reterr);

/* As error_set(), with ": " and the text of errno value `errnum` appended, and of
 * EMFILE what to do. */
enum duet_code error_set_errno(struct duet_error *reterr, enum duet_code code,
                               int errnum, const char *format, ...) BASE_PRINTF(4, 5);

/* As error_set_errno(), DUET_E_SYSTEM, for a process that could not be started: where
 * there are too many, with what to do. */
enum duet_code error_set_start(struct duet_error *reterr, int errnum,
                               const char *format, ...) BASE_PRINTF(3, 4);

#endif
