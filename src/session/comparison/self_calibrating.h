/* Benchmarks that choose their own number of iterations. */
#ifndef DUET_SESSION_COMPARISON_SELF_CALIBRATING_H
#define DUET_SESSION_COMPARISON_SELF_CALIBRATING_H

/* What to do instead, where a command's words are those of one that measures for a
 * fixed time, however fast the code is (go test -bench, pytest-benchmark, cargo bench,
 * Google Benchmark): its duration says nothing about the code. NULL: it is none that is
 * known. */
const char *self_calibrating_advice(const char *const *words);

#endif
