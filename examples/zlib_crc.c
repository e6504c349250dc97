/* Benchmarks a real library: zlib's two checksums over the same buffer.
 *
 *     ./example_zlib                             crc32(), by itself
 *     duet './example_zlib adler32' './example_zlib crc32'
 *
 * To compare two builds of zlib, start the same program with each of them:
 *
 *     duet 'env LD_LIBRARY_PATH=old ./example_zlib' 'env LD_LIBRARY_PATH=new
 * ./example_zlib'
 */
#include <duet/duet.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1024 * 1024 };

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "crc32";
    int adler = strcmp(which, "adler32") == 0;
    unsigned char *buffer = malloc(BUFFER_BYTES);
    if (buffer == NULL || (!adler && strcmp(which, "crc32") != 0)) {
        (void)fprintf(stderr, "usage: %s [crc32|adler32]\n", argv[0]);
        free(buffer);
        return 2;
    }
    for (size_t i = 0; i < BUFFER_BYTES; i++) {
        buffer[i] = (unsigned char)(i * i >> 7);
    }

    struct duet *d = duet_open(which);
    while (duet_next(d)) {
        duet_begin(d);
        unsigned long sum =
            adler ? adler32(1, buffer, BUFFER_BYTES) : crc32(0, buffer, BUFFER_BYTES);
        duet_keep(&sum);
        duet_end(d);
    }
    free(buffer);
    return duet_close(d);
}
