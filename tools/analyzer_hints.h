/* What the analyzers of clang and gcc cannot see, as they read one file at a time:
 * error_set() returns the code that it was given, so that after `return error_set(...,
 * DUET_E_X, ...)` a caller's `code == DUET_OK` is false. Included by tools/check-tidy
 * and tools/check-analyzer, nowhere else. */
#ifndef TOOLS_ANALYZER_HINTS_H
#define TOOLS_ANALYZER_HINTS_H

#include "base/error.h"

/* NOLINTNEXTLINE(readability-identifier-naming) */
#define error_set(reterr, code, ...) \
    ((void)error_set((reterr), (code), __VA_ARGS__), (code))
/* NOLINTNEXTLINE(readability-identifier-naming) */
#define error_set_errno(reterr, code, errnum, ...) \
    ((void)error_set_errno((reterr), (code), (errnum), __VA_ARGS__), (code))
/* NOLINTNEXTLINE(readability-identifier-naming) */
#define error_no_memory(reterr) ((void)error_no_memory(reterr), DUET_E_NOMEM)

#endif
