/* Whether two files are the same program. */
#ifndef DUET_SESSION_SAMENESS_SAME_CODE_H
#define DUET_SESSION_SAMENESS_SAME_CODE_H

#include <stdbool.h>

enum same_code {
    SAME_CODE_DIFFERS, /* or could not be read */
    SAME_CODE_BYTES,   /* byte by byte, and no ELF program: a script, say */
    SAME_CODE_PROGRAM, /* ELF: all but the build id and what is for debuggers */
    SAME_CODE_BESIDE /* the same, but it looks for libraries where it says (RUNPATH) */
};

/* What is no regular file differs. */
enum same_code same_code_of(const char *old_path, const char *new_path);

#endif
