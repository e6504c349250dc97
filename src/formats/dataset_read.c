#include "formats/dataset_read.h"

#include "formats/dataset_go.h"
#include "formats/dataset_jmh.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const kind_names[FORMATS_DATASET_KINDS] = {
    [FORMATS_DATASET_AUTO] = "auto",
    [FORMATS_DATASET_CSV] = "csv",
    [FORMATS_DATASET_JMH] = "jmh",
    [FORMATS_DATASET_GO] = "go",
};

const char *formats_dataset_kind_name(enum formats_dataset_kind kind)
{
    return (unsigned)kind < FORMATS_DATASET_KINDS ? kind_names[kind] : "unknown";
}

/* By what the file begins with. */
static enum formats_dataset_kind guess(struct formats_source *source)
{
    static const char *const marks[] = {"goos:", "goarch:", "pkg:", "Benchmark"};
    size_t length = 0;
    const char *bytes = (const char *)formats_source_look(source, &length);
    size_t at = 0;
    while (at < length && isspace((unsigned char)bytes[at])) {
        at++;
    }
    if (at < length && bytes[at] == '[') {
        return FORMATS_DATASET_JMH;
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t mark = strlen(marks[i]);
        if (length - at > mark && strncmp(bytes + at, marks[i], mark) == 0 &&
            (marks[i][0] != 'B' || isupper((unsigned char)bytes[at + mark]))) {
            return FORMATS_DATASET_GO;
        }
    }
    return FORMATS_DATASET_CSV;
}

struct reading {
    enum formats_dataset_kind kind;
    const struct formats_dataset_options *options;
    struct model_dataset_builder *builder;
    struct formats_dataset_counts counts;
};

static enum duet_code read_file(struct reading *reading, const char *path,
                                const char *environment, struct duet_error *reterr)
{
    struct formats_source *source = NULL;
    enum duet_code code = formats_source_open(path, &source, reterr);
    if (code != DUET_OK) {
        return code;
    }
    enum formats_dataset_kind kind = reading->kind;
    if (kind == FORMATS_DATASET_AUTO) {
        kind = guess(source);
    }
    if (kind == FORMATS_DATASET_CSV) {
        code = formats_dataset_csv_read(source, reading->options, environment, path,
                                        reading->builder, &reading->counts, reterr);
    } else if (formats_dataset_is_paired(reading->options)) {
        code = error_set(reterr, DUET_E_USAGE, "'%s': only CSV can hold pairs", path);
    } else if (kind == FORMATS_DATASET_JMH) {
        code = formats_dataset_jmh_read(source, environment, path, reading->builder,
                                        reterr);
    } else {
        code = formats_dataset_go_read(source, environment, path, reading->builder,
                                       reterr);
    }
    formats_source_close(source);
    return code;
}

/* "ENVIRONMENT=PATH", unless a file is called so. */
static enum duet_code read_word(struct reading *reading, const char *word,
                                struct duet_error *reterr)
{
    char environment[256] = "-";
    size_t length = strcspn(word, "=");
    const char *path = word;
    if (word[length] == '=' && length > 0 && length < sizeof environment &&
        memchr(word, '/', length) == NULL && access(word, F_OK) != 0) {
        (void)snprintf(environment, sizeof environment, "%.*s", (int)length, word);
        path = word + length + 1;
    }
    return read_file(reading, path, environment, reterr);
}

enum duet_code formats_dataset_read(const char *const *words, size_t count,
                                    enum formats_dataset_kind kind,
                                    const struct formats_dataset_options *options,
                                    struct model_dataset *ret_dataset,
                                    struct formats_dataset_counts *ret_counts,
                                    struct duet_error *reterr)
{
    struct reading reading = {.kind = kind, .options = options};
    enum duet_code code = model_dataset_builder_new(formats_dataset_is_paired(options),
                                                    &reading.builder, reterr);
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = read_word(&reading, words[i], reterr);
    }
    if (code == DUET_OK) {
        code = model_dataset_builder_finish(reading.builder, ret_dataset, reterr);
    }
    if (code == DUET_OK) {
        *ret_counts = reading.counts;
    }
    model_dataset_builder_free(reading.builder);
    return code;
}
