#include "session/git/compilers.h"

#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What a compiler makes of the same files under another value. */
static const char *const variables[] = {"CC",        "CXX",      "CFLAGS",
                                        "CXXFLAGS",  "CPPFLAGS", "LDFLAGS",
                                        "RUSTFLAGS", "GOFLAGS",  "RUSTUP_TOOLCHAIN"};

static const char *const compilers[] = {
    "cc",    "c++",   "gcc", "g++",   "clang", "clang++",  "ld",     "gfortran",
    "rustc", "cargo", "go",  "javac", "ghc",   "ocamlopt", "swiftc", "zig"};

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text, strlen(text) + 1);
}

/* Behind symbolic links; nothing of what is not there. */
static void add_file(struct sha256 *hash, const char *path)
{
    struct stat status;
    if (path != NULL && stat(path, &status) == 0) {
        const int64_t numbers[] = {status.st_size, status.st_mtim.tv_sec,
                                   status.st_mtim.tv_nsec};
        add_text(hash, path);
        sha256_add(hash, numbers, sizeof numbers);
    }
}

/* In every folder of PATH: the first may be a wrapper such as ccache. */
static void add_program(struct sha256 *hash, const char *name, size_t length)
{
    const char *folder = getenv("PATH");
    while (folder != NULL) {
        const char *end = strchr(folder, ':');
        size_t bytes = end != NULL ? (size_t)(end - folder) : strlen(folder);
        char *path = alloc_format("%.*s/%.*s", (int)bytes, folder, (int)length, name);
        add_file(hash, path);
        free(path);
        folder = end != NULL ? end + 1 : NULL;
    }
}

/* The first words of CC and CXX; a path is one that the build's folder does not change.
 */
static void add_named(struct sha256 *hash, const char *words)
{
    size_t length = words != NULL ? strcspn(words, " \t") : 0;
    char *path = length > 0 && words[0] == '/' ? alloc_string_n(words, length) : NULL;
    if (path != NULL) {
        add_file(hash, path);
    } else if (length > 0) {
        add_program(hash, words, length);
    }
    free(path);
}

/* rustc and cargo in PATH are the same small program, whatever stands behind them. */
static void add_rustup(struct sha256 *hash)
{
    static const char *const names[] = {"settings.toml", "toolchains", "update-hashes"};
    const char *home = getenv("RUSTUP_HOME");
    const char *user = getenv("HOME");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = home != NULL   ? alloc_format("%s/%s", home, names[i])
                     : user != NULL ? alloc_format("%s/.rustup/%s", user, names[i])
                                    : NULL;
        add_file(hash, path);
        free(path);
    }
}

void compilers_add(struct sha256 *hash)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *value = getenv(variables[i]);
        add_text(hash, value != NULL ? value : "");
    }
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
        add_program(hash, compilers[i], strlen(compilers[i]));
    }
    add_named(hash, getenv("CC"));
    add_named(hash, getenv("CXX"));
    add_rustup(hash);
}
