/* include/duet/duet.h: which way this process takes part, and the calls' order. */
#include "base/error.h"
#include "duet/duet.h"
#include "harness/harness_alone.h"
#include "harness/harness_side.h"
#include "sync/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum mode {
    /* 0 on purpose: what a child of fork() sees. It takes no part: its parent does.
     * Also after duet_hand_on(). */
    MODE_INHERITED,
    MODE_FAILED,
    MODE_ALONE,
    MODE_SIDE
};

enum phase {
    PHASE_BETWEEN, /* iterations */
    PHASE_WANTED,  /* duet_next() said yes */
    PHASE_TIMED,
    PHASE_ENDED
};

/* In a mapping of its own that the kernel wipes in a child of fork(): a benchmark may
 * fork, and asking for the pid in every call would cost a system call. */
struct duet {
    enum mode mode;
    enum phase phase;
    const char *misuse;  /* which call came at the wrong time; NULL: none */
    bool quiet;          /* alone, but standard output belongs to something else */
    uint64_t skipped_ns; /* since when no yes of duet_next() was used; 0: it was */
    struct harness_side side;
    struct harness_alone alone;
    struct duet_error error; /* why attaching failed, or duet_reason()'s text */
};

/* What duet_open() returns when there is no memory even for a struct duet. Never
 * written to: every function looks at the mode first. */
static const struct duet no_memory = {.mode = MODE_FAILED};
static const char no_memory_text[] = "no memory to start with";

static void complain(const char *message)
{
    (void)fprintf(stderr, "duet: %s\n", message);
}

static struct duet *duet_map(void)
{
    struct duet *d = mmap(NULL, sizeof *d, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (d == MAP_FAILED) {
        return NULL;
    }
    /* Fails on kernels before 4.14: there a forked child must not call us. */
    (void)madvise(d, sizeof *d, MADV_WIPEONFORK);
    return d;
}

static enum duet_code duet_start(struct duet *d, const char *name,
                                 struct duet_error *reterr)
{
    const char *attach = secure_getenv(SYNC_ATTACH_VARIABLE);
    bool attaches = attach != NULL && attach[0] != '\0';
    enum duet_code code =
        attaches
            ? harness_side_open(attach, &d->side, reterr)
            : harness_alone_init(&d->alone,
                                 name != NULL ? name : program_invocation_short_name,
                                 reterr);
    if (code == DUET_OK) {
        d->mode = attaches ? MODE_SIDE : MODE_ALONE;
    }
    const char *report = secure_getenv(SYNC_REPORT_VARIABLE);
    d->quiet = report != NULL && strcmp(report, SYNC_REPORT_NONE) == 0;
    return code;
}

struct duet *duet_open(const char *name)
{
    struct duet *d = duet_map();
    if (d == NULL) {
        complain(no_memory_text);
        return (struct duet *)(uintptr_t)&no_memory;
    }
    if (duet_start(d, name, &d->error) != DUET_OK) {
        complain(d->error.message);
        d->mode = MODE_FAILED;
    }
    return d;
}

/* The program calls in a wrong order: tells so at the end, and wants no more. */
static void misused(struct duet *d, const char *text)
{
    d->misuse = d->misuse != NULL ? d->misuse : text;
}

/* A loop may leave out an iteration that it was asked for, but one that begins none
 * would never end. */
static const uint64_t skipped_most_ns = 10000000000U;

static bool skips_too_long(struct duet *d)
{
    uint64_t now_ns = clock_mono_ns();
    d->skipped_ns = d->skipped_ns == 0 ? now_ns : d->skipped_ns;
    return now_ns - d->skipped_ns >= skipped_most_ns;
}

int duet_next(struct duet *d)
{
    if (d->mode != MODE_ALONE && d->mode != MODE_SIDE) {
        return 0;
    }
    if (d->phase == PHASE_TIMED) {
        misused(d, "duet_next() was called before duet_end()");
    }
    if (d->phase != PHASE_WANTED) {
        d->skipped_ns = 0;
    } else if (skips_too_long(d)) {
        misused(d, "duet_next() was called for 10 s without duet_begin(): call "
                   "duet_begin() and duet_end() around the work");
    }
    if (d->misuse != NULL) {
        return 0;
    }
    bool more = d->mode == MODE_SIDE ? harness_side_next(&d->side)
                                     : harness_alone_next(&d->alone);
    d->phase = more ? PHASE_WANTED : PHASE_BETWEEN;
    return more ? 1 : 0;
}

void duet_begin(struct duet *d)
{
    if (d->mode != MODE_ALONE && d->mode != MODE_SIDE) {
        return;
    }
    if (d->phase != PHASE_WANTED) {
        misused(d, "duet_begin() was called before duet_next() returned true");
        return;
    }
    d->phase = PHASE_TIMED;
    if (d->mode == MODE_SIDE) {
        harness_side_begin(&d->side); /* last: it starts the clock */
    } else {
        harness_alone_begin(&d->alone);
    }
}

void duet_end(struct duet *d)
{
    if (d->phase == PHASE_TIMED) {
        if (d->mode == MODE_SIDE) {
            harness_side_end(&d->side); /* first: it stops the clock */
        } else {
            harness_alone_end(&d->alone, clock_mono_ns());
        }
        d->phase = PHASE_ENDED;
    } else if (d->mode == MODE_ALONE || d->mode == MODE_SIDE) {
        misused(d, "duet_end() was called without duet_begin()");
    }
}

void duet_count(struct duet *d, uint64_t operations)
{
    if (d->mode != MODE_ALONE && d->mode != MODE_SIDE) {
        return;
    }
    if (d->phase != PHASE_WANTED && d->phase != PHASE_TIMED) {
        misused(d, "duet_count() was called outside of an iteration");
    } else if (operations == 0 || operations > SYNC_OPERATIONS_MAX) {
        misused(d, "duet_count() was called with a number that is not 1 to 2^53");
    } else if (d->mode == MODE_SIDE) {
        d->side.operations = operations;
    } else {
        d->alone.operations = operations;
    }
}

void duet_region(struct duet *d, const char *name)
{
    if (d->phase == PHASE_TIMED) {
        const char *wrong = d->mode == MODE_SIDE
                                ? harness_side_region(&d->side, name)
                                : harness_alone_region(&d->alone, name);
        if (wrong != NULL) {
            misused(d, wrong);
        }
    } else if (d->mode == MODE_ALONE || d->mode == MODE_SIDE) {
        misused(d, "duet_region() was called outside of duet_begin() and duet_end()");
    }
}

void duet_took(struct duet *d, uint64_t took_ns)
{
    if (d->phase == PHASE_TIMED) {
        d->side.took_ns = took_ns;
        d->alone.took_ns = took_ns;
    } else if (d->mode == MODE_ALONE || d->mode == MODE_SIDE) {
        misused(d, "duet_took() was called outside of duet_begin() and duet_end()");
    }
}

void duet_elsewhere(struct duet *d)
{
    if (d->mode == MODE_SIDE && !harness_side_elsewhere(&d->side)) {
        misused(d,
                "the work is another process's, whose CPU time is not known: compare "
                "elapsed times with --schedule duet");
    }
}

void duet_hand_on(struct duet *d)
{
    if (d->mode != MODE_ALONE && d->mode != MODE_SIDE) {
        return;
    }
    bool begun = d->mode == MODE_SIDE ? d->side.ended > 0 : d->alone.warm;
    if (begun || d->phase == PHASE_TIMED || d->phase == PHASE_ENDED) {
        misused(d, "duet_hand_on() was called after duet_begin()");
        return;
    }
    if (d->mode == MODE_SIDE) {
        harness_side_hand_on(&d->side);
    } else {
        harness_alone_release(&d->alone);
    }
    d->mode = MODE_INHERITED;
    d->phase = PHASE_BETWEEN;
}

/* Into d->error; false: the run has not been ended. */
static bool stopped(struct duet *d)
{
    uint64_t ended = d->side.ended;
    const char *reason = harness_side_reason(&d->side);
    if (reason != NULL) {
        (void)error_set(&d->error, DUET_E_PEER,
                        "stopped after %" PRIu64 " iteration%s: %s", ended,
                        ended == 1 ? "" : "s", reason);
    }
    return reason != NULL;
}

const char *duet_reason(struct duet *d)
{
    if (d == &no_memory) {
        return no_memory_text;
    }
    if (d->misuse != NULL) {
        return d->misuse;
    }
    bool known = d->mode == MODE_FAILED || (d->mode == MODE_SIDE && stopped(d));
    return known ? d->error.message : NULL;
}

static int close_side(struct duet *d)
{
    bool early = stopped(d);
    if (early) {
        complain(d->error.message);
    }
    harness_side_close(&d->side);
    return early ? 1 : 0;
}

static int close_alone(struct duet *d)
{
    struct duet_error error;
    char *report = NULL;
    int status = 0;
    if (d->quiet) {
        return 0;
    }
    if (harness_alone_report(&d->alone, &report, &error) != DUET_OK) {
        complain(error.message);
        return 1;
    }
    if (fputs(report, stdout) == EOF || fflush(stdout) == EOF) {
        complain("cannot write the result to standard output");
        status = 1;
    }
    free(report);
    return status;
}

int duet_close(struct duet *d)
{
    if (d == NULL) {
        return 0;
    }
    if (d == &no_memory) {
        return 1;
    }
    int status = d->mode == MODE_FAILED ? 1 : 0;
    if (d->misuse != NULL) {
        complain(d->misuse);
    }
    if (d->mode == MODE_SIDE) {
        status = close_side(d);
    } else if (d->mode == MODE_ALONE) {
        status = d->misuse != NULL ? 1 : close_alone(d);
        harness_alone_release(&d->alone);
    }
    status = d->misuse != NULL ? 1 : status;
    (void)munmap(d, sizeof *d);
    return status;
}

int duet_attached(const struct duet *d)
{
    return d->mode == MODE_SIDE ? 1 : 0;
}

uint64_t duet_index(const struct duet *d)
{
    if (d->mode == MODE_ALONE) {
        uint64_t count = d->alone.whole.count;
        bool ended = d->phase == PHASE_ENDED || d->phase == PHASE_BETWEEN;
        return ended && count > 0 ? count - 1 : count;
    }
    if (d->mode == MODE_SIDE) {
        uint64_t index = harness_side_index(&d->side);
        return d->phase == PHASE_ENDED && index > 0 && !d->side.filler ? index - 1
                                                                       : index;
    }
    return 0;
}

int duet_version(void)
{
    return DUET_VERSION;
}
