#include "session/comparison/leftovers.h"

#include <inttypes.h>

void leftovers_warn(const struct listener *listener, const char *name,
                    const struct measure_result *result)
{
    const char *before = name != NULL ? name : "";
    const char *colon = name != NULL ? ": " : "";
    if (result->leftovers > 0) {
        bool one = result->leftovers == 1;
        listener_warn(
            listener,
            "%s%s%" PRIu64 " process%s that the commands left running %s killed; let a "
            "command wait for what it starts",
            before, colon, result->leftovers, one ? "" : "es", one ? "was" : "were");
    }
    if (result->spared > 0) {
        listener_warn(
            listener,
            "%s%s%" PRIu64
            " process%s of another user could not be killed and may still run; end it as that user: kill -KILL %d",
            before, colon, result->spared, result->spared == 1 ? "" : "es",
            (int)result->spared_pid);
    }
    if (result->stuck > 0) {
        bool one = result->stuck == 1;
        listener_warn(
            listener,
            "%s%s%" PRIu64
            " process%s killed but %s not ended: waiting for a device, or frozen; see ps -o stat,wchan:30,args -p %d",
            before, colon, result->stuck, one ? " was" : "es were",
            one ? "has" : "have", (int)result->stuck_pid);
    }
}
