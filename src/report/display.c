#include "report/display.h"

#include <stdint.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD, TEXT_COLUMNS_MIN = 24 };

struct range {
    uint32_t first;
    uint32_t last;
};

static const struct range zero_width[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
    {0x0610, 0x061A}, {0x064B, 0x065F}, {0x200B, 0x200D},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
static const struct range double_width[] = {
    {0x1100, 0x115F},  {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},  {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},  {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF},
    {0x20000, 0x3FFFD}};
/* Control characters, and the ones that reorder the text around them. */
static const struct range unsafe[] = {{0x00, 0x1F},     {0x7F, 0x9F},
                                      {0x200E, 0x200F}, {0x2028, 0x202E},
                                      {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};

static bool in_ranges(uint32_t code, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

#define IN(code, table) in_ranges(code, table, sizeof(table) / sizeof((table)[0]))

/* Decodes one character and returns its length in bytes, 1 to 4; 0: not well-formed
 * (Unicode 15, table 3-7: no overlong form, no surrogate, nothing above 10FFFF). The
 * NUL at the end stops it inside a cut sequence. */
static size_t decode(const char *string, uint32_t *ret_code)
{
    const unsigned char *s = (const unsigned char *)string;
    if (s[0] < 0x80) {
        *ret_code = s[0];
        return 1;
    }
    size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0xC2 || s[0] > 0xF4) {
        return 0;
    }
    uint32_t code = s[0] & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0U) != 0x80U) {
            return 0;
        }
        code = code << 6U | (s[i] & 0x3FU);
    }
    if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
        return 0;
    }
    *ret_code = code;
    return length;
}

/* Length of the character at `string`, an ill-formed byte counting as one, and its
 * width in columns. */
static size_t step(const char *string, size_t *ret_columns)
{
    uint32_t code = REPLACEMENT;
    size_t length = decode(string, &code);
    *ret_columns = IN(code, zero_width) ? 0 : IN(code, double_width) ? 2 : 1;
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

void display_append_utf8(struct text *text, const char *string)
{
    while (*string != '\0') {
        uint32_t code = 0;
        size_t length = decode(string, &code);
        if (length == 0) {
            append_replacement(text, true);
            length = 1;
        } else {
            text_append_n(text, string, length);
        }
        string += length;
    }
}

/* layout: line breaks and tabs stay. */
static void append_clean(struct text *text, const char *string, bool unicode,
                         bool layout)
{
    while (*string != '\0') {
        uint32_t code = 0;
        size_t length = decode(string, &code);
        if (code == '\n' || code == '\t' || code == '\r') {
            text_append_char(text, layout && code != '\r' ? *string : ' ');
        } else if (length == 0 || IN(code, unsafe) || (code >= 0x80 && !unicode)) {
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
