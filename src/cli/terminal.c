#include "cli/terminal.h"

#include "base/text.h"
#include "report/display.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

static bool is_dumb(void)
{
    const char *term = getenv("TERM");
    return term != NULL && strcmp(term, "dumb") == 0;
}

bool terminal_redraws(FILE *stream)
{
    return terminal_is(stream) && !is_dumb();
}

size_t terminal_width(FILE *stream)
{
    struct winsize size;
    if (!terminal_is(stream) || ioctl(fileno(stream), TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

bool terminal_is_utf8(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && *value != '\0') {
            return strcasestr(value, "utf-8") != NULL ||
                   strcasestr(value, "utf8") != NULL;
        }
    }
    return false;
}

/* What takes no memory. */
static void print_ascii(const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        (void)putchar(*c >= ' ' && *c <= '~' ? *c : '?');
    }
}

void terminal_print_clean(const char *before, const char *name, const char *after)
{
    struct text clean = {0};
    display_append_clean(&clean, name, terminal_is_utf8());
    if (text_failed(&clean)) {
        (void)fputs(before, stdout);
        print_ascii(name);
        (void)fputs(after, stdout);
    } else {
        (void)printf("%s%s%s", before, text_string(&clean), after);
    }
    text_release(&clean);
}

bool terminal_has_color(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR");
    bool refused =
        (no_color != NULL && *no_color != '\0') || getenv("TERM") == NULL || is_dumb();
    return !refused && terminal_is(stream);
}
