/* What the runner and its two supervisors share: the meetings that release executions
 * together, and what was measured. Anonymous shared memory, inherited by fork; measured
 * programs never see it (it is gone with execve). */
#ifndef DUET_MEASURE_BOARD_H
#define DUET_MEASURE_BOARD_H

#include "model/experiment.h"
#include "sync/meeting.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    BOARD_POSITIONS = 2,
    BOARD_RECORDS = 1024 /* executions that one order may ask for */
};

/* What the child tells between clone and execve. */
struct board_launch {
    int exec_errno;            /* 0, or why execve failed */
    int setup_errno;           /* 0, or why a descriptor could not be set up */
    enum sync_outcome outcome; /* of the meeting */
    uint64_t start_ns;
    uint64_t cpu_start_ns; /* CPU time used before the start; not the program's */
    uint64_t system_start_ns;
    uint32_t voluntary_start;
    uint32_t involuntary_start;
    uint32_t faults_start;
    uint64_t delay_start_ns; /* what others had of its CPU before the start */
    bool delay_known;
};

/* What a record does not say about an execution. */
struct board_process {
    int64_t pid;
    uint64_t peak_memory_bytes;
    uint64_t fillers;
    enum model_tasks tasks;
    double counters[MODEL_COUNTERS]; /* NaN: not available */
};

struct board_slot {
    struct sync_party begin;
    struct sync_party end;
    struct board_launch launch;
    _Atomic uint64_t ended;  /* executions ended in this order; for fillers */
    _Atomic uint64_t steps;  /* programs begun and ended: the runner sees it go on */
    _Atomic int64_t program; /* pid of the one executed last */
    pid_t supervisor;        /* SIGUSR1 tells it that the other side has ended */
    uint64_t record_count;
    struct model_iteration records[BOARD_RECORDS];
    struct board_process processes[BOARD_RECORDS]; /* of the records */
};

struct board {
    struct sync_meeting begin; /* before execve */
    struct sync_meeting end;   /* after both have ended */
    struct board_slot slots[BOARD_POSITIONS];
};

/* Maps a new board; NULL with errno set. */
struct board *board_new(void);
void board_free(struct board *board);

/* Prepares for an order: nobody else may use the board meanwhile. */
void board_reset(struct board *board, bool spins);

/* Releases supervisors and children from their meetings. */
void board_poison(struct board *board);

#endif
