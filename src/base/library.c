#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

void *library_load(const char *name, const char **ret_why)
{
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == NULL) {
        const char *why = dlerror();
        *ret_why = why == NULL ? "cannot load it" : why;
    }
    return handle;
}

bool library_function(void *handle, const char *name, void *ret_function, size_t size)
{
    void *found = dlsym(handle, name);
    if (found == NULL || size != sizeof found) {
        return false;
    }
    memcpy(ret_function, &found, size);
    return true;
}
