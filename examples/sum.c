/* The smallest benchmark: adds up numbers.
 *
 *     ./example_sum                      measures itself
 *     duet './example_sum' './other'     compares it
 *
 * An argument is the number of elements, so that two sides can differ:
 *
 *     duet './example_sum 1000000' './example_sum 1010000' */
#include <duet/duet.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    uint32_t *numbers = count > 0 ? malloc(count * sizeof *numbers) : NULL;
    if (numbers == NULL) {
        (void)fprintf(stderr, "usage: %s [ELEMENTS]\n", argv[0]);
        return 2;
    }

    struct duet *d = duet_open("sum");
    while (duet_next(d)) {
        /* Not timed: fresh data for each iteration, the same on both sides. */
        for (size_t i = 0; i < count; i++) {
            numbers[i] = (uint32_t)(i * 2654435761U) ^ (uint32_t)duet_index(d);
        }

        duet_begin(d);
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += numbers[i];
        }
        duet_keep(&sum);
        duet_end(d);
    }
    free(numbers);
    return duet_close(d);
}
