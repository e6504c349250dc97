/* A suite as its file says it: benchmarks with what belongs to them. Nothing in it is
 * put in for variables or parameters yet, and values of settings are text. Every string
 * is owned by the suite. */
#ifndef DUET_MODEL_SUITE_H
#define DUET_MODEL_SUITE_H

#include "model/gate_outcome.h"
#include "model/observation.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where it stands in the file; both from 1, 0: not in the file. */
struct model_position {
    uint64_t line;
    uint64_t column; /* in characters */
};

/* An option of `duet run` by its long name. Flags are "true" or "false". */
struct model_suite_setting {
    char *name;
    char *value;
    struct model_position position; /* of the value */
};

struct model_suite_settings {
    struct model_suite_setting *items;
    size_t count;
};

/* {NAME} in commands: a value for each side. */
struct model_suite_variable {
    char *name;
    char *values[MODEL_SIDES]; /* NULL: the side has none */
};

struct model_suite_variables {
    struct model_suite_variable *items;
    size_t count;
};

/* {NAME} in commands: one benchmark for each value. */
struct model_suite_parameter {
    char *name;
    char **values; /* NULL: those of scan */
    size_t count;
    char *scan[3]; /* from, to, step (NULL: 1) */
    struct model_position position;
};

struct model_suite_parameters {
    struct model_suite_parameter *items;
    size_t count;
};

/* What a benchmark that works yields. */
struct model_suite_check {
    bool given;
    unsigned exit_status;
    char *sha256;  /* of the output: 64 lower-case hexadecimal digits; NULL: any */
    char *matches; /* regular expression that a line matches; NULL: any */
    char *command; /* for /bin/sh; reads the output, ends with 0; NULL: none */
    char *file;    /* what counts as the output; NULL: standard output */
};

struct model_suite_benchmark {
    char *name;
    char *description; /* NULL: none */
    char *commands[MODEL_SIDES];
    bool one_command; /* both sides have the same: `command` */
    struct model_suite_variables variables;
    struct model_suite_parameters parameters;
    struct model_suite_check check;
    struct model_acceptance accept;
    struct model_suite_settings settings;
    struct model_position position;
};

struct model_suite {
    char *path; /* as given; for messages */
    char *name;
    char *description; /* NULL: none */
    char *setup;       /* for /bin/sh, before the first benchmark; NULL: none */
    char *cleanup;     /* after the last one, whatever happened; NULL: none */
    struct model_suite_variables variables;
    struct model_suite_parameters parameters; /* of every benchmark */
    struct model_suite_settings defaults;     /* of every benchmark */
    struct model_suite_benchmark *benchmarks;
    size_t count;
};

void model_suite_release(struct model_suite *suite);

#endif
