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

bool history_name_chosen(const char *pattern, bool exact, const char *name)
{
    return exact ? strcmp(pattern, name) == 0 : history_name_matches(pattern, name);
}
