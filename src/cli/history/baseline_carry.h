/* What the options of baselines ask for, once something is measured. */
#ifndef DUET_CLI_BASELINE_CARRY_H
#define DUET_CLI_BASELINE_CARRY_H

#include "cli/options/baseline_option.h"
#include "cli/output.h"

/* Whether they can be done at all, before an hour is spent on measuring. store: as
 * --store says. Errors: DUET_E_USAGE (no such baseline; a store that is not kept), and
 * the store's. */
BASE_MUST_USE enum duet_code baseline_check(const struct baseline_options *options,
                                            const char *store,
                                            struct duet_error *reterr);

/* Compares the answers' experiments with their baselines, shows that on the terminal
 * (unless an export of `output` goes to standard output) and judges their gates; then
 * saves them. status: so far; the worse one is returned. */
int baseline_carry(const struct baseline_options *options,
                   const struct output_options *output, struct store *store,
                   const struct answer *answers, size_t count, int status);

/* The first half alone, with the exports of `output`; returns the gates' status. */
int baseline_compare(const struct baseline_options *options,
                     const struct output_options *output, struct store *store,
                     const int64_t *experiments, size_t count);

#endif
