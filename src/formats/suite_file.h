/* Suites: YAML files that say which benchmarks to run and how (docs/suite.md). */
#ifndef DUET_FORMATS_SUITE_FILE_H
#define DUET_FORMATS_SUITE_FILE_H

#include "base/error.h"
#include "model/suite.h"

#include <stddef.h>

enum { FORMATS_SUITE_BYTES_MAX = 1 << 20, FORMATS_SUITE_BENCHMARKS_MAX = 1000 };

/* Reads and checks a suite's file, "-" for standard input; values of settings are left
 * to whoever carries them out. *ret_suite: model_suite_release(). Errors:
 * DUET_E_FORMAT ("FILE:LINE:COLUMN: benchmarks[2].runs: ..."), DUET_E_NOT_FOUND,
 * DUET_E_IO, DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_suite_read(const char *path,
                                                struct model_suite *ret_suite,
                                                struct duet_error *reterr);

/* The same of bytes[0..length); `path` names them. */
BASE_MUST_USE enum duet_code formats_suite_parse(const char *bytes, size_t length,
                                                 const char *path,
                                                 struct model_suite *ret_suite,
                                                 struct duet_error *reterr);

#endif
