/* What the code under test prints to standard error. */
#ifndef TESTS_SUPPORT_STANDARD_ERROR_H
#define TESTS_SUPPORT_STANDARD_ERROR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    int usual;
    FILE *file;
    char said[4096];
} standard_error;

/* From now on it is kept, and shown to nobody. */
static inline void standard_error_begin(void)
{
    (void)fflush(stderr);
    standard_error.usual = dup(STDERR_FILENO);
    standard_error.file = tmpfile();
    assert_true(standard_error.usual >= 0 && standard_error.file != NULL);
    assert_int_equal(dup2(fileno(standard_error.file), STDERR_FILENO), STDERR_FILENO);
}

/* All that it was, at most 4095 bytes; valid until the next begin. */
static inline const char *standard_error_end(void)
{
    (void)fflush(stderr);
    assert_int_equal(dup2(standard_error.usual, STDERR_FILENO), STDERR_FILENO);
    (void)close(standard_error.usual);
    rewind(standard_error.file);
    size_t length = fread(standard_error.said, 1, sizeof standard_error.said - 1,
                          standard_error.file);
    standard_error.said[length] = '\0';
    (void)fclose(standard_error.file);
    return standard_error.said;
}

#endif
