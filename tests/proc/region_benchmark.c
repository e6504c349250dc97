/* A benchmark with two regions and a number of operations: region_benchmark PARSE RUN
 * OPERATIONS [ONLY]. An operation adds numbers, PARSE thousand in the region "parse"
 * and RUN thousand in "run"; ONLY is a third region, which takes next to nothing. */
#include <duet/duet.h>

#include <stdlib.h>

static void add(unsigned thousands)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < thousands * 1000; i++) {
        sum += i ^ (sum << 1U);
        duet_keep(&sum);
    }
}

int main(int argc, char **argv)
{
    unsigned parse = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;
    unsigned run = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 100;
    unsigned operations = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
    struct duet *d = duet_open("regions");
    while (duet_next(d)) {
        duet_count(d, operations);
        duet_begin(d);
        for (unsigned i = 0; i < operations; i++) {
            duet_region(d, "parse");
            add(parse);
            duet_region(d, "run");
            add(run);
        }
        if (argc > 4) {
            duet_region(d, argv[4]);
        }
        duet_end(d);
    }
    return duet_close(d);
}
