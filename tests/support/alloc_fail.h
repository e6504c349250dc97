/* Makes the n-th allocation of the code under test fail (linked with --wrap). */
#ifndef TESTS_SUPPORT_ALLOC_FAIL_H
#define TESTS_SUPPORT_ALLOC_FAIL_H

/* The n-th allocation from now on fails (1: the next one), once. 0: none fails. */
void alloc_fail_at(unsigned long n);
/* Allocations since the last alloc_fail_at(). */
unsigned long alloc_fail_seen(void);

#endif
