/* The kernel's wait queue for a 32-bit word that several processes map. */
#ifndef DUET_SYNC_FUTEX_H
#define DUET_SYNC_FUTEX_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while *word == expected, at most timeout_ns. Returns for any reason (woken,
 * value differs, timeout, signal): the caller looks at the word again. */
void futex_wait(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns);

/* Wakes everybody who sleeps on *word. */
void futex_wake_all(_Atomic uint32_t *word);

#endif
