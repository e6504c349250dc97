#include "session/watch/watch_metric.h"

#include "base/alloc.h"
#include "base/parse.h"
#include "measure/search.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    OUTPUT_BYTES_MAX = 64 * 1024 * 1024,
    SHOWN_BYTES = 300, /* of an output that does not match */
    GROUPS = 2
};

enum duet_code watch_metric_open(const char *text, struct watch_metric *ret_metric,
                                 struct duet_error *reterr)
{
    struct watch_metric made = {.text = text, .output_fd = -1};
    if (text == NULL) {
        *ret_metric = made;
        return DUET_OK;
    }
    struct duet_error error;
    enum duet_code code = pattern_compile(text, &made.pattern, &error);
    if (code == DUET_E_FORMAT) {
        return error_set(reterr, DUET_E_USAGE, "'%s' is not a regular expression: %s",
                         text, error.message);
    }
    if (code != DUET_OK) {
        return error_set(reterr, code, "%s", error.message);
    }
    made.output_fd = memfd_create("duet-output", MFD_CLOEXEC);
    if (made.output_fd < 0) {
        pattern_free(made.pattern);
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot make a file for the command's output");
    }
    *ret_metric = made;
    return DUET_OK;
}

void watch_metric_close(struct watch_metric *metric)
{
    if (metric->output_fd >= 0) {
        (void)close(metric->output_fd);
        pattern_free(metric->pattern);
        metric->pattern = NULL;
        metric->output_fd = -1;
    }
}

enum duet_code watch_metric_clear(const struct watch_metric *metric,
                                  struct duet_error *reterr)
{
    if (metric->output_fd >= 0 && (ftruncate(metric->output_fd, 0) != 0 ||
                                   lseek(metric->output_fd, 0, SEEK_SET) != 0)) {
        return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                               "cannot empty the file for the command's output");
    }
    return DUET_OK;
}

/* All that was printed, as a string; free() it. */
static enum duet_code read_output(int fd, char **ret_output, struct duet_error *reterr)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0 || size > OUTPUT_BYTES_MAX) {
        return error_set(reterr, DUET_E_WORKLOAD,
                         "the command has printed more than %d MiB: let it print less, "
                         "or filter it with -S default and 'command | tail'",
                         OUTPUT_BYTES_MAX / 1024 / 1024);
    }
    char *output = alloc_array((size_t)size + 1, 1);
    if (output == NULL) {
        return error_no_memory(reterr);
    }
    size_t done = 0;
    while (done < (size_t)size) {
        ssize_t got = pread(fd, output + done, (size_t)size - done, (off_t)done);
        if (got == 0) { /* what it left behind has emptied the file meanwhile */
            break;
        }
        if (got < 0) {
            free(output);
            return error_set_errno(reterr, DUET_E_SYSTEM, errno,
                                   "cannot read the command's output");
        }
        done += (size_t)got;
    }
    for (size_t i = 0; i < done; i++) {
        output[i] = (char)(output[i] == '\0' ? ' ' : output[i]);
    }
    *ret_output = output;
    return DUET_OK;
}

/* The end of it, which is what a person would look at. */
static const char *end_of(const char *output)
{
    size_t length = strlen(output);
    return length > SHOWN_BYTES ? output + length - SHOWN_BYTES : output;
}

static enum duet_code number_of(const struct watch_metric *metric, const char *output,
                                const struct pattern_range *match, double *ret_value,
                                struct duet_error *reterr)
{
    double value = 0.0;
    const char *start = output + match->begin;
    const char *end = output + match->end;
    while (start < end && isspace((unsigned char)*start)) {
        start++;
    }
    while (end > start && isspace((unsigned char)end[-1])) {
        end--;
    }
    char *word = alloc_string_n(start, (size_t)(end - start));
    if (word == NULL) {
        return error_no_memory(reterr);
    }
    enum duet_code code = DUET_OK;
    if (parse_number(word, "", &value, NULL) != DUET_OK) {
        code = error_set(
            reterr, DUET_E_WORKLOAD,
            "the regular expression '%s' found '%s' in the output, which is not a "
            "number: put its first parentheses around the number",
            metric->text, word);
    } else if (!(value > 0.0)) {
        code = error_set(
            reterr, DUET_E_WORKLOAD,
            "the regular expression '%s' found %s in the output: a stop rule needs "
            "numbers above 0",
            metric->text, word);
    } else {
        *ret_value = value;
    }
    free(word);
    return code;
}

enum duet_code watch_metric_read(const struct watch_metric *metric, int cancel_fd,
                                 double *ret_value, struct duet_error *reterr)
{
    char *output = NULL;
    struct pattern_range matches[GROUPS];
    bool found = false;
    struct duet_error error;
    enum duet_code code = read_output(metric->output_fd, &output, reterr);
    if (code != DUET_OK || output == NULL) {
        return code;
    }
    code = measure_search(metric->pattern, output, strlen(output), SEARCH_CPU_S,
                          cancel_fd, matches, GROUPS, &found, &error);
    if (code != DUET_OK) {
        code = error_set(reterr, code, "the regular expression '%s': %s", metric->text,
                         error.message);
    } else if (!found) {
        code = error_set(
            reterr, DUET_E_WORKLOAD,
            "the regular expression '%s' matches nothing in the standard "
            "output%s%s; try it with grep -P, or begin a watch with another one",
            metric->text,
            output[0] == '\0' ? " (it printed nothing)" : ", which ended: ",
            end_of(output));
    } else {
        bool group = matches[1].begin != SIZE_MAX;
        code = number_of(metric, output, &matches[group ? 1 : 0], ret_value, reterr);
    }
    free(output);
    return code;
}
