/* FNV-1a with 64 bits (Fowler, Noll and Vo): a hash to find things by, or to tell them
 * apart where nobody wants them to be alike. */
#ifndef DUET_BASE_FNV_H
#define DUET_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

/* Of nothing. */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)

/* `hash` of what came before, with these bytes behind it. */
uint64_t fnv_add(uint64_t hash, const char *bytes, size_t length);
/* Of a string, without its end. */
uint64_t fnv_of(const char *text);

#endif
