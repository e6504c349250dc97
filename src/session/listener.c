#include "session/listener.h"

#include "base/text.h"

#include <stdarg.h>

__attribute__((format(printf, 3, 0))) static void
notice(const struct listener *listener, bool warning, const char *format, va_list args)
{
    struct text line = {0};
    text_append_list(&line, format, args);
    listener->notice(listener->context, warning, text_string(&line));
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
