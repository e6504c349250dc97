#include "session/self.h"

#include "base/alloc.h"

#include <limits.h>
#include <unistd.h>

char *self_path(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length <= 0 || (size_t)length == sizeof path
               ? NULL
               : alloc_string_n(path, (size_t)length);
}
