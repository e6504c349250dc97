/* Which benchmarks of the two sides belong together. */
#include "formats/gather_private.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

void formats_match_release(struct formats_match *match)
{
    free(match->groups);
    for (int side = 0; side < MODEL_SIDES; side++) {
        text_release(&match->only[side]);
    }
    *match = (struct formats_match){.count = 0};
}

static size_t count_of(const struct formats_gather *gather, int side)
{
    size_t count = 0;
    for (size_t i = 0; i < gather->names.count; i++) {
        count += gather->groups[i].seen[side];
    }
    return count;
}

/* Of more names a message has the first ones and how many follow. */
enum { NAMES_MAX = 8 };

/* The names that a side has, in quotes; those that both have only where `all`. */
static void list(const struct formats_gather *gather, int side, bool all,
                 struct text *names)
{
    size_t listed = 0;
    for (size_t i = 0; i < gather->names.count; i++) {
        const struct gather_group *group = &gather->groups[i];
        if (group->seen[side] && (all || !group->seen[1 - side]) &&
            listed++ < NAMES_MAX) {
            text_append_format(names, "%s'%s'", names->length == 0 ? "" : ", ",
                               gather->names.names[i]);
        }
    }
    if (listed > NAMES_MAX) {
        text_append_format(names, " and %zu more", listed - NAMES_MAX);
    }
}

/* The first group that the side has; it has one. */
static size_t first_of(const struct formats_gather *gather, int side)
{
    size_t at = 0;
    while (!gather->groups[at].seen[side]) {
        at++;
    }
    return at;
}

/* Hands the values of one side over to a group that has none of that side. */
static enum duet_code absorb(struct gather_group *to, struct gather_group *from,
                             int side, struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < from->count && code == DUET_OK; i++) {
        struct gather_slot *slot = &from->slots[i];
        char *newline = strchr(slot->label, '\n');
        *newline = '\0';
        code = formats_gather_slot(to, slot->label, newline + 1, reterr);
        *newline = '\n';
        if (code == DUET_OK) {
            struct gather_slot *into = &to->slots[to->current];
            into->sides[side] = slot->sides[side];
            slot->sides[side] = (struct gather_column){.values = NULL};
            into->block = slot->has_block ? slot->block : into->block;
            into->has_block = into->has_block || slot->has_block;
        }
    }
    to->has_runs = to->has_runs || from->has_runs;
    to->has_iterations = to->has_iterations || from->has_iterations;
    to->beside = to->beside || from->beside;
    return code;
}

/* One comparison, of a group a side. */
static enum duet_code match_one(struct formats_gather *gather,
                                const size_t groups[MODEL_SIDES],
                                struct formats_match *match, struct duet_error *reterr)
{
    size_t to = groups[MODEL_OLD];
    size_t from = groups[MODEL_NEW];
    match->groups = alloc_array(1, sizeof *match->groups);
    if (match->groups == NULL) {
        return error_no_memory(reterr);
    }
    match->groups[0] = to;
    match->count = 1;
    gather->groups[to].renamed[MODEL_NEW] = gather->names.names[from];
    return to == from
               ? DUET_OK
               : absorb(&gather->groups[to], &gather->groups[from], MODEL_NEW, reterr);
}

static enum duet_code not_found(const struct formats_gather *gather, int side,
                                struct duet_error *reterr)
{
    struct text names = {0};
    list(gather, side, true, &names);
    enum duet_code code = error_set(
        reterr, DUET_E_NOT_FOUND, "%s has no benchmark '%.300s'; it holds %.600s",
        model_side_name((enum model_side)side), gather->wanted, text_string(&names));
    text_release(&names);
    return code;
}

/* A side whose file names no benchmark is of any. */
static enum duet_code match_wanted(struct formats_gather *gather,
                                   struct formats_match *match,
                                   struct duet_error *reterr)
{
    size_t groups[MODEL_SIDES] = {0, 0};
    for (int side = 0; side < MODEL_SIDES; side++) {
        size_t at = 0;
        while (at < gather->names.count &&
               (!gather->groups[at].seen[side] ||
                strcmp(gather->names.names[at], gather->wanted) != 0)) {
            at++;
        }
        size_t only = first_of(gather, side);
        bool unnamed =
            count_of(gather, side) == 1 && *gather->names.names[only] == '\0';
        if (at == gather->names.count && !unnamed) {
            return not_found(gather, side, reterr);
        }
        groups[side] = at < gather->names.count ? at : only;
    }
    return match_one(gather, groups, match, reterr);
}

static enum duet_code none_shared(const struct formats_gather *gather,
                                  struct duet_error *reterr)
{
    struct text names[MODEL_SIDES] = {{0}, {0}};
    for (int side = 0; side < MODEL_SIDES; side++) {
        list(gather, side, true, &names[side]);
    }
    enum duet_code code =
        error_set(reterr, DUET_E_FORMAT,
                  "no benchmark is on both sides: old holds %.300s; new holds %.300s",
                  text_string(&names[MODEL_OLD]), text_string(&names[MODEL_NEW]));
    for (int side = 0; side < MODEL_SIDES; side++) {
        text_release(&names[side]);
    }
    return code;
}

static enum duet_code match_several(const struct formats_gather *gather,
                                    struct formats_match *match,
                                    struct duet_error *reterr)
{
    match->several = true;
    match->groups = alloc_array(gather->names.count, sizeof *match->groups);
    for (int side = 0; side < MODEL_SIDES; side++) {
        list(gather, side, false, &match->only[side]);
    }
    if (match->groups == NULL || text_failed(&match->only[MODEL_OLD]) ||
        text_failed(&match->only[MODEL_NEW])) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < gather->names.count; i++) {
        const struct gather_group *group = &gather->groups[i];
        if (group->seen[MODEL_OLD] && group->seen[MODEL_NEW]) {
            match->groups[match->count++] = i;
        }
    }
    return match->count > 0 ? DUET_OK : none_shared(gather, reterr);
}

enum duet_code formats_gather_match(struct formats_gather *gather,
                                    struct formats_match *ret_match,
                                    struct duet_error *reterr)
{
    struct formats_match match = {.count = 0};
    enum duet_code code = DUET_OK;
    size_t counts[MODEL_SIDES];
    for (int side = 0; side < MODEL_SIDES; side++) {
        counts[side] = count_of(gather, side);
    }
    if (counts[MODEL_OLD] == 0 || counts[MODEL_NEW] == 0) {
        return error_set(
            reterr, DUET_E_TOO_FEW,
            counts[MODEL_OLD] + counts[MODEL_NEW] == 0 ? "there is no value at all"
                                                       : "the %s side has no value",
            model_side_name(counts[MODEL_OLD] == 0 ? MODEL_OLD : MODEL_NEW));
    }
    if (gather->wanted != NULL) {
        code = match_wanted(gather, &match, reterr);
    } else if (counts[MODEL_OLD] > 1 || counts[MODEL_NEW] > 1) {
        code = match_several(gather, &match, reterr);
    } else {
        const size_t groups[MODEL_SIDES] = {first_of(gather, MODEL_OLD),
                                            first_of(gather, MODEL_NEW)};
        code = match_one(gather, groups, &match, reterr);
    }
    if (code == DUET_OK) {
        *ret_match = match;
    } else {
        formats_match_release(&match);
    }
    return code;
}

const char *formats_gather_name(const struct formats_gather *gather, size_t group,
                                enum model_side side)
{
    const char *renamed = gather->groups[group].renamed[side];
    return renamed != NULL ? renamed : gather->names.names[group];
}
