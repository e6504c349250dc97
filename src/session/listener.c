#include "session/listener.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 3, 0))) static void
notice(const struct listener *listener, bool warning, const char *format, va_list args)
{
    if (listener == NULL) {
        return;
    }
    struct text line = {0};
    char cut[1200]; /* where there is no memory for it */
    va_list again;
    va_copy(again, args);
    text_append_list(&line, format, args);
    (void)vsnprintf(cut, sizeof cut, format, again);
    listener->notice(listener->context, warning,
                     text_failed(&line) ? cut : text_string(&line));
    va_end(again);
    text_release(&line);
}

void listener_tell(const struct listener *listener, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    notice(listener, false, format, args);
    va_end(args);
}

void listener_warn(const struct listener *listener, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    notice(listener, true, format, args);
    va_end(args);
}
