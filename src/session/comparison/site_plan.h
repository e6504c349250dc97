/* Which experiments make which page of a site. */
#ifndef DUET_SESSION_COMPARISON_SITE_PLAN_H
#define DUET_SESSION_COMPARISON_SITE_PLAN_H

#include "store/store.h"

/* One experiment. */
struct site_member {
    int64_t id;
    int64_t family; /* 0: it was judged alone */
    int64_t leader; /* the comparison that it is a control, a confirmation or a region
                       of; itself */
    int64_t started_utc_ms;
    char uuid[37];
    char *name;     /* of its benchmark */
    size_t history; /* number of that name, from 1, in alphabetical order */
    size_t page;
};

/* Members in the order of the pages: the newest page first, and on a page the first
 * measured one first. */
struct site_plan {
    struct site_member *members;
    size_t count;
    size_t page_count;
    size_t history_count;
    size_t
        left_out; /* experiments of the store that are no comparisons, or have no run */
};

/* The experiments that `which` names, with their controls, confirmations and regions
 * (count 0: all comparisons of the store). These share a page, and so do those of a
 * family. Errors: DUET_E_USAGE (a data set or a watch was named),
 * DUET_E_NOT_FOUND (no such one; nothing in the store), the store's. */
BASE_MUST_USE enum duet_code site_plan_make(struct store *store, char *const *which,
                                            size_t count, struct site_plan *ret_plan,
                                            struct duet_error *reterr);
void site_plan_release(struct site_plan *plan);

#endif
