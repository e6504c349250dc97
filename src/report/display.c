#include "report/display.h"

#include "json/utf8.h"

#include <string.h>
#include <utf8proc.h>

enum { TEXT_COLUMNS_MIN = 24 };

struct range {
    int32_t first;
    int32_t last;
};

/* Control characters, and the ones that reorder the text around them. */
static const struct range unsafe[] = {{0x00, 0x1F},     {0x7F, 0x9F},
                                      {0x200E, 0x200F}, {0x2028, 0x202E},
                                      {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};

static bool is_unsafe(int32_t code)
{
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++) {
        if (code >= unsafe[i].first && code <= unsafe[i].last) {
            return true;
        }
    }
    return false;
}

/* Length of the character at `string`, an ill-formed byte counting as one, and its
 * width in columns. */
static size_t step(const char *string, size_t *ret_columns)
{
    int32_t code = 0;
    size_t length = utf8_decode(string, &code);
    *ret_columns = length == 0 ? 1 : (size_t)utf8proc_charwidth(code);
    return length == 0 ? 1 : length;
}

size_t display_columns(const char *string)
{
    size_t total = 0;
    while (*string != '\0') {
        size_t columns = 0;
        string += step(string, &columns);
        total += columns;
    }
    return total;
}

void display_drop(struct text *text, struct text *part)
{
    text->failed = text->failed || text_failed(part);
    text_release(part);
}

static void append_replacement(struct text *text, bool unicode)
{
    text_append(text, unicode ? "\xEF\xBF\xBD" : "?");
}

/* layout: line breaks and tabs stay. */
static void append_clean(struct text *text, const char *string, bool unicode,
                         bool layout)
{
    while (*string != '\0') {
        int32_t code = 0;
        size_t length = utf8_decode(string, &code);
        if (code == '\n' || code == '\t' || code == '\r') {
            text_append_n(text, layout && code != '\r' ? string : " ", 1);
        } else if (length == 0 || is_unsafe(code) || (code >= 0x80 && !unicode)) {
            append_replacement(text, unicode);
        } else {
            text_append_n(text, string, length);
        }
        string += length == 0 ? 1 : length;
    }
}

void display_append_clean(struct text *text, const char *string, bool unicode)
{
    append_clean(text, string, unicode, false);
}

void display_append_message(struct text *text, const char *string, bool unicode)
{
    append_clean(text, string, unicode, true);
}

size_t display_clean_columns(const char *string)
{
    size_t total = 0;
    while (*string != '\0') {
        int32_t code = 0;
        size_t length = utf8_decode(string, &code);
        total += length == 0 || is_unsafe(code) ? 1 : (size_t)utf8proc_charwidth(code);
        string += length == 0 ? 1 : length;
    }
    return total;
}

/* Bytes of the longest beginning of `string` that fits into `columns`. */
static size_t head_bytes(const char *string, size_t columns)
{
    size_t bytes = 0;
    while (string[bytes] != '\0') {
        size_t width = 0;
        size_t length = step(string + bytes, &width);
        if (width > columns) {
            break;
        }
        columns -= width;
        bytes += length;
    }
    return bytes;
}

void display_append_name(struct text *text, const char *name, size_t columns,
                         bool unicode)
{
    struct text clean = {0};
    display_append_clean(&clean, name, unicode);
    const char *string = text_string(&clean);
    size_t total = display_columns(string);
    const char *mark = unicode ? "…" : "...";
    size_t mark_columns = display_columns(mark);
    if (columns == 0 || total <= columns) {
        text_append(text, string);
    } else if (columns <= mark_columns) {
        text_append_n(text, string, head_bytes(string, columns));
    } else {
        size_t kept = columns - mark_columns;
        size_t tail_columns = kept / 2;
        text_append_n(text, string, head_bytes(string, kept - tail_columns));
        text_append(text, mark);
        size_t skip = head_bytes(string, total - tail_columns);
        /* A wide character across the cut belongs to the left of it. */
        while (display_columns(string + skip) > tail_columns) {
            size_t width = 0;
            skip += step(string + skip, &width);
        }
        text_append(text, string + skip);
    }
    display_drop(text, &clean);
}

void display_pad(struct text *text, const char *string, size_t columns)
{
    for (size_t i = display_columns(string); i < columns && !text_failed(text); i++) {
        text_append_char(text, ' ');
    }
}

void display_append_painted(struct text *text, const struct report_style *style,
                            enum display_paint paint, const char *string)
{
    static const char *const codes[] = {[DISPLAY_PLAIN] = "",
                                        [DISPLAY_WORSE] = "\033[1;31m",
                                        [DISPLAY_BETTER] = "\033[1;32m",
                                        [DISPLAY_STRONG] = "\033[1m",
                                        [DISPLAY_DIM] = "\033[2m"};
    bool painted = style->color && paint != DISPLAY_PLAIN && *string != '\0';
    text_append(text, painted ? codes[paint] : "");
    text_append(text, string);
    text_append(text, painted ? "\033[0m" : "");
}

static void append_spaces(struct text *text, size_t count)
{
    display_pad(text, "", count);
}

/* Bytes of the next line of `body`, broken between words where it can be: a word that
 * is too long by itself (a path) gets a line of its own and is not torn. */
static size_t line_bytes(const char *body, size_t columns)
{
    size_t length = strlen(body);
    size_t fits = columns == 0 ? length : head_bytes(body, columns);
    if (fits == length || body[fits] == ' ') {
        return fits;
    }
    size_t cut = fits;
    while (cut > 0 && body[cut] != ' ') {
        cut--;
    }
    return cut > 0 ? cut : fits + strcspn(body + fits, " ");
}

void display_append_paragraph(struct text *text, const struct report_style *style,
                              enum display_paint paint, size_t indent, const char *lead,
                              const char *body)
{
    struct text clean = {0};
    struct text line = {0};
    display_append_clean(&clean, body, style->unicode);
    size_t hang = indent + display_columns(lead) + (*lead == '\0' ? 0 : 1);
    size_t columns = 0;
    if (style->width != 0) {
        columns = style->width > hang + TEXT_COLUMNS_MIN ? style->width - hang
                                                         : TEXT_COLUMNS_MIN;
    }
    append_spaces(text, indent);
    display_append_painted(text, style, DISPLAY_STRONG, lead);
    append_spaces(text, *lead == '\0' ? 0 : 1);
    for (const char *rest = text_string(&clean);;) {
        size_t bytes = line_bytes(rest, columns);
        text_release(&line);
        text_append_n(&line, rest, bytes);
        display_append_painted(text, style, paint, text_string(&line));
        text_append_char(text, '\n');
        rest += bytes + strspn(rest + bytes, " ");
        if (*rest == '\0' || text_failed(&line)) {
            break;
        }
        append_spaces(text, hang);
    }
    display_drop(text, &line);
    display_drop(text, &clean);
}
