#include "stats/history/ratio_graph.h"

#include "base/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static const size_t none = SIZE_MAX;

struct stats_ratio_graph {
    size_t nodes;
    size_t reference;
    size_t unknowns;
    size_t *unknown; /* of a node; `none`: not connected, or the reference */
    size_t *first;   /* of a row of the factor: its first column ... */
    size_t *begin;   /* ... and where in `factor` that is */
    double *factor;  /* lower triangle, by rows, each from its first column */
    double *levels;  /* by unknown */
};

/* ---- Pieces ---- */

static enum duet_code check_nodes(const struct stats_ratio *ratios, size_t count,
                                  size_t nodes, struct duet_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        if (ratios[i].from >= nodes || ratios[i].to >= nodes) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "ratio %zu is between nodes %zu and %zu of %zu", i,
                             ratios[i].from, ratios[i].to, nodes);
        }
    }
    return DUET_OK;
}

static size_t root_of(size_t *pieces, size_t node)
{
    while (pieces[node] != node) {
        pieces[node] = pieces[pieces[node]];
        node = pieces[node];
    }
    return node;
}

enum duet_code stats_ratio_pieces(const struct stats_ratio *ratios, size_t count,
                                  size_t nodes, size_t *ret_pieces,
                                  struct duet_error *reterr)
{
    enum duet_code code = check_nodes(ratios, count, nodes, reterr);
    if (code != DUET_OK) {
        return code;
    }
    for (size_t i = 0; i < nodes; i++) {
        ret_pieces[i] = i;
    }
    for (size_t i = 0; i < count; i++) {
        size_t a = root_of(ret_pieces, ratios[i].from);
        size_t b = root_of(ret_pieces, ratios[i].to);
        ret_pieces[a > b ? a : b] = a > b ? b : a;
    }
    for (size_t i = 0; i < nodes; i++) {
        ret_pieces[i] = root_of(ret_pieces, i);
    }
    return DUET_OK;
}

/* ---- The normal equations ---- */

void stats_ratio_graph_free(struct stats_ratio_graph *graph)
{
    if (graph != NULL) {
        free(graph->unknown);
        free(graph->first);
        free(graph->begin);
        free(graph->factor);
        free(graph->levels);
        free(graph);
    }
}

static enum duet_code check_values(const struct stats_ratio *ratios, size_t count,
                                   struct duet_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(ratios[i].log_ratio) || !isfinite(ratios[i].variance) ||
            !(ratios[i].variance > 0)) {
            return error_set(reterr, DUET_E_DOMAIN,
                             "ratio %zu or its variance is not a number", i);
        }
    }
    return DUET_OK;
}

/* Which nodes have a level to be found. */
static enum duet_code find_unknowns(const struct stats_ratio *ratios, size_t count,
                                    struct stats_ratio_graph *graph,
                                    struct duet_error *reterr)
{
    enum duet_code code =
        stats_ratio_pieces(ratios, count, graph->nodes, graph->unknown, reterr);
    size_t piece = code == DUET_OK ? graph->unknown[graph->reference] : 0;
    for (size_t i = 0; i < graph->nodes && code == DUET_OK; i++) {
        bool wanted = graph->unknown[i] == piece && i != graph->reference;
        graph->unknown[i] = wanted ? graph->unknowns++ : none;
    }
    return code;
}

static size_t later_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Columns before the first that a row shares a ratio with stay 0 in the factor. */
static enum duet_code find_envelope(const struct stats_ratio *ratios, size_t count,
                                    struct stats_ratio_graph *graph,
                                    struct duet_error *reterr)
{
    size_t total = 0;
    for (size_t i = 0; i < graph->unknowns; i++) {
        graph->first[i] = i;
    }
    for (size_t i = 0; i < count; i++) {
        size_t a = graph->unknown[ratios[i].from];
        size_t b = graph->unknown[ratios[i].to];
        if (a != none && b != none) {
            size_t row = later_of(a, b);
            size_t column = a + b - row;
            graph->first[row] = column < graph->first[row] ? column : graph->first[row];
        }
    }
    for (size_t i = 0; i < graph->unknowns; i++) {
        graph->begin[i] = total;
        total += i - graph->first[i] + 1;
    }
    graph->factor = alloc_array(total, sizeof *graph->factor);
    return graph->factor != NULL ? DUET_OK : error_no_memory(reterr);
}

static double *entry(const struct stats_ratio_graph *graph, size_t row, size_t column)
{
    return &graph->factor[graph->begin[row] + column - graph->first[row]];
}

static void add_ratios(const struct stats_ratio *ratios, size_t count,
                       struct stats_ratio_graph *graph)
{
    for (size_t i = 0; i < count; i++) {
        size_t from = graph->unknown[ratios[i].from];
        size_t to = graph->unknown[ratios[i].to];
        double weight = 1 / ratios[i].variance;
        if (ratios[i].from == ratios[i].to) {
            continue;
        }
        if (from != none) {
            *entry(graph, from, from) += weight;
            graph->levels[from] -= weight * ratios[i].log_ratio;
        }
        if (to != none) {
            *entry(graph, to, to) += weight;
            graph->levels[to] += weight * ratios[i].log_ratio;
        }
        if (from != none && to != none) {
            size_t row = later_of(from, to);
            *entry(graph, row, from + to - row) -= weight;
        }
    }
}

/* In place. The matrix is positive definite, since all its nodes are connected with the
 * reference; a pivot that rounding leaves at 0 is a level without any information. */
static void factorize(const struct stats_ratio_graph *graph)
{
    for (size_t i = 0; i < graph->unknowns; i++) {
        for (size_t j = graph->first[i]; j <= i; j++) {
            double sum = *entry(graph, i, j);
            size_t k = later_of(graph->first[i], graph->first[j]);
            for (; k < j; k++) {
                sum -= *entry(graph, i, k) * *entry(graph, j, k);
            }
            *entry(graph, i, j) =
                j == i ? sqrt(fmax(sum, 1e-300)) : sum / *entry(graph, j, j);
        }
    }
}

/* L x = b, in place. */
static void solve_forward(const struct stats_ratio_graph *graph, double *x)
{
    for (size_t i = 0; i < graph->unknowns; i++) {
        for (size_t k = graph->first[i]; k < i; k++) {
            x[i] -= *entry(graph, i, k) * x[k];
        }
        x[i] /= *entry(graph, i, i);
    }
}

/* L' x = b, in place. */
static void solve_backward(const struct stats_ratio_graph *graph, double *x)
{
    for (size_t i = graph->unknowns; i-- > 0;) {
        x[i] /= *entry(graph, i, i);
        for (size_t k = graph->first[i]; k < i; k++) {
            x[k] -= *entry(graph, i, k) * x[i];
        }
    }
}

static enum duet_code solve(const struct stats_ratio *ratios, size_t count,
                            struct stats_ratio_graph *graph, struct duet_error *reterr)
{
    graph->unknown = alloc_array(graph->nodes, sizeof *graph->unknown);
    graph->first = alloc_array(graph->nodes, sizeof *graph->first);
    graph->begin = alloc_array(graph->nodes, sizeof *graph->begin);
    graph->levels = alloc_array(graph->nodes, sizeof *graph->levels);
    if (graph->unknown == NULL || graph->first == NULL || graph->begin == NULL ||
        graph->levels == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = find_unknowns(ratios, count, graph, reterr);
    if (code == DUET_OK) {
        code = find_envelope(ratios, count, graph, reterr);
    }
    if (code == DUET_OK) {
        add_ratios(ratios, count, graph);
        factorize(graph);
        solve_forward(graph, graph->levels);
        solve_backward(graph, graph->levels);
    }
    return code;
}

enum duet_code stats_ratio_graph_new(const struct stats_ratio *ratios, size_t count,
                                     size_t nodes, size_t reference,
                                     struct stats_ratio_graph **ret_graph,
                                     struct duet_error *reterr)
{
    if (reference >= nodes) {
        return error_set(reterr, DUET_E_DOMAIN, "node %zu of %zu", reference, nodes);
    }
    enum duet_code code = check_values(ratios, count, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct stats_ratio_graph *graph = alloc_array(1, sizeof *graph);
    if (graph == NULL) {
        return error_no_memory(reterr);
    }
    graph->nodes = nodes;
    graph->reference = reference;
    code = solve(ratios, count, graph, reterr);
    if (code != DUET_OK) {
        stats_ratio_graph_free(graph);
        return code;
    }
    *ret_graph = graph;
    return DUET_OK;
}

/* ---- Answers ---- */

double stats_ratio_graph_level(const struct stats_ratio_graph *graph, size_t node)
{
    size_t at = graph->unknown[node];
    if (at != none) {
        return graph->levels[at];
    }
    return node == graph->reference ? 0 : (double)NAN;
}

/* Column `node` of the inverse of L; all 0 of the reference. */
static enum duet_code whiten(const struct stats_ratio_graph *graph, size_t node,
                             double *ret_column, struct duet_error *reterr)
{
    if (node >= graph->nodes ||
        (graph->unknown[node] == none && node != graph->reference)) {
        return error_set(reterr, DUET_E_DOMAIN, "node %zu is not connected", node);
    }
    for (size_t i = 0; i < graph->unknowns; i++) {
        ret_column[i] = i == graph->unknown[node];
    }
    solve_forward(graph, ret_column);
    return DUET_OK;
}

enum duet_code stats_ratio_graph_covariance(const struct stats_ratio_graph *graph,
                                            const size_t *nodes, size_t count,
                                            double *ret_covariances,
                                            struct duet_error *reterr)
{
    size_t size = graph->unknowns;
    double *columns = alloc_array(count, size * sizeof *columns);
    enum duet_code code = DUET_OK;
    if (columns == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = whiten(graph, nodes[i], columns + i * size, reterr);
        for (size_t j = 0; j <= i && code == DUET_OK; j++) {
            double sum = 0;
            for (size_t k = 0; k < size; k++) {
                sum += columns[i * size + k] * columns[j * size + k];
            }
            ret_covariances[i * count + j] = sum;
            ret_covariances[j * count + i] = sum;
        }
    }
    free(columns);
    return code;
}
