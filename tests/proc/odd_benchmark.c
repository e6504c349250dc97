/* A benchmark that misbehaves on demand: odd_benchmark WHAT [ITERATION [MILLISECONDS]].
 * Its iterations sleep, and in ITERATION (from 1) it does WHAT. `wobble`: each takes
 * another time instead. */
#include <duet/duet.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LAST_DESCRIPTOR = 1023, PAGE_DESCRIPTOR = 62 };

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    (void)nanosleep(&time, NULL);
}

/* Uses the CPU for 2 to 10 ms; for how long nobody can say before. */
static void wobble(void)
{
    struct timespec begun;
    struct timespec used;
    (void)clock_gettime(CLOCK_MONOTONIC, &begun);
    int64_t wanted_ns = 2000000 + begun.tv_nsec % 1000 * 8000;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begun);
    do {
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    } while ((used.tv_sec - begun.tv_sec) * 1000000000 + used.tv_nsec - begun.tv_nsec <
             wanted_ns);
}

static void close_descriptors(void)
{
    for (int fd = STDERR_FILENO + 1; fd <= LAST_DESCRIPTOR; fd++) {
        (void)close(fd);
    }
}

/* What is done before attaching. */
static void before_attaching(const char *what)
{
    if (strcmp(what, "close-descriptors") == 0) {
        close_descriptors();
    }
}

/* What is done right after. */
static void after_attaching(const char *what, struct duet **d)
{
    if (strcmp(what, "attach-twice") == 0) {
        struct duet *second = duet_open("second");
        int status = duet_close(second);
        (void)fprintf(stderr, "the second duet_close() said %d\n", status);
        exit(status == 0 ? 0 : 9);
    }
    if (strcmp(what, "fork") == 0 && fork() == 0) {
        struct duet *mine = duet_open("child");
        _exit(duet_attached(mine) ? 9 : duet_close(mine));
    }
    if (strcmp(what, "reopen-descriptors") == 0) {
        close_descriptors();
        for (int fd = STDERR_FILENO + 1; fd <= 2 * PAGE_DESCRIPTOR; fd++) {
            (void)!open("own.txt", O_WRONLY | O_CREAT | O_APPEND, 0600);
        }
    }
    if (strcmp(what, "hand-on") == 0) {
        duet_hand_on(*d);
        pid_t child = fork();
        if (child == 0) {
            *d = duet_open("worker");
            return;
        }
        int status = 0;
        (void)waitpid(child, &status, 0);
        exit(duet_close(*d) == 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 9);
    }
}

/* Writes over eight bytes of the page that mean something (docs/protocol.md): which and
 * with what follows from SCRIBBLE, a number. */
static void scribble(void)
{
    static const uint16_t offsets[] = {
        0,    8,    16,   24,   32,   40,   48,  56,   128,  136, 144,  256,
        384,  512,  768,  776,  784,  792,  800, 808,  896,  904, 1536, 1544,
        1552, 1560, 1568, 1576, 1664, 1672, 816, 1584, 1024, 1792};
    enum { OFFSETS = sizeof offsets / sizeof offsets[0], BYTES = 4096 };
    const char *text = getenv("SCRIBBLE");
    uint64_t number = text != NULL ? strtoull(text, NULL, 10) : 0;
    char *page =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, PAGE_DESCRIPTOR, 0);
    if (page == MAP_FAILED) {
        exit(8);
    }
    uint64_t word = 0;
    memcpy(&word, page + offsets[number % OFFSETS], sizeof word);
    const uint64_t values[] = {0,        1,        2,        UINT64_MAX,
                               word + 1, word - 8, word + 8, word ^ 0x5a5a};
    memcpy(page + offsets[number % OFFSETS], &values[number / OFFSETS % 8],
           sizeof word);
    (void)munmap(page, BYTES);
}

/* In the record of its iteration `at` (from 0) the CPU clock has stood still. */
static void stand_still(uint64_t at)
{
    enum { BYTES = 657664, SLOTS = 2, RECORD = 80, CPU_NS = 16 };
    static const size_t claims[SLOTS] = {768, 1536};
    static const size_t rings[SLOTS] = {2304, 329984};
    char *page =
        mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, PAGE_DESCRIPTOR, 0);
    if (page == MAP_FAILED) {
        exit(8);
    }
    for (int slot = 0; slot < SLOTS; slot++) {
        uint64_t claim = 0;
        memcpy(&claim, page + claims[slot], sizeof claim);
        if (claim == (uint64_t)getpid()) {
            memset(page + rings[slot] + at * RECORD + CPU_NS, 0, sizeof claim);
        }
    }
    (void)munmap(page, BYTES);
}

/* What is done inside the timed section. */
static void within_iteration(const char *what, struct duet *d)
{
    if (strcmp(what, "kill") == 0) {
        (void)raise(SIGKILL);
    } else if (strcmp(what, "stop") == 0) {
        (void)raise(SIGSTOP);
    } else if (strcmp(what, "crash") == 0) {
        (void)fprintf(stderr, "about to crash\n");
        abort();
    } else if (strcmp(what, "exit") == 0) {
        (void)fprintf(stderr, "giving up\n");
        exit(3);
    } else if (strcmp(what, "scribble") == 0) {
        scribble();
    } else if (strcmp(what, "many-regions") == 0) {
        char name[16];
        for (int i = 0; i < 16; i++) {
            (void)snprintf(name, sizeof name, "r%d", i);
            duet_region(d, name);
        }
    } else if (strcmp(what, "hang") == 0) {
        for (;;) {
            (void)pause();
        }
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "nothing";
    uint64_t when = argc > 2 ? strtoull(argv[2], NULL, 10) - 1 : 0;
    long length_ms = argc > 3 ? strtol(argv[3], NULL, 10) : 1;
    before_attaching(what);
    struct duet *d = duet_open("odd");
    after_attaching(what, &d);
    while (duet_next(d)) {
        int now = duet_index(d) == when;
        if (now && strcmp(what, "leave") == 0) {
            return 0; /* without duet_close() */
        }
        if (now && strcmp(what, "close-early") == 0) {
            break;
        }
        if (now && strcmp(what, "fail-between") == 0) {
            (void)fprintf(stderr, "no luck between two iterations\n");
            return 7;
        }
        duet_begin(d);
        if (now) {
            within_iteration(what, d);
        }
        if (strcmp(what, "wobble") == 0) {
            wobble();
        } else {
            sleep_ms(length_ms);
        }
        duet_end(d);
        if (now && strcmp(what, "still") == 0) {
            stand_still(when);
        }
    }
    if (strcmp(what, "never-close") == 0) {
        return 0;
    }
    int status = duet_close(d);
    while (wait(NULL) > 0) {
    }
    return status;
}
