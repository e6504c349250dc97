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

/* advice: added behind the reason. */
BASE_PRINTF(5, 0)
static enum duet_code set_reason(struct duet_error *reterr, enum duet_code code,
                                 int errnum, const char *advice, const char *format,
                                 va_list args)
{
    if (reterr != NULL) {
        struct duet_error error = {.code = code};
        size_t length = message_format(&error, format, args);
        char text[128];
        const char *shown = strerror_r(errnum, text, sizeof text); /* GNU variant */
        bool advised = errnum == EMFILE && strstr(error.message, "ulimit -n") != NULL;
        (void)snprintf(error.message + length, sizeof error.message - length, ": %s%s",
                       shown, advised ? "" : advice);
        *reterr = error;
    }
    return code;
}

static const char *advice_of(int errnum)
{
    return errnum == EMFILE ? "; allow more with ulimit -n 1024" : "";
}

enum duet_code error_set_errno(struct duet_error *reterr, enum duet_code code,
                               int errnum, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)set_reason(reterr, code, errnum, advice_of(errnum), format, args);
    va_end(args);
    return code;
}

enum duet_code error_set_start(struct duet_error *reterr, int errnum,
                               const char *format, ...)
{
    const char *advice = errnum == EAGAIN
                             ? "; end other processes, or allow more with ulimit -u"
                             : advice_of(errnum);
    va_list args;
    va_start(args, format);
    (void)set_reason(reterr, DUET_E_SYSTEM, errnum, advice, format, args);
    va_end(args);
    return DUET_E_SYSTEM;
}
