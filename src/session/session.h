/* What a session works with. */
#ifndef DUET_SESSION_SESSION_H
#define DUET_SESSION_SESSION_H

#include "machine/machine.h"
#include "session/listener.h"
#include "store/store.h"

/* All borrowed. */
struct session {
    struct machine *machine;
    struct store *store;
    int cancel_fd; /* becomes readable when it is to end; -1: it never does */
    const struct listener *listener;
};

#endif
