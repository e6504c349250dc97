/* Text into files. A file is written under another name and then renamed, so that a
 * reader never sees half of one. */
#ifndef DUET_BASE_FILE_H
#define DUET_BASE_FILE_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* Whether a path is standard output: "-", /dev/stdout, /dev/fd/1, /proc/self/fd/1. NULL
 * is not. */
bool file_is_stdout(const char *path);
/* The same, or standard error likewise: written to as it is, whatever it leads to. */
bool file_is_standard(const char *path);

/* The code of an errno value with which a file that the user has named cannot be opened
 * to read it: DUET_E_NOT_FOUND where another name would help. */
enum duet_code file_input_code(int errnum);

/* Opens a regular file to read it, and waits for nobody, as opening a named pipe would.
 * Errors: DUET_E_NOT_FOUND, DUET_E_IO (also: it is something else). */
BASE_MUST_USE enum duet_code file_open_plain(const char *path, int *ret_fd,
                                             struct duet_error *reterr);

enum { FILE_IDENTITY_BYTES = 48 };
/* What tells a file or a folder from all others, by whichever path it was found. */
void file_identity(const struct stat *status, char ret_identity[FILE_IDENTITY_BYTES]);

/* A file that is written piece by piece; nothing of it is seen before file_close(). */
struct file_output {
    const char *path; /* as it was given; borrowed */
    char *temporary;  /* NULL: into what is there */
    bool unnamed;     /* `temporary` is not there before the end: whoever is killed
                         leaves nothing */
    FILE *file;
};
/* path: also standard output ("-", /dev/stdout) and standard error (/dev/stderr), which
 * are written to as they are, like anything that is no regular file. Errors: DUET_E_IO
 * (says the path), DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code file_open(const char *path, struct file_output *ret_output,
                                       struct duet_error *reterr);
BASE_MUST_USE enum duet_code file_write(const struct file_output *output,
                                        const char *bytes, size_t length,
                                        struct duet_error *reterr);
/* Keeps the file when what was written so far is DUET_OK, and otherwise removes it and
 * returns that. */
BASE_MUST_USE enum duet_code file_close(struct file_output *output, enum duet_code code,
                                        struct duet_error *reterr);

/* Releases the text. path: as above. Errors: DUET_E_IO (says the path),
 * DUET_E_NOMEM (the text had failed). */
BASE_MUST_USE enum duet_code file_write_text(const char *path, struct text *text,
                                             struct duet_error *reterr);
#endif
