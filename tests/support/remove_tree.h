/* Removes a folder of a test with all that is in it. */
#ifndef TESTS_SUPPORT_REMOVE_TREE_H
#define TESTS_SUPPORT_REMOVE_TREE_H

#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>

static inline int remove_tree_entry(const char *path, const struct stat *status,
                                    int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

/* 0, or -1 with errno. Links are removed, not followed. */
static inline int remove_tree(const char *folder)
{
    enum { DESCRIPTORS = 8 };
    return nftw(folder, remove_tree_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

#endif
