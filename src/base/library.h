/* Functions of libraries that are loaded when they are needed. */
#ifndef DUET_BASE_LIBRARY_H
#define DUET_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The address of the function `name` of a library that dlopen() gave, into
 * *ret_function, a pointer to such a function, whose size is `size`. False: it has
 * none. */
bool library_function(void *handle, const char *name, void *ret_function, size_t size);

#endif
