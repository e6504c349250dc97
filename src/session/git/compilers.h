/* Which compilers a build finds: what another one has built is another program. */
#ifndef DUET_SESSION_GIT_COMPILERS_H
#define DUET_SESSION_GIT_COMPILERS_H

#include "base/sha256.h"

/* Adds the variables that compilers obey (CC, CFLAGS, ...), and the size and time of
 * each usual compiler in PATH, of what CC and CXX name, and of the toolchains of
 * rustup: an upgrade changes them. A compiler that a build calls by a path of its own
 * is not seen. */
void compilers_add(struct sha256 *hash);

#endif
