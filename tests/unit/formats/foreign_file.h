/* Files for the tests of formats: text in memory, read and gathered. */
#ifndef TESTS_UNIT_FORMATS_FOREIGN_FILE_H
#define TESTS_UNIT_FORMATS_FOREIGN_FILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/gather.h"
#include "formats/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Named "f"; the text must live as long. */
static inline struct formats_source *file_of(const char *text)
{
    FILE *file = tmpfile();
    struct formats_source *source = NULL;
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    rewind(file);
    assert_int_equal(formats_source_of(file, "f", &source, NULL), DUET_OK);
    return source;
}

static inline struct formats_gather *gather_new(void)
{
    struct formats_gather *gather = NULL;
    assert_int_equal(formats_gather_new(&gather, NULL), DUET_OK);
    return gather;
}

/* Values of both sides of run `run`, as text: "1.5 2 | 3". */
static inline const char *run_text(const struct formats_data *data, size_t run)
{
    static char text[512];
    size_t length = 0;
    text[0] = '\0';
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct model_run_values *values = &data->values.runs[run];
        for (size_t i = 0; i < values->counts[side]; i++) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%.12g",
                                       i == 0 ? "" : " ", values->values[side][i]);
        }
        length += (size_t)snprintf(text + length, sizeof text - length, "%s",
                                   side == MODEL_OLD ? " | " : "");
    }
    return text;
}

#endif
