#include "machine/topology_facts.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the two processes share. */
struct reply {
    struct topology_facts facts; /* first: topology_facts_free() takes it for all */
    bool done;
    enum duet_code code;
    struct duet_error error;
};

static struct reply *reply_new(void)
{
    void *memory = mmap(NULL, sizeof(struct reply), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void topology_facts_free(struct topology_facts *facts)
{
    if (facts != NULL) {
        (void)munmap(facts, sizeof(struct reply));
    }
}

/* The child's whole life. A signal that it gets by itself ends it all the same. */
static void fill_reply(const char *xml, struct reply *reply)
{
    static const struct rlimit no_core = {0, 0};
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    reply->code = topology_read(xml, &reply->facts, &reply->error);
    reply->done = true;
    _exit(0);
}

/* All signals are blocked: a handler of ours would take them for its own in the child.
 */
static pid_t start(const char *xml, struct reply *reply, const sigset_t *before)
{
    pid_t pid = fork();
    if (pid == 0) {
        fill_reply(xml, reply);
    }
    int errnum = errno;
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
    errno = errnum;
    return pid;
}

/* Its wait status; 0 when somebody else has taken it. */
static int wait_for(pid_t pid)
{
    int status = 0;
    pid_t gone = -1;
    do {
        gone = waitpid(pid, &status, 0);
    } while (gone < 0 && errno == EINTR);
    return gone == pid ? status : 0;
}

static enum duet_code judge(const struct reply *reply, int status,
                            struct duet_error *reterr)
{
    if (reply->done && reply->code != DUET_OK) {
        return error_set(reterr, reply->code, "%s", reply->error.message);
    }
    if (reply->done) {
        return DUET_OK;
    }
    const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;
    return error_set(
        reterr, DUET_E_SYSTEM,
        "hwloc has failed to read the CPU topology%s%s: free some memory, and try `lstopo`",
        name == NULL ? "" : ", ended by SIG", name == NULL ? "" : name);
}

enum duet_code topology_read_apart(const char *xml, struct topology_facts **ret_facts,
                                   struct duet_error *reterr)
{
    sigset_t all;
    sigset_t before;
    struct reply *reply = reply_new();
    if (reply == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read the CPU topology");
    }
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = start(xml, reply, &before);
    enum duet_code code =
        pid < 0 ? error_set_start(reterr, errno,
                                  "cannot start a process that reads the CPU topology")
                : judge(reply, wait_for(pid), reterr);
    if (code == DUET_OK) {
        *ret_facts = &reply->facts;
    } else {
        topology_facts_free(&reply->facts);
    }
    return code;
}
