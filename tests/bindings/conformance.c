/* What test_conformance.py asks of every binding: conformance WHAT WORK [ITERATION]. */
#include <duet/duet.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct asked {
    char **words;
    const char *what;
    unsigned long work;
    unsigned long number;
    int status;
};

static void work(unsigned long thousands)
{
    unsigned sum = 0;
    for (unsigned long i = 0; i < thousands * 1000; i++) {
        sum += (unsigned)i ^ (sum << 1U);
        duet_keep(&sum);
    }
}

static int execute(const struct asked *asked)
{
    int status = 0;
    char plain[] = "plain";
    char *words[] = {asked->words[0], plain, asked->words[2], NULL};
    pid_t pid = fork();
    if (pid == 0) {
        (void)execv(words[0], words);
        _exit(127);
    }
    (void)waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

/* In the child nothing is wanted, nor printed. */
static void child_takes_no_part(struct duet *d)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        int wanted = duet_next(d);
        duet_begin(d);
        duet_end(d);
        exit(wanted || duet_close(d) != 0 ? 9 : 0);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0) {
        exit(9);
    }
}

static void iterate(const struct asked *asked, struct duet *d, unsigned long done)
{
    if (strcmp(asked->what, "kill") == 0 && done == asked->number) {
        (void)raise(SIGKILL);
    }
    if (strcmp(asked->what, "count") == 0) {
        work(asked->work * asked->number);
    } else if (strcmp(asked->what, "region") == 0) {
        duet_region(d, "parse");
        work(asked->work);
        duet_region(d, "run");
        work(asked->work);
    } else {
        work(asked->work);
    }
}

static void *measure(void *context)
{
    struct asked *asked = (struct asked *)context;
    unsigned long done = 0;
    struct duet *d = duet_open("conformance");
    if (strcmp(asked->what, "hand-on") == 0) {
        duet_hand_on(d);
        asked->status = execute(asked);
    }
    for (; duet_next(d); done++) {
        if (strcmp(asked->what, "skip") == 0) {
            (void)usleep(100000);
            continue;
        }
        if (strcmp(asked->what, "misuse") == 0) {
            duet_end(d);
        }
        if (strcmp(asked->what, "count") == 0) {
            duet_count(d, asked->number);
        }
        if (strcmp(asked->what, "second") == 0 && done == 0 && execute(asked) == 0) {
            exit(9);
        }
        if (strcmp(asked->what, "fork") == 0 && done == 1) {
            child_takes_no_part(d);
        }
        duet_begin(d);
        iterate(asked, d, done);
        duet_end(d);
    }
    if (strcmp(asked->what, "report") == 0) {
        (void)fprintf(stderr, "%s %lu\n", duet_attached(d) ? "attached" : "alone",
                      done);
    }
    asked->status |= duet_close(d);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 3) {
        return 2;
    }
    struct asked asked = {.words = argv,
                          .what = argv[1],
                          .work = strtoul(argv[2], NULL, 10),
                          .number = argc > 3 ? strtoul(argv[3], NULL, 10) : 0,
                          .status = 0};
    /* Any thread may drive it. */
    if (pthread_create(&thread, NULL, measure, &asked) != 0 ||
        pthread_join(thread, NULL) != 0) {
        return 3;
    }
    return asked.status;
}
