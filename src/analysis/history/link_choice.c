#include "analysis/history/link_choice.h"

#include "base/alloc.h"
#include "stats/gaussian.h"
#include "stats/rank/order.h"

#include <math.h>
#include <stdlib.h>

/* What a coarse clock may have for no spread at all. */
static const double least_sd = 1e-6;
/* So many times the median width is vague. */
static const double vague_times = 5.0;

void link_choice_release(struct link_choice *choice)
{
    free(choice->ratios);
    free(choice->roots);
    free(choice->vague);
    *choice = (struct link_choice){0};
}

/* An interval's width as that of a normal error: of one that is valid at every look,
 * which is wider, the levels' intervals are wider, too. */
static double sd_of(const struct analysis_link *link)
{
    double width = log(link->high) - log(link->low);
    double quantile = stats_gaussian_quantile(0.5 + link->confidence / 2);
    return fmax(width / (2 * quantile), least_sd);
}

static struct stats_ratio ratio_of(const struct analysis_link *link)
{
    double sd = sd_of(link);
    return (struct stats_ratio){.from = link->from,
                                .to = link->to,
                                .log_ratio = log(link->ratio),
                                .variance = sd * sd};
}

static bool is_vague(const struct analysis_link *link, double median_sd)
{
    return link->low < 1 && link->high > 1 && sd_of(link) > vague_times * median_sd;
}

/* The usable links: the precise ones become ratios, the others are kept as vague. */
static enum duet_code part(const struct analysis_link *links, size_t link_count,
                           struct link_choice *choice, struct duet_error *reterr)
{
    const double half = 0.5;
    size_t usable = 0;
    double median = (double)INFINITY;
    double *sds = alloc_array(link_count, sizeof *sds);
    if (sds == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < link_count; i++) {
        bool measured = links[i].high > links[i].low; /* or known to be equal */
        if (analysis_link_usable(&links[i]) && measured) {
            sds[usable++] = sd_of(&links[i]);
        }
    }
    enum duet_code code =
        usable == 0 ? DUET_OK
                    : stats_quantiles_type7(sds, usable, &half, 1, &median, reterr);
    free(sds);
    for (size_t i = 0; i < link_count && code == DUET_OK; i++) {
        if (!analysis_link_usable(&links[i])) {
            continue;
        }
        if (is_vague(&links[i], median)) {
            choice->vague[choice->vague_count++] = links[i];
        } else {
            choice->ratios[choice->count++] = ratio_of(&links[i]);
        }
    }
    return code;
}

static bool is_alone(const struct link_choice *choice, size_t commits, size_t commit)
{
    size_t members = 0;
    for (size_t i = 0; i < commits; i++) {
        members += choice->roots[i] == choice->roots[commit];
    }
    return members < 2;
}

/* Takes those vague links that connect nothing but a single commit, or no more than is
 * connected. */
static enum duet_code take_harmless(struct link_choice *choice, size_t commits,
                                    struct duet_error *reterr)
{
    enum duet_code code = stats_ratio_pieces(choice->ratios, choice->count, commits,
                                             choice->roots, reterr);
    size_t left = 0;
    for (size_t i = 0; i < choice->vague_count && code == DUET_OK; i++) {
        struct analysis_link link = choice->vague[i];
        if (link.from >= commits || link.to >= commits) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "a comparison is of commits %zu and %zu of %zu", link.from,
                             link.to, commits);
        }
        bool joins = choice->roots[link.from] != choice->roots[link.to];
        if (joins && !is_alone(choice, commits, link.from) &&
            !is_alone(choice, commits, link.to)) {
            choice->vague[left++] = link;
            continue;
        }
        choice->ratios[choice->count++] = ratio_of(&link);
        code = joins ? stats_ratio_pieces(choice->ratios, choice->count, commits,
                                          choice->roots, reterr)
                     : DUET_OK;
    }
    choice->vague_count = left;
    return code;
}

enum duet_code link_choice_make(const struct analysis_link *links, size_t link_count,
                                size_t commits, struct link_choice *ret_choice,
                                struct duet_error *reterr)
{
    struct link_choice choice = {
        .ratios = alloc_array(link_count, sizeof *choice.ratios),
        .roots = alloc_array(commits, sizeof *choice.roots),
        .vague = alloc_array(link_count, sizeof *choice.vague)};
    enum duet_code code =
        choice.ratios == NULL || choice.roots == NULL || choice.vague == NULL
            ? error_no_memory(reterr)
            : part(links, link_count, &choice, reterr);
    if (code == DUET_OK) {
        code = take_harmless(&choice, commits, reterr);
    }
    if (code != DUET_OK) {
        link_choice_release(&choice);
        return code;
    }
    *ret_choice = choice;
    return DUET_OK;
}
