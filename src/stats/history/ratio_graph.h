/* Levels from ratios: what is measured are ratios between two nodes (commits), and the
 * level of a node is the logarithm of its ratio to one reference. Along a chain it is
 * the sum of the logarithms. Where several paths lead to a node, the levels are those
 * with the smallest sum of squares (log_ratio - (level(to) - level(from)))^2 /
 * variance: generalised least squares for independent ratios, whose normal equations
 * are the graph's weighted Laplacian without the reference's row and column.
 *
 * Errors of the levels are correlated: those of a chain add up along it.
 *
 * Source: Searle 1971, "Linear Models", chapter 5 (the connected two-way layout);
 * factored by Cholesky's method within the envelope, George and Liu 1981, chapter 4,
 * which takes O(nodes) for a chain in order. */
#ifndef DUET_STATS_RATIO_GRAPH_H
#define DUET_STATS_RATIO_GRAPH_H

#include "base/error.h"

#include <stddef.h>

struct stats_ratio {
    size_t from;
    size_t to;
    double log_ratio; /* ln(to / from) */
    double variance;  /* of it, above 0 */
};

/* Into which pieces the ratios connect the nodes: ret_pieces[i] is the smallest node of
 * node i's piece. Errors: DUET_E_DOMAIN (a ratio of a node that is none). */
BASE_MUST_USE enum duet_code stats_ratio_pieces(const struct stats_ratio *ratios,
                                                size_t count, size_t nodes,
                                                size_t *ret_pieces,
                                                struct duet_error *reterr);

struct stats_ratio_graph;

/* The levels of the nodes that are connected with `reference`. *ret_graph:
 * stats_ratio_graph_free(). A ratio of a node to itself says nothing. Errors:
 * DUET_E_DOMAIN (a node that is none, a log ratio that is not finite, a variance that
 * is not above 0), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code stats_ratio_graph_new(const struct stats_ratio *ratios,
                                                   size_t count, size_t nodes,
                                                   size_t reference,
                                                   struct stats_ratio_graph **ret_graph,
                                                   struct duet_error *reterr);
void stats_ratio_graph_free(struct stats_ratio_graph *graph);

/* 0 of the reference; NaN: not connected with it. */
double stats_ratio_graph_level(const struct stats_ratio_graph *graph, size_t node);

/* The covariances of the levels of `count` nodes, which are connected with the
 * reference: ret_covariances[i * count + j] that of nodes[i] and nodes[j]. O(count^2 *
 * unknown levels). Errors: DUET_E_DOMAIN (a node that is not connected), DUET_E_NOMEM.
 */
BASE_MUST_USE enum duet_code
stats_ratio_graph_covariance(const struct stats_ratio_graph *graph, const size_t *nodes,
                             size_t count, double *ret_covariances,
                             struct duet_error *reterr);

#endif
