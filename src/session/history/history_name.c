#include "session/history/history_name.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

bool history_name_matches(const char *pattern, const char *name)
{
    if (pattern == NULL) {
        return true;
    }
    return strpbrk(pattern, "*?[") != NULL ? fnmatch(pattern, name, 0) == 0
                                           : strstr(name, pattern) != NULL;
}
