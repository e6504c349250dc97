#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_function(void *handle, const char *name, void *ret_function, size_t size)
{
    void *found = dlsym(handle, name);
    if (found == NULL || size != sizeof found) {
        return false;
    }
    memcpy(ret_function, &found, size);
    return true;
}
