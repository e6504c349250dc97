/* Functions of libraries that are loaded when they are needed. */
#ifndef DUET_BASE_LIBRARY_H
#define DUET_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* Loads a library by its name, for dlclose(). What was found in it stays valid behind
 * that, as does what its own libraries set up: threads, say. NULL: it cannot be loaded,
 * and *ret_why says why, until the next call. */
void *library_load(const char *name, const char **ret_why);

/* The address of the function `name` of a library that was loaded, into
 * *ret_function, a pointer to such a function, whose size is `size`. False: it has
 * none. */
bool library_function(void *handle, const char *name, void *ret_function, size_t size);

#endif
