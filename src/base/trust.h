/* Who could have changed a file or a folder: what programs are executed from must not
 * have been put there by another user. As git's safe.directory. */
#ifndef DUET_BASE_TRUST_H
#define DUET_BASE_TRUST_H

#include <sys/types.h>

enum trust {
    TRUST_FINE,         /* the user's own, the superuser's, or not there */
    TRUST_OTHERS_OWN,   /* it, or what it leads to as a link, belongs to another user */
    TRUST_OTHERS_WRITE, /* its group or everybody can write it */
    TRUST_UNKNOWN       /* it cannot be looked at: errno says why */
};

/* To the superuser, what belongs to the user who called sudo is fine, too. *ret_owner:
 * the other user of TRUST_OTHERS_OWN, else untouched. */
enum trust trust_look(const char *path, uid_t *ret_owner);

#endif
