/* Texts that are compared with files of the tree. */
#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

static inline char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *bytes = calloc(1, 1 << 16);
    assert_non_null(bytes);
    size_t length = fread(bytes, 1, (1 << 16) - 1, file);
    bytes[length] = '\0';
    assert_int_equal(fclose(file), 0);
    return bytes;
}

/* Byte by byte against FOLDER/NAME; releases the text. */
static inline void assert_golden_in(struct text *text, const char *folder,
                                    const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_false(text_failed(text));
    if (getenv("DUET_UPDATE_GOLDEN") != NULL) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text_string(text), 1, text->length, file),
                         text->length);
        assert_int_equal(fclose(file), 0);
    }
    char *expected = read_whole(path);
    if (expected == NULL) {
        fail_msg("%s is missing; DUET_UPDATE_GOLDEN=1 writes it", path);
    }
    assert_string_equal(text_string(text), expected);
    free(expected);
    text_release(text);
}

#endif
