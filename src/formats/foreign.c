#include "formats/foreign.h"

#include "formats/hyperfine.h"
#include "formats/numbers.h"
#include "formats/report_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *formats_kind_name(enum formats_kind kind)
{
    static const char *const names[] = {"auto",      "numbers", "csv",
                                        "hyperfine", "jmh",     "go"};
    return (unsigned)kind < FORMATS_KINDS ? names[kind] : "unknown";
}

static bool begins_as_go(const char *bytes, size_t length)
{
    static const char *const marks[] = {"goos:", "goarch:", "pkg:", "Benchmark"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        size_t mark = strlen(marks[i]);
        if (length > mark && memcmp(bytes, marks[i], mark) == 0 &&
            (marks[i][0] != 'B' || isupper((unsigned char)bytes[mark]))) {
            return true;
        }
    }
    return false;
}

/* By the first line that is neither blank nor a comment. */
static enum formats_kind guess(struct formats_source *source)
{
    size_t length = 0;
    const char *bytes = (const char *)formats_source_look(source, &length);
    size_t i = 0;
    while (i < length && strchr(" \t\r\n#", bytes[i]) != NULL && bytes[i] != '\0') {
        if (bytes[i] == '#') {
            while (i < length && bytes[i] != '\n') {
                i++;
            }
        } else {
            i++;
        }
    }
    if (i == length) {
        return FORMATS_KIND_NUMBERS;
    }
    if (bytes[i] == '{') {
        return FORMATS_KIND_HYPERFINE;
    }
    if (bytes[i] == '[') {
        return FORMATS_KIND_JMH;
    }
    if (begins_as_go(bytes + i, length - i)) {
        return FORMATS_KIND_GO;
    }
    size_t end = i;
    bool separated = false;
    for (; end < length && strchr("\r\n#", bytes[end]) == NULL; end++) {
        separated = separated || strchr(",;\t", bytes[end]) != NULL;
    }
    bool digit = strchr("+-.0123456789", bytes[i]) != NULL && bytes[i] != '\0';
    return separated || !digit ? FORMATS_KIND_CSV : FORMATS_KIND_NUMBERS;
}

static enum duet_code read_one(const struct formats_request *request,
                               enum model_side side, struct formats_source *source,
                               struct formats_gather *gather,
                               struct formats_benchmarks *benchmarks,
                               struct formats_foreign *foreign,
                               struct duet_error *reterr)
{
    bool one_side = request->paths[MODEL_NEW] != NULL;
    enum formats_kind kind =
        request->kind == FORMATS_KIND_AUTO ? guess(source) : request->kind;
    if (kind == FORMATS_KIND_HYPERFINE) {
        struct formats_hyperfine_choice choice = {
            .commands = {request->csv.side_names[MODEL_OLD],
                         request->csv.side_names[MODEL_NEW]},
            .one_side = one_side,
            .side = side};
        return formats_hyperfine_read(source, &choice, gather, foreign->names, reterr);
    }
    if (kind == FORMATS_KIND_CSV) {
        struct formats_csv_options options = request->csv;
        uint64_t skipped = 0;
        options.one_side = one_side;
        options.side = side;
        options.benchmarks = benchmarks;
        enum duet_code code =
            formats_csv_read(source, &options, gather, &skipped, reterr);
        foreign->skipped += code == DUET_OK ? skipped : 0;
        return code;
    }
    if (!one_side) {
        return error_set(
            reterr, DUET_E_USAGE,
            "'%s' holds %s, which are one side; name the other side's file too",
            source->name,
            kind == FORMATS_KIND_NUMBERS ? "plain numbers"
                                         : "the results of one program");
    }
    if (kind == FORMATS_KIND_JMH || kind == FORMATS_KIND_GO) {
        return formats_report_read(source, kind == FORMATS_KIND_JMH, side, benchmarks,
                                   gather, reterr);
    }
    return formats_numbers_read(source, &request->csv.unit, side, gather, reterr);
}

/* What a side is called before its file says something better. */
static void name_side(const struct formats_request *request, enum model_side side,
                      char ret_name[256])
{
    const char *given = request->csv.side_names[side];
    bool one_side = request->paths[MODEL_NEW] != NULL;
    const char *name = one_side        ? request->paths[side]
                       : given != NULL ? given
                                       : model_side_name(side);
    (void)snprintf(ret_name, 256, "%s", name);
}

enum duet_code formats_foreign_read(const struct formats_request *request,
                                    struct formats_foreign *ret_foreign,
                                    struct duet_error *reterr)
{
    struct formats_foreign foreign = {0};
    struct formats_benchmarks benchmarks = {.wanted = request->benchmark};
    struct formats_gather *gather = NULL;
    enum duet_code code = formats_gather_new(&gather, reterr);
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        name_side(request, (enum model_side)side, foreign.names[side]);
    }
    for (int side = 0; side < MODEL_SIDES && code == DUET_OK; side++) {
        struct formats_source *source = NULL;
        if (request->paths[side] == NULL) {
            continue;
        }
        code = formats_source_open(request->paths[side], &source, reterr);
        if (code == DUET_OK) {
            code = read_one(request, (enum model_side)side, source, gather, &benchmarks,
                            &foreign, reterr);
        }
        formats_source_close(source);
    }
    if (code == DUET_OK) {
        code = formats_benchmarks_check(&benchmarks, reterr);
        memcpy(foreign.benchmarks, benchmarks.names, sizeof foreign.benchmarks);
    }
    formats_benchmarks_release(&benchmarks);
    if (code == DUET_OK) {
        code = formats_gather_finish(gather, request->pairing, &foreign.data, reterr);
    }
    formats_gather_free(gather);
    if (code == DUET_OK) {
        *ret_foreign = foreign;
    }
    return code;
}
