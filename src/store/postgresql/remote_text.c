/* Bytes that are no UTF-8, which PostgreSQL does not take: command lines and file names
 * can hold them. Byte b, 0x80 and up, is sent as U+10FF00 + b, which in UTF-8 is F4 8F
 * BE b or F4 8F BF b-0x40. A text that has such a character itself has each of its
 * bytes sent like this, so that everything comes back as it was. */
#include "store/postgresql/remote_private.h"

#include <string.h>

static const unsigned char first_byte = 0xf4;
static const unsigned char second_byte = 0x8f;
enum { LOW_PART = 0xbe, HIGH_PART = 0xbf };

static bool is_tail(unsigned char byte)
{
    return (byte & 0xc0U) == 0x80U;
}

/* The length of the character of UTF-8 at the head of `s`; 0: there is none (RFC 3629,
 * section 4). */
static size_t character(const unsigned char *s, size_t length)
{
    size_t needed = s[0] < 0x80U   ? 1
                    : s[0] < 0xc2U ? 0
                    : s[0] < 0xe0U ? 2
                    : s[0] < 0xf0U ? 3
                    : s[0] < 0xf5U ? 4
                                   : 0;
    if (needed == 0 || needed > length) {
        return 0;
    }
    for (size_t i = 1; i < needed; i++) {
        if (!is_tail(s[i])) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xe0U && s[1] < 0xa0U) || (s[0] == 0xf0U && s[1] < 0x90U);
    bool surrogate = s[0] == 0xedU && s[1] > 0x9fU;
    bool beyond = s[0] == 0xf4U && s[1] > 0x8fU;
    return overlong || surrogate || beyond ? 0 : needed;
}

static bool is_mark(const unsigned char *s, size_t length)
{
    return length >= 4 && s[0] == first_byte && s[1] == second_byte &&
           (s[2] == LOW_PART || s[2] == HIGH_PART) && is_tail(s[3]);
}

void remote_text_send(const char *text, size_t length, struct text *to)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t from = 0;
    for (size_t at = 0; at < length;) {
        size_t size = character(s + at, length - at);
        if (size > 0 && !is_mark(s + at, length - at)) {
            at += size;
            continue;
        }
        text_append_n(to, text + from, at - from);
        bool low = s[at] < 0xc0U;
        const char mark[] = {(char)first_byte, (char)second_byte,
                             (char)(low ? LOW_PART : HIGH_PART),
                             (char)(low ? s[at] : s[at] - 0x40U)};
        text_append_n(to, mark, sizeof mark);
        from = ++at;
    }
    text_append_n(to, text + from, length - from);
}

size_t remote_text_fetch(char *text, size_t length)
{
    size_t kept = 0;
    for (size_t at = 0; at < length; kept++) {
        const unsigned char *s = (const unsigned char *)text + at;
        if (is_mark(s, length - at)) {
            text[kept] = (char)(s[2] == LOW_PART ? s[3] : s[3] + 0x40U);
            at += 4;
        } else {
            text[kept] = text[at++];
        }
    }
    return kept;
}
