/* What a YAML file may be before a tree is made of it. */
#ifndef DUET_FORMATS_YAML_LIMITS_H
#define DUET_FORMATS_YAML_LIMITS_H

#include "base/error.h"

#include <stddef.h>
#include <yaml.h>

/* libyaml's time grows with the square of the depth and of the anchors; a node takes a
 * hundred bytes. */
enum { YAML_DEPTH_MAX = 20, YAML_ANCHORS_MAX = 1000, YAML_NODES_MAX = 200000 };

/* Looks through bytes[0..length) once. Errors, with the file's `name` and the place:
 * DUET_E_FORMAT (no YAML; above a limit), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code yaml_limits_check(const char *bytes, size_t length,
                                               const char *name,
                                               struct duet_error *reterr);

/* The error at which the parser has stopped: DUET_E_FORMAT, DUET_E_NOMEM. */
enum duet_code yaml_syntax_error(const yaml_parser_t *parser, const char *name,
                                 struct duet_error *reterr);

#endif
