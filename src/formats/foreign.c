#include "formats/foreign.h"

#include "formats/hyperfine.h"
#include "formats/numbers.h"
#include "formats/report_file.h"
#include "formats/tools/tool_read.h"

#include <stdio.h>
#include <string.h>

const char *formats_kind_name(enum formats_kind kind)
{
    static const char *const names[] = {"auto",      "numbers", "csv",
                                        "hyperfine", "json",    "go"};
    return (unsigned)kind < FORMATS_KINDS ? names[kind] : "unknown";
}

/* By the first line that is neither blank nor a comment. */
static enum formats_kind guess(struct formats_source *source)
{
    static const enum formats_kind kinds[] = {[FORMATS_TOOL_NONE] = FORMATS_KIND_AUTO,
                                              [FORMATS_TOOL_HYPERFINE] =
                                                  FORMATS_KIND_HYPERFINE,
                                              [FORMATS_TOOL_JSON] = FORMATS_KIND_JSON,
                                              [FORMATS_TOOL_GO] = FORMATS_KIND_GO};
    enum formats_kind tool = kinds[formats_tool_guess(source)];
    if (tool != FORMATS_KIND_AUTO) {
        return tool;
    }
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
    if (kind == FORMATS_KIND_JSON || kind == FORMATS_KIND_GO) {
        return formats_report_read(source, kind == FORMATS_KIND_JSON, side, benchmarks,
                                   gather, &foreign->left_out, reterr);
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
    if (code == DUET_OK && request->several != NULL) {
        code = formats_benchmarks_several(&benchmarks, request->several, reterr);
    }
    bool several = request->several != NULL && request->several->names.count > 0;
    if (code == DUET_OK && !several) {
        code = formats_benchmarks_check(&benchmarks, reterr);
        memcpy(foreign.benchmarks, benchmarks.names, sizeof foreign.benchmarks);
    }
    formats_benchmarks_release(&benchmarks);
    if (code == DUET_OK && !several) {
        code = formats_gather_finish(gather, request->pairing, &foreign.data, reterr);
    }
    formats_gather_free(gather);
    if (code == DUET_OK) {
        *ret_foreign = foreign;
    } else {
        formats_left_out_release(&foreign.left_out);
    }
    return code;
}
