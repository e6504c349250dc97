#include "machine/topology_facts.h"

#include "base/apart.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

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

struct request {
    const char *xml;
    struct reply *reply;
};

static void fill_reply(void *context)
{
    const struct request *request = context;
    struct reply *reply = request->reply;
    reply->code = topology_read(request->xml, &reply->facts, &reply->error);
    reply->done = true;
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
    struct reply *reply = reply_new();
    if (reply == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "no memory to read the CPU topology");
    }
    struct request request = {xml, reply};
    int status = 0;
    enum duet_code code = apart_execute(
        fill_reply, &request, "a process that reads the CPU topology", &status, reterr);
    if (code == DUET_OK) {
        code = judge(reply, status, reterr);
    }
    if (code == DUET_OK) {
        *ret_facts = &reply->facts;
    } else {
        topology_facts_free(&reply->facts);
    }
    return code;
}
