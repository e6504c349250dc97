/* A small tree of files in a temporary folder, to stand in for /proc and /sys. */
#ifndef TESTS_UNIT_MACHINE_FILE_TREE_H
#define TESTS_UNIT_MACHINE_FILE_TREE_H

#include "support/remove_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define file_tree_open(root) file_tree_open_in(TEST_BINARY_DIR, root)

static inline void file_tree_open_in(const char *folder, char root[256])
{
    (void)snprintf(root, 256, "%s/tree-XXXXXX", folder);
    assert_non_null(mkdtemp(root));
}

/* Writes `text` to root/path and makes the folders above it. */
static inline void file_tree_put(const char *root, const char *path, const char *text)
{
    char full[512];
    (void)snprintf(full, sizeof full, "%s%s", root, path);
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        (void)mkdir(full, 0700);
        *at = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline void file_tree_remove(const char *root)
{
    assert_int_equal(remove_tree(root), 0);
}

#endif
