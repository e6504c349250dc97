/* What fuzzers share that take their choices from the input, piece by piece. */
#ifndef FUZZ_INPUT_BYTES_H
#define FUZZ_INPUT_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What is left of the input. */
struct input {
    const uint8_t *at;
    size_t left;
};

/* The next bytes, zeroes behind the end. */
static inline void input_take(struct input *input, void *into, size_t bytes)
{
    size_t here = bytes < input->left ? bytes : input->left;
    memset(into, 0, bytes);
    if (here > 0) {
        memcpy(into, input->at, here);
        input->at += here;
        input->left -= here;
    }
}

/* A number of so many bytes, at most 8, the first of most weight. */
static inline uint64_t input_number(struct input *input, size_t bytes)
{
    uint8_t digits[sizeof(uint64_t)];
    uint64_t value = 0;
    input_take(input, digits, bytes);
    for (size_t i = 0; i < bytes; i++) {
        value = value << 8U | digits[i];
    }
    return value;
}

#endif
