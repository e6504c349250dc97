#include "session/history/commit_verdict.h"

#include "session/history/history_name.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void commit_verdicts_release(struct commit_verdicts *verdicts)
{
    store_links_release(verdicts->links, verdicts->count);
    *verdicts = (struct commit_verdicts){0};
}

/* By new commit and benchmark, the newest first. */
static int compare_links(const void *a, const void *b)
{
    const struct store_link *first = a;
    const struct store_link *second = b;
    int order = strcmp(first->sides[MODEL_NEW].commit, second->sides[MODEL_NEW].commit);
    order = order != 0 ? order : strcmp(first->benchmark, second->benchmark);
    return order != 0 ? order
                      : (first->experiment < second->experiment) -
                            (first->experiment > second->experiment);
}

enum duet_code commit_verdicts_load(struct store *store, const char *benchmark,
                                    struct commit_verdicts *ret_verdicts,
                                    struct duet_error *reterr)
{
    struct commit_verdicts verdicts = {0};
    size_t unanswered = 0;
    enum duet_code code =
        store_links_load(store, &verdicts.links, &verdicts.count, &unanswered, reterr);
    if (code != DUET_OK) {
        return code;
    }
    bool exact = false;
    for (size_t i = 0; i < verdicts.count && benchmark != NULL; i++) {
        exact = exact || strcmp(verdicts.links[i].benchmark, benchmark) == 0;
    }
    for (size_t i = 0; i < verdicts.count; i++) {
        struct store_link link = verdicts.links[i];
        if (!link.sides[MODEL_NEW].changed && !link.sides[MODEL_OLD].changed &&
            history_name_chosen(benchmark, exact, link.benchmark)) {
            verdicts.links[i] = verdicts.links[verdicts.used];
            verdicts.links[verdicts.used++] = link;
        }
    }
    if (verdicts.used > 0) {
        qsort(verdicts.links, verdicts.used, sizeof *verdicts.links, compare_links);
    }
    *ret_verdicts = verdicts;
    return DUET_OK;
}

static int badness(enum model_verdict verdict)
{
    switch (verdict) {
    case MODEL_VERDICT_SLOWER:
        return 4;
    case MODEL_VERDICT_UNSURE:
        return 3;
    case MODEL_VERDICT_SAME:
        return 2;
    case MODEL_VERDICT_FASTER:
        return 1;
    case MODEL_VERDICT_IDENTICAL:
    case MODEL_VERDICT_FAILED:
    case MODEL_VERDICTS:
        break;
    }
    return 0;
}

static bool is_worse(const struct store_link *link, const struct commit_verdict *than)
{
    if (!than->known || badness(link->verdict) != badness(than->verdict)) {
        return !than->known || badness(link->verdict) > badness(than->verdict);
    }
    return fabs(log(link->ratio)) > fabs(log(than->ratio));
}

static size_t first_of(const struct commit_verdicts *verdicts, const char *hash)
{
    size_t low = 0;
    size_t high = verdicts->used;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = strcmp(verdicts->links[middle].sides[MODEL_NEW].commit, hash) < 0;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

/* Of those of one commit and benchmark, which are links[*at] and behind it; *at goes on
 * to the next. */
static const struct store_link *choose(const struct commit_verdicts *verdicts,
                                       const char *parent, size_t *at)
{
    const struct store_link *first = &verdicts->links[*at];
    const struct store_link *chosen = NULL;
    for (; *at < verdicts->used; ++*at) {
        const struct store_link *link = &verdicts->links[*at];
        if (strcmp(link->sides[MODEL_NEW].commit, first->sides[MODEL_NEW].commit) !=
                0 ||
            strcmp(link->benchmark, first->benchmark) != 0) {
            break;
        }
        if (chosen == NULL && parent != NULL &&
            strcmp(link->sides[MODEL_OLD].commit, parent) == 0) {
            chosen = link;
        }
    }
    return chosen != NULL ? chosen : first;
}

struct commit_verdict commit_verdicts_find(const struct commit_verdicts *verdicts,
                                           const char *hash, const char *parent)
{
    struct commit_verdict worst = {.known = false};
    size_t benchmarks = 0;
    size_t at = first_of(verdicts, hash);
    while (at < verdicts->used &&
           strcmp(verdicts->links[at].sides[MODEL_NEW].commit, hash) == 0) {
        const struct store_link *link = choose(verdicts, parent, &at);
        benchmarks++;
        if (is_worse(link, &worst)) {
            worst = (struct commit_verdict){.known = true,
                                            .verdict = link->verdict,
                                            .ratio = link->ratio,
                                            .low = link->low,
                                            .high = link->high,
                                            .base = link->sides[MODEL_OLD].commit};
        }
    }
    worst.others = benchmarks > 0 ? benchmarks - 1 : 0;
    return worst;
}
