#include "base/error.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

BASE_PRINTF(2, 0)
static size_t message_format(struct duet_error *error, const char *format, va_list args)
{
    int n = vsnprintf(error->message, sizeof error->message, format, args);
    if (n < 0) {
        error->message[0] = '\0';
        return 0;
    }
    text_mend(error->message); /* names are cut, "%.60s", wherever they end */
    return strlen(error->message);
}

enum duet_code error_set(struct duet_error *reterr, enum duet_code code,
                         const char *format, ...)
{
    if (reterr != NULL) {
        struct duet_error error = {.code = code};
        va_list args;
        va_start(args, format);
        (void)message_format(&error, format, args);
        va_end(args);
        *reterr = error; /* last, so that an argument may point into *reterr */
    }
    return code;
}

enum duet_code error_no_memory(struct duet_error *reterr)
{
    return error_set(reterr, DUET_E_NOMEM, "out of memory");
}

enum duet_code error_set_errno(struct duet_error *reterr, enum duet_code code,
                               int errnum, const char *format, ...)
{
    if (reterr != NULL) {
        struct duet_error error = {.code = code};
        va_list args;
        va_start(args, format);
        size_t length = message_format(&error, format, args);
        va_end(args);
        char text[128];
        const char *shown = strerror_r(errnum, text, sizeof text); /* GNU variant */
        bool advised = errnum != EMFILE || strstr(error.message, "ulimit -n") != NULL;
        (void)snprintf(error.message + length, sizeof error.message - length, ": %s%s",
                       shown, advised ? "" : "; allow more with ulimit -n 1024");
        *reterr = error;
    }
    return code;
}
