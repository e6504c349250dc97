#include "base/trust.h"

#include "base/parse.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The user, the superuser, and who became the superuser by sudo. */
static bool is_trusted(uid_t owner)
{
    uid_t user = geteuid();
    uint64_t caller = 0;
    const char *sudo = user == 0 ? getenv("SUDO_UID") : NULL;
    return owner == user || owner == 0 ||
           (sudo != NULL &&
            parse_whole(sudo, "SUDO_UID", 0, UINT32_MAX, &caller, NULL) == DUET_OK &&
            owner == (uid_t)caller);
}

enum trust trust_look(const char *path, uid_t *ret_owner)
{
    struct stat status;
    struct stat target;
    if (lstat(path, &status) != 0 || stat(path, &target) != 0) {
        return errno == ENOENT ? TRUST_FINE : TRUST_UNKNOWN;
    }
    if (!is_trusted(status.st_uid) || !is_trusted(target.st_uid)) {
        *ret_owner = is_trusted(status.st_uid) ? target.st_uid : status.st_uid;
        return TRUST_OTHERS_OWN;
    }
    return (target.st_mode & (S_IWGRP | S_IWOTH)) != 0 ? TRUST_OTHERS_WRITE
                                                       : TRUST_FINE;
}
