/* LAPACK's algebra of symmetric matrices, loaded when a computation asks for it: a
 * program that measures does not start with it (docs/decisions/0015-lapack.md). */
#ifndef DUET_STATS_LAPACK_H
#define DUET_STATS_LAPACK_H

#include "base/error.h"

/* Functions of LAPACKE, with its names and parameters. Matrices are by columns
 * (STATS_LAPACK_BY_COLUMNS), triangles the lower ones ('L'); each returns 0, or what is
 * wrong. They neither allocate nor check for NaN. */
struct stats_lapack {
    /* Cholesky's factor of a positive definite matrix in place; above 0: it is none. */
    int (*dpotrf)(int layout, char triangle, int n, double *matrix, int stride);
    /* Solves matrix * x = right sides, in place, with that factor. */
    int (*dpotrs)(int layout, char triangle, int n, int sides, const double *factor,
                  int stride, double *right, int right_stride);
    /* Solves triangle * x = right sides, in place. */
    int (*dtrtrs)(int layout, char triangle, char transposed, char unit_diagonal, int n,
                  int sides, const double *matrix, int stride, double *right,
                  int right_stride);
};

enum { STATS_LAPACK_BY_COLUMNS = 102 };

/* Loads liblapacke.so.3, once for the process, whose end unloads it. Errors:
 * DUET_E_UNSUITABLE (it is not installed). */
BASE_MUST_USE enum duet_code stats_lapack_load(struct stats_lapack *ret_lapack,
                                               struct duet_error *reterr);

#endif
