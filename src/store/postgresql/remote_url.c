#include "store/postgresql/remote_url.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *const schemes[] = {"postgresql:", "postgres:"};

/* What comes behind the scheme and its slashes; NULL: another one. Capitals and a
 * missing slash are mistakes in a URL, and not the name of a file: libpq says so. */
static const char *behind_scheme(const char *path)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        size_t length = strlen(schemes[i]);
        if (strncasecmp(path, schemes[i], length) == 0) {
            return path + length + strspn(path + length, "/");
        }
    }
    return NULL;
}

bool remote_is_url(const char *path)
{
    return behind_scheme(path) != NULL;
}

enum duet_code remote_url_refuse(struct duet_error *reterr)
{
    return error_set(
        reterr, DUET_E_USAGE,
        "the URL of --store holds a password, which other users of this machine could read: write it into "
        "~/.pgpass (mode 0600) or the file that PGPASSFILE names, and leave it out of the URL");
}

/* Before the first '/', '?' or '#': USER:PASSWORD@HOST:PORT. */
static bool has_user_password(const char *authority)
{
    size_t length = strcspn(authority, "/?#");
    const char *at = memchr(authority, '@', length);
    return at != NULL && memchr(authority, ':', (size_t)(at - authority)) != NULL;
}

static bool has_parameter(const char *rest, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strpbrk(rest, "?&"); at != NULL; at = strpbrk(at + 1, "?&")) {
        if (strncmp(at + 1, name, length) == 0) {
            return true;
        }
    }
    return false;
}

enum duet_code remote_url_check(const char *url, struct duet_error *reterr)
{
    const char *rest = behind_scheme(url);
    if (rest != NULL && (has_user_password(rest) || has_parameter(rest, "password=") ||
                         has_parameter(rest, "sslpassword="))) {
        return remote_url_refuse(reterr);
    }
    return DUET_OK;
}
