#include "base/text.h"

#include "base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool text_reserve(struct text *text, size_t more)
{
    if (text->failed || more > SIZE_MAX - text->length - 1) {
        text->failed = true;
        return false;
    }
    size_t need = text->length + more + 1;
    if (need > text->capacity) {
        size_t capacity = text->capacity < 64 ? 64 : text->capacity;
        while (capacity < need) {
            capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
        }
        char *bytes = alloc_resize(text->bytes, capacity, 1);
        if (bytes == NULL) {
            text->failed = true;
            return false;
        }
        text->bytes = bytes;
        text->capacity = capacity;
    }
    return true;
}

void text_append_n(struct text *text, const char *bytes, size_t length)
{
    if (text_reserve(text, length)) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
        text->bytes[text->length] = '\0';
    }
}

void text_append(struct text *text, const char *string)
{
    text_append_n(text, string, strlen(string));
}

void text_append_char(struct text *text, char c)
{
    if (text_reserve(text, 1)) {
        text->bytes[text->length++] = c;
        text->bytes[text->length] = '\0';
    }
}

void text_append_list(struct text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0) {
        text->failed = true;
    } else if (text_reserve(text, (size_t)n)) {
        (void)vsnprintf(text->bytes + text->length, (size_t)n + 1, format, again);
        text->length += (size_t)n;
    }
    va_end(again);
}

void text_append_format(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_append_list(text, format, args);
    va_end(args);
}

void text_append_quoted(struct text *text, const char *word)
{
    text_append_char(text, '\'');
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            text_append(text, "'\\''"); /* ends the quotes, and begins them again */
        } else {
            text_append_char(text, *word);
        }
    }
    text_append_char(text, '\'');
}

bool text_failed(const struct text *text)
{
    return text->failed;
}

const char *text_string(const struct text *text)
{
    return text->bytes == NULL ? "" : text->bytes;
}

char *text_take(struct text *text)
{
    char *bytes = NULL;
    if (!text->failed) {
        bytes = text->bytes != NULL ? text->bytes : alloc_string("");
        text->bytes = NULL;
    }
    text_release(text);
    return bytes;
}

void text_release(struct text *text)
{
    if (text != NULL) {
        free(text->bytes);
        *text = (struct text){0};
    }
}

/* Bytes of the character of UTF-8 that `lead` begins; 1 for what begins none. */
static size_t character_bytes(unsigned char lead)
{
    return lead >= 0xF5   ? 1
           : lead >= 0xF0 ? 4
           : lead >= 0xE0 ? 3
           : lead >= 0xC2 ? 2
                          : 1;
}

void text_mend(char *string)
{
    char *to = string;
    for (const char *at = string; *at != '\0';) {
        size_t wanted = character_bytes((unsigned char)*at);
        if (wanted == 1) {
            *to++ = *at++;
            continue;
        }
        size_t there = 1;
        while (there < wanted && ((unsigned char)at[there] & 0xC0U) == 0x80U) {
            there++;
        }
        if (there == wanted) {
            memmove(to, at, there);
            to += there;
        } else {
            *to++ = '?';
        }
        at += there;
    }
    *to = '\0';
}

void text_copy(char *field, size_t size, const char *string)
{
    size_t length = strlen(string);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)string[length] & 0xC0U) == 0x80U) {
            length--;
        }
    }
    memcpy(field, string, length);
    field[length] = '\0';
}

bool text_ends_with(const char *string, const char *ending)
{
    size_t length = strlen(string);
    size_t tail = strlen(ending);
    return length >= tail && strcmp(string + length - tail, ending) == 0;
}
