/* Folders that belong to a process as long as it holds their lock: the kernel lets go
 * of it when the process ends, however it ends. */
#ifndef DUET_SESSION_LOCKED_FOLDER_H
#define DUET_SESSION_LOCKED_FOLDER_H

#include <stdbool.h>

/* The folder's descriptor if it is this user's and nobody else holds its lock, which is
 * then held; -1. */
int locked_folder_open(const char *path);

/* Removes it with all that is in it, write-protected folders too; links are not
 * followed. false, and errno: something is left. */
bool locked_folder_remove(const char *path);

/* Whether no shell takes any character of the path for something else than a part of a
 * word. */
bool locked_folder_is_plain(const char *path);

#endif
