/* Where the readers of benchmark tools' files put what they find. */
#ifndef DUET_FORMATS_TOOLS_TOOL_SINK_H
#define DUET_FORMATS_TOOLS_TOOL_SINK_H

#include "formats/left_out.h"
#include "formats/source.h"
#include "model/name_table.h"

#include <stdbool.h>
#include <stdint.h>

/* A value, as a reader found it. Texts are borrowed. */
struct formats_measured {
    const char *benchmark; /* with its parameters: all that tells it from others */
    const char *process;   /* label within the file; NULL: the file does not say */
    double ns;             /* time of an operation, positive and finite */
    uint64_t count;        /* how often it was seen, at least 1 */
};

typedef enum duet_code formats_tool_add_fn(void *context,
                                           const struct formats_measured *measured,
                                           struct duet_error *reterr);

struct formats_tool_sink {
    const struct formats_source *source;
    formats_tool_add_fn *add;
    void *context;
    struct formats_left_out *left_out;
    size_t added;                  /* values so far */
    uint64_t counted;              /* what the counts stand for */
    size_t zeros;                  /* values left out because they are 0 */
    struct model_name_table names; /* of formats_tool_name_once(); owned */
    uint32_t *repeats;             /* how often each of them came again so far; owned */
    size_t repeats_capacity;
};

/* A value seen `count` times. One of 0 is shorter than the clock's step: it is left out
 * and counted. Errors: DUET_E_FORMAT (negative, infinite; more values than a file of
 * its size may stand for), those of the receiver. */
BASE_MUST_USE enum duet_code formats_tool_add(struct formats_tool_sink *sink,
                                              const struct formats_measured *measured,
                                              struct duet_error *reterr);

/* Of a benchmark that is there several times in a file that names each once: " #2" and
 * so on is appended to the later ones, so that none is mixed with another. Errors:
 * DUET_E_NOMEM. */
BASE_MUST_USE enum duet_code formats_tool_name_once(struct formats_tool_sink *sink,
                                                    struct text *name,
                                                    struct duet_error *reterr);

/* The benchmark has no usable value: notes why. */
void formats_tool_leave_out(struct formats_tool_sink *sink, const char *benchmark,
                            const char *why);

void formats_tool_sink_release(struct formats_tool_sink *sink);

#endif
