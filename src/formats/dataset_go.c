#include "formats/dataset_go.h"

#include "base/text.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char blanks[] = " \t\r";

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Reads a line without its end. false: the file has ended. */
static bool next_line(struct formats_source *source, struct text *line)
{
    line->length = 0;
    text_append(line, "");
    int byte = formats_source_next(source);
    bool any = byte != FORMATS_SOURCE_END;
    while (byte != '\n' && byte != FORMATS_SOURCE_END) {
        text_append_char(line, (char)byte);
        byte = formats_source_next(source);
    }
    return any;
}

/* The number before the word "ns/op". */
static bool find_time(const char *line, double *ret_ns)
{
    const char *before = NULL;
    size_t length = 0;
    for (const char *at = line + strspn(line, blanks); *at != '\0';) {
        size_t word = strcspn(at, blanks);
        if (word == 5 && strncmp(at, "ns/op", word) == 0) {
            return before != NULL && formats_scan_number(before, length, ret_ns) &&
                   *ret_ns > 0;
        }
        before = at;
        length = word;
        at += word;
        at += strspn(at, blanks);
    }
    return false;
}

struct go {
    struct formats_source *source;
    struct model_dataset_builder *builder;
    struct model_point point;
    struct text package;
    struct text name;
    char trial[32];
    uint64_t trials;
};

/* "package:BenchmarkName-8" */
static enum duet_code take_benchmark(struct go *go, const char *line,
                                     struct duet_error *reterr)
{
    go->name.length = 0;
    if (go->package.length > 0) {
        text_append_n(&go->name, go->package.bytes, go->package.length);
        text_append_char(&go->name, ':');
    }
    text_append_n(&go->name, line, strcspn(line, blanks));
    int length = snprintf(go->trial, sizeof go->trial, "%" PRIu64, go->trials);
    go->point.names[MODEL_LEVEL_TRIAL] = (struct model_name){go->trial, (size_t)length};
    go->point.names[MODEL_LEVEL_BENCHMARK] =
        (struct model_name){text_string(&go->name), go->name.length};
    if (text_failed(&go->name)) {
        return error_no_memory(reterr);
    }
    if (!find_time(line, &go->point.value)) {
        return formats_source_error(go->source, go->source->line - 1, 1, reterr,
                                    "a benchmark's line without a positive ns/op");
    }
    return model_dataset_builder_add(go->builder, &go->point, reterr);
}

static enum duet_code take_line(struct go *go, const char *line,
                                struct duet_error *reterr)
{
    if (begins(line, "pkg:")) {
        const char *package = line + 4 + strspn(line + 4, blanks);
        go->package.length = 0;
        text_append_n(&go->package, package, strcspn(package, blanks));
    } else if (begins(line, "ok") || begins(line, "FAIL")) {
        go->trials++;
    } else if (begins(line, "Benchmark") && strpbrk(line, blanks) != NULL &&
               strstr(line, "/op") != NULL) {
        return take_benchmark(go, line, reterr);
    }
    return DUET_OK;
}

enum duet_code formats_dataset_go_read(struct formats_source *source,
                                       const char *environment, const char *instance,
                                       struct model_dataset_builder *builder,
                                       struct duet_error *reterr)
{
    struct go go = {.source = source, .builder = builder};
    struct text line = {0};
    enum duet_code code = DUET_OK;
    go.point.names[MODEL_LEVEL_ENVIRONMENT] =
        (struct model_name){environment, strlen(environment)};
    go.point.names[MODEL_LEVEL_INSTANCE] =
        (struct model_name){instance, strlen(instance)};
    while (code == DUET_OK && next_line(source, &line)) {
        code = text_failed(&line) ? error_no_memory(reterr)
                                  : take_line(&go, text_string(&line), reterr);
    }
    if (code == DUET_OK) {
        code = formats_source_check(source, reterr);
    }
    text_release(&line);
    text_release(&go.package);
    text_release(&go.name);
    return code;
}
