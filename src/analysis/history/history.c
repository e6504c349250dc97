#include "analysis/history/history.h"

#include "analysis/history/history_series.h"
#include "analysis/history/link_choice.h"
#include "base/alloc.h"
#include "stats/gaussian.h"
#include "stats/history/ratio_graph.h"

#include <math.h>
#include <stdlib.h>

void analysis_history_release(struct analysis_history *history)
{
    free(history->commits);
    free(history->pieces);
    free(history->changes);
    free(history->vague);
    *history = (struct analysis_history){0};
}

static double quantile_of(double confidence)
{
    return stats_gaussian_quantile(0.5 + confidence / 2);
}

struct making {
    const struct analysis_history_options *options;
    const struct analysis_link *links;
    size_t link_count;
    const bool *on_line;
    struct link_choice choice;
    struct analysis_history history;
    size_t change_capacity;
};

static enum duet_code prepare(struct making *making, struct duet_error *reterr)
{
    struct analysis_history *history = &making->history;
    history->commits = alloc_array(history->count, sizeof *history->commits);
    history->pieces = alloc_array(history->count, sizeof *history->pieces);
    if (history->commits == NULL || history->pieces == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = link_choice_make(making->links, making->link_count,
                                           history->count, &making->choice, reterr);
    if (code == DUET_OK) {
        history->vague = making->choice.vague;
        history->vague_count = making->choice.vague_count;
        making->choice.vague = NULL;
    }
    return code;
}

/* Pieces in which at least two commits are connected, and one of them is on the line.
 */
static void find_pieces(struct making *making)
{
    struct analysis_history *history = &making->history;
    for (size_t i = 0; i < history->count; i++) {
        history->commits[i] = (struct analysis_commit){.piece = SIZE_MAX,
                                                       .ratio = (double)NAN,
                                                       .low = (double)NAN,
                                                       .high = (double)NAN};
    }
    for (size_t i = 0; i < history->count; i++) {
        size_t first = SIZE_MAX;
        size_t members = 0;
        size_t on_line = 0;
        for (size_t k = 0; making->choice.roots[i] == i && k < history->count; k++) {
            if (making->choice.roots[k] == i) {
                members++;
                on_line += making->on_line[k];
                first = making->on_line[k] && first == SIZE_MAX ? k : first;
            }
        }
        if (members < 2 || on_line == 0) {
            continue;
        }
        size_t asked = making->options->reference;
        bool here = asked < history->count && making->choice.roots[asked] == i;
        history->pieces[history->piece_count] = (struct analysis_piece){
            .reference = here ? asked : first, .commits = on_line};
        for (size_t k = i; k < history->count; k++) {
            if (making->choice.roots[k] == i) {
                history->commits[k].piece = history->piece_count;
            }
        }
        history->piece_count++;
    }
}

/* ---- One piece ---- */

/* Of one piece: its commits on the line. */
struct piece {
    size_t index;
    size_t *indices; /* in the history */
    double *levels;
    double *covariances;
    enum analysis_commit_kind *kinds;
    size_t count;
};

static void piece_release(struct piece *piece)
{
    free(piece->indices);
    free(piece->levels);
    free(piece->covariances);
    free(piece->kinds);
}

static enum duet_code piece_make(const struct making *making, size_t index,
                                 const struct stats_ratio_graph *graph,
                                 struct piece *piece, struct duet_error *reterr)
{
    const struct analysis_history *history = &making->history;
    size_t most = history->pieces[index].commits;
    piece->index = index;
    piece->indices = alloc_array(most, sizeof *piece->indices);
    piece->levels = alloc_array(most, sizeof *piece->levels);
    piece->kinds = alloc_array(most, sizeof *piece->kinds);
    piece->covariances = alloc_array(most, most * sizeof *piece->covariances);
    if (piece->indices == NULL || piece->levels == NULL || piece->kinds == NULL ||
        piece->covariances == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < history->count; i++) {
        if (history->commits[i].piece == index && making->on_line[i]) {
            piece->indices[piece->count] = i;
            piece->kinds[piece->count] = ANALYSIS_COMMIT_USUAL;
            piece->levels[piece->count++] = stats_ratio_graph_level(graph, i);
        }
    }
    return stats_ratio_graph_covariance(graph, piece->indices, piece->count,
                                        piece->covariances, reterr);
}

static void set_levels(struct making *making, const struct piece *piece)
{
    double z = quantile_of(making->options->confidence);
    for (size_t i = 0; i < piece->count; i++) {
        struct analysis_commit *commit = &making->history.commits[piece->indices[i]];
        double half = z * sqrt(piece->covariances[i * piece->count + i]);
        commit->kind = piece->kinds[i];
        commit->ratio = exp(piece->levels[i]);
        commit->low = exp(piece->levels[i] - half);
        commit->high = exp(piece->levels[i] + half);
    }
}

/* Whether a comparison of just these two says that it changed so. */
static bool beside(const struct making *making, size_t before, size_t at, bool slower)
{
    for (size_t i = 0; i < making->link_count; i++) {
        const struct analysis_link *link = &making->links[i];
        bool forward = link->from == before && link->to == at;
        bool backward = link->from == at && link->to == before;
        if (analysis_link_usable(link) && (forward || backward) &&
            (slower == forward ? link->low > 1 : link->high < 1)) {
            return true;
        }
    }
    return false;
}

/* The last commit before a split that is no spike: the first slow one may be one. */
static size_t last_before(const struct piece *piece, size_t split)
{
    size_t before = split - 1;
    while (before > 0 && piece->kinds[before] != ANALYSIS_COMMIT_USUAL) {
        before--;
    }
    return piece->indices[before];
}

static enum duet_code add_change(struct making *making, const struct piece *piece,
                                 const struct history_split *split,
                                 struct duet_error *reterr)
{
    struct analysis_history *history = &making->history;
    double z = quantile_of(making->options->confidence);
    struct analysis_change *changes =
        alloc_grow(history->changes, history->change_count, &making->change_capacity,
                   sizeof *changes);
    if (changes == NULL) {
        return error_no_memory(reterr);
    }
    size_t before = last_before(piece, split->at);
    size_t at = piece->indices[split->at];
    history->changes = changes;
    changes[history->change_count++] =
        (struct analysis_change){.before = before,
                                 .at = at,
                                 .piece = piece->index,
                                 .ratio = exp(split->step),
                                 .low = exp(split->step - z * split->sd),
                                 .high = exp(split->step + z * split->sd),
                                 .p_value = split->p_value,
                                 .beside = beside(making, before, at, split->step > 0)};
    return DUET_OK;
}

/* A piece's part of the error: its share of the commits in pieces that can have a
 * change. */
static double error_of(const struct making *making, const struct piece *piece)
{
    size_t commits = 0;
    for (size_t i = 0; i < making->history.piece_count; i++) {
        size_t of_piece = making->history.pieces[i].commits;
        commits += of_piece >= ANALYSIS_HISTORY_LEAST ? of_piece : 0;
    }
    return commits > 0 ? making->options->error * (double)piece->count / (double)commits
                       : making->options->error;
}

static enum duet_code find_changes(struct making *making, const struct piece *piece,
                                   struct duet_error *reterr)
{
    struct history_series series = {.options = making->options,
                                    .levels = piece->levels,
                                    .covariances = piece->covariances,
                                    .kinds = piece->kinds,
                                    .count = piece->count,
                                    .error = error_of(making, piece)};
    struct history_split *splits = NULL;
    size_t count = 0;
    enum duet_code code = history_series_split(&series, &splits, &count, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = add_change(making, piece, &splits[i], reterr);
    }
    free(splits);
    return code;
}

static enum duet_code answer_piece(struct making *making, size_t index,
                                   struct duet_error *reterr)
{
    struct stats_ratio_graph *graph = NULL;
    struct piece piece = {0};
    enum duet_code code = stats_ratio_graph_new(
        making->choice.ratios, making->choice.count, making->history.count,
        making->history.pieces[index].reference, &graph, reterr);
    if (code == DUET_OK) {
        code = piece_make(making, index, graph, &piece, reterr);
    }
    if (code == DUET_OK) {
        code = find_changes(making, &piece, reterr);
    }
    if (code == DUET_OK) {
        set_levels(making, &piece);
    }
    piece_release(&piece);
    stats_ratio_graph_free(graph);
    return code;
}

enum duet_code analysis_history_make(const struct analysis_link *links,
                                     size_t link_count, const bool *on_line,
                                     size_t count,
                                     const struct analysis_history_options *options,
                                     struct analysis_history *ret_history,
                                     struct duet_error *reterr)
{
    struct making making = {.options = options,
                            .links = links,
                            .link_count = link_count,
                            .on_line = on_line,
                            .history = {.count = count}};
    enum duet_code code = prepare(&making, reterr);
    if (code == DUET_OK) {
        find_pieces(&making);
    }
    for (size_t i = 0; i < making.history.piece_count && code == DUET_OK; i++) {
        code = answer_piece(&making, i, reterr);
    }
    link_choice_release(&making.choice);
    if (code != DUET_OK) {
        analysis_history_release(&making.history);
        return code;
    }
    *ret_history = making.history;
    return DUET_OK;
}
