/* Written by tests/oracle/gaussian_process_reference.py; do not edit.
 * numpy 1.24.2. */
#ifndef TESTS_UNIT_STATS_GAUSSIAN_PROCESS_REFERENCE_H
#define TESTS_UNIT_STATS_GAUSSIAN_PROCESS_REFERENCE_H

/* clang-format off */

static const double reference_points[] = {0.0, 0.1, 0.2, 0.9, 0.5, 0.4, 0.8, 0.7, 1.0, 0.0};
static const double reference_values[] = {1.2, 0.7, 2.1, 1.6, 3.0};
static const double reference_questions[] = {0.5, 0.5, 0.2, 0.9, 3.0, -2.0};

/* {lengths, noise, log likelihood, means, variances}. */
static const double reference_processes[][10] = {
    {0.7, 1.3, 0.0, -6.373721047732446, 1.9031160516820793, 0.6999999999999998, 1.5066575521508312, 0.004907486680741923, 0.0, 2.6819583610230002},
    {0.7, 1.3, 0.05, -6.2013904010281475, 1.788684337790165, 0.7933490457065627, 1.6274474972138044, 0.047439217062927315, 0.05779527141656059, 2.1324682689535823},
    {2.0, 0.4, 0.001, -7.433221003799083, 2.029020198269378, 0.7018461482372347, 1.6545903803306903, 0.0647725422875726, 0.0021834618002660334, 3.331986824171362},
};

#endif
