#include "cli/help/wrap.h"

#include <string.h>

void wrap_print(FILE *stream, const char *text, size_t indent, size_t width)
{
    size_t column = indent;
    while (*text != '\0') {
        if (*text == '\n') {
            /* banned-ok: blanks, no text */
            (void)fprintf(stream, "\n%*s", text[1] == '\n' ? 0 : (int)indent, "");
            column = indent;
            text++;
            continue;
        }
        size_t length = strcspn(text, " \n");
        if (column > indent && column + 1 + length > width) {
            (void)fprintf(stream, "\n%*s", (int)indent, ""); /* banned-ok: blanks */
            column = indent;
        } else if (column > indent) {
            (void)fputc(' ', stream);
            column++;
        }
        (void)fwrite(text, 1, length, stream);
        column += length;
        text += length + (text[length] == ' ');
    }
    (void)fputc('\n', stream);
}
