// link: duet_base
// memory-mib: 100
/* Regular expressions (base/pattern.h): what is not refused compiles within the limits
 * of limits.c, although regcomp() knows none. */

#include "base/pattern.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of the library's: a process for a trial takes as long as a hundred inputs,
 * so one of many has one. Without it the expression is refused. */
pid_t fork(void)
{
    enum { ONE_OF = 256 };
    static unsigned wanted;
    errno = EAGAIN;
    return wanted++ % ONE_OF == 0 ? _Fork() : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    regex_t regex;
    struct duet_error error = {0};
    char *text = calloc(size + 1, 1);
    if (text == NULL) {
        return 0;
    }
    memcpy(text, data, size);
    if (pattern_compile(text, &regex, &error) == DUET_OK) {
        regfree(&regex);
    } else if (error.message[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}
