#include "measure/cancel.h"

#include <sys/ioctl.h>

int cancel_count(int cancel_fd)
{
    int bytes = 0;
    return cancel_fd >= 0 && ioctl(cancel_fd, FIONREAD, &bytes) == 0 ? bytes : 0;
}
