#include "formats/foreign.h"

#include "formats/hyperfine.h"
#include "formats/numbers.h"
#include "formats/tango.h"
#include "formats/tools/tool_read.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *formats_kind_name(unsigned kind)
{
    static const char *const names[] = {"auto", "numbers", "csv",  "hyperfine",
                                        "json", "go",      "tango"};
    return kind < FORMATS_KINDS ? names[kind] : "unknown";
}

/* By the first line that is neither blank nor a comment. */
static enum formats_kind guess_text(struct formats_source *source)
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
    size_t end = i;
    bool separated = false;
    for (; end < length && strchr("\r\n#", bytes[end]) == NULL; end++) {
        separated = separated || strchr(",;\t", bytes[end]) != NULL;
    }
    bool digit = strchr("+-.0123456789", bytes[i]) != NULL && bytes[i] != '\0';
    return separated || !digit ? FORMATS_KIND_CSV : FORMATS_KIND_NUMBERS;
}

/* What the file is: of a tool, or else *ret_kind, which is not AUTO then. */
static enum formats_tool_kind settle_kind(const struct formats_request *request,
                                          struct formats_source *source,
                                          enum formats_kind *ret_kind)
{
    static const enum formats_tool_kind tools[FORMATS_KINDS] = {
        [FORMATS_KIND_JSON] = FORMATS_TOOL_JSON, [FORMATS_KIND_GO] = FORMATS_TOOL_GO};
    *ret_kind = request->kind;
    if (request->kind != FORMATS_KIND_AUTO) {
        return tools[request->kind];
    }
    enum formats_tool_kind tool = formats_tool_guess(source);
    if (tool == FORMATS_TOOL_HYPERFINE) {
        *ret_kind = FORMATS_KIND_HYPERFINE;
        return FORMATS_TOOL_NONE;
    }
    if (tool == FORMATS_TOOL_NONE) {
        *ret_kind = formats_tango_is(source) ? FORMATS_KIND_TANGO : guess_text(source);
    }
    return tool;
}

/* What the request says of a file. */
struct operand {
    enum model_side side;
    bool one_side;
    const char *process; /* of several files, the number of this one; else NULL */
};

struct reading {
    const struct formats_request *request;
    struct formats_gather *gather;
    struct formats_foreign *foreign;
    struct operand operand;
    struct text run;
};

/* A tool's value into the gather. */
static enum duet_code take_measured(void *context,
                                    const struct formats_measured *measured,
                                    struct duet_error *reterr)
{
    struct reading *reading = context;
    const char *process = measured->process != NULL ? measured->process : "0";
    if (reading->operand.process != NULL) {
        reading->run.length = 0;
        text_append_format(&reading->run, "%s/%s", reading->operand.process, process);
        process = text_string(&reading->run);
    }
    const struct formats_record record = {.side = reading->operand.side,
                                          .ns = measured->ns,
                                          .benchmark = measured->benchmark,
                                          .run = process};
    return text_failed(&reading->run)
               ? error_no_memory(reterr)
               : formats_gather_add(reading->gather, &record, reterr);
}

static enum duet_code read_csv(struct reading *reading, struct formats_source *source,
                               struct duet_error *reterr)
{
    struct formats_csv_options options = reading->request->csv;
    options.one_side = reading->operand.one_side;
    options.side = reading->operand.side;
    options.process = reading->operand.process;
    return formats_csv_read(source, &options, reading->gather,
                            &reading->foreign->counts, reterr);
}

/* Its results[] are the two sides, one of them, or benchmarks of this side. */
static enum duet_code read_hyperfine(struct reading *reading,
                                     struct formats_source *source,
                                     struct duet_error *reterr)
{
    const struct formats_request *request = reading->request;
    struct formats_hyperfine_choice choice = {
        .commands = {request->csv.side_names[MODEL_OLD],
                     request->csv.side_names[MODEL_NEW]},
        .one_side = reading->operand.one_side,
        .side = reading->operand.side};
    return formats_hyperfine_read(source, &choice, reading->gather,
                                  reading->foreign->names, reterr);
}

static enum duet_code read_numbers(struct reading *reading,
                                   struct formats_source *source,
                                   struct duet_error *reterr)
{
    return formats_numbers_read(source, &reading->request->csv.unit,
                                reading->operand.side, reading->operand.process,
                                reading->gather, reterr);
}

static enum duet_code read_one(struct reading *reading, struct formats_source *source,
                               struct duet_error *reterr)
{
    const struct formats_request *request = reading->request;
    enum formats_kind kind = FORMATS_KIND_AUTO;
    enum formats_tool_kind tool = settle_kind(request, source, &kind);
    if (kind == FORMATS_KIND_HYPERFINE) {
        return read_hyperfine(reading, source, reterr);
    }
    if (kind == FORMATS_KIND_CSV) {
        return read_csv(reading, source, reterr);
    }
    if (kind == FORMATS_KIND_TANGO && reading->operand.one_side) {
        return error_set(
            reterr, DUET_E_USAGE,
            "'%s' holds tango's pairs, which are both sides: compare it alone",
            source->name);
    }
    if (kind == FORMATS_KIND_TANGO) {
        return formats_tango_read(source, reading->gather, reterr);
    }
    bool numbers = tool == FORMATS_TOOL_NONE;
    enum duet_code code = numbers ? read_numbers(reading, source, reterr) : DUET_OK;
    if (code == DUET_OK && !reading->operand.one_side) {
        return error_set(
            reterr, DUET_E_USAGE,
            "'%s' holds %s, which are one side; name the other side's file too",
            source->name, numbers ? "plain numbers" : "the results of one program");
    }
    return numbers ? code
                   : formats_tool_read(source, tool, take_measured, reading,
                                       &reading->foreign->left_out, reterr);
}

const char *formats_request_last(const struct formats_request *request)
{
    bool two = request->sides[MODEL_NEW].count > 0;
    const struct formats_files *files = &request->sides[two ? MODEL_NEW : MODEL_OLD];
    return files->paths[files->count - 1];
}

/* What a side is called before its file says something better. */
static void name_side(const struct formats_request *request, enum model_side side,
                      char ret_name[256])
{
    const struct formats_files *files = &request->sides[side];
    const char *given = request->csv.side_names[side];
    bool one_side = request->sides[MODEL_NEW].count > 0;
    const char *name = one_side        ? files->paths[0]
                       : given != NULL ? given
                                       : model_side_name(side);
    if (one_side && files->count > 1) {
        (void)snprintf(ret_name, 256, "%.200s and %zu more", name, files->count - 1);
    } else {
        (void)snprintf(ret_name, 256, "%s", name);
    }
}

static enum duet_code read_files(struct reading *reading, struct duet_error *reterr)
{
    const struct formats_request *request = reading->request;
    enum duet_code code = DUET_OK;
    for (int side = 0; side < MODEL_SIDES; side++) {
        const struct formats_files *files = &request->sides[side];
        for (size_t i = 0; i < files->count && code == DUET_OK; i++) {
            struct formats_source *source = NULL;
            char process[32];
            (void)snprintf(process, sizeof process, "%zu", i);
            reading->operand =
                (struct operand){.side = (enum model_side)side,
                                 .one_side = request->sides[MODEL_NEW].count > 0,
                                 .process = files->count > 1 ? process : NULL};
            code = formats_source_open(files->paths[i], &source, reterr);
            if (code == DUET_OK) {
                code = read_one(reading, source, reterr);
            }
            formats_source_close(source);
        }
    }
    return code;
}

void formats_foreign_release(struct formats_foreign *foreign)
{
    for (size_t i = 0; i < foreign->count; i++) {
        formats_data_release(&foreign->found[i].data);
        for (int side = 0; side < MODEL_SIDES; side++) {
            free(foreign->found[i].names[side]);
        }
    }
    free(foreign->found);
    for (int side = 0; side < MODEL_SIDES; side++) {
        text_release(&foreign->only[side]);
    }
    formats_left_out_release(&foreign->left_out);
    *foreign = (struct formats_foreign){.count = 0};
}

static enum duet_code finish_one(struct reading *reading, size_t group,
                                 struct formats_found *found, struct duet_error *reterr)
{
    for (int side = 0; side < MODEL_SIDES; side++) {
        found->names[side] = alloc_string(
            formats_gather_name(reading->gather, group, (enum model_side)side));
        if (found->names[side] == NULL) {
            return error_no_memory(reterr);
        }
    }
    return formats_gather_finish_group(reading->gather, group,
                                       reading->request->pairing, &found->data, reterr);
}

static enum duet_code finish(struct reading *reading, struct duet_error *reterr)
{
    struct formats_match match = {.count = 0};
    struct formats_foreign *foreign = reading->foreign;
    enum duet_code code = formats_gather_match(reading->gather, &match, reterr);
    if (code == DUET_OK) {
        foreign->found = alloc_array(match.count, sizeof *foreign->found);
        code = foreign->found == NULL ? error_no_memory(reterr) : DUET_OK;
    }
    for (size_t i = 0; i < match.count && code == DUET_OK; i++) {
        foreign->count++;
        code = finish_one(reading, match.groups[i], &foreign->found[i], reterr);
    }
    foreign->several = match.several;
    for (int side = 0; side < MODEL_SIDES; side++) {
        foreign->only[side] = match.only[side];
        match.only[side] = (struct text){0};
    }
    formats_match_release(&match);
    return code;
}

enum duet_code formats_foreign_read(const struct formats_request *request,
                                    struct formats_foreign *ret_foreign,
                                    struct duet_error *reterr)
{
    struct formats_foreign foreign = {.count = 0};
    struct reading reading = {.request = request, .foreign = &foreign};
    enum duet_code code = formats_gather_new(&reading.gather, reterr);
    if (code == DUET_OK) {
        formats_gather_choose(reading.gather, request->benchmark);
        for (int side = 0; side < MODEL_SIDES; side++) {
            name_side(request, (enum model_side)side, foreign.names[side]);
        }
        code = read_files(&reading, reterr);
    }
    if (code == DUET_OK) {
        code = finish(&reading, reterr);
    }
    formats_gather_free(reading.gather);
    text_release(&reading.run);
    if (code == DUET_OK) {
        *ret_foreign = foreign;
    } else {
        formats_foreign_release(&foreign);
    }
    return code;
}

bool formats_foreign_has_sides(const struct formats_request *request, const char *path)
{
    struct formats_source *source = NULL;
    struct duet_error error;
    enum formats_kind kind = FORMATS_KIND_AUTO;
    if (formats_source_open_plain(path, &source, &error) != DUET_OK) {
        return false;
    }
    bool sides = settle_kind(request, source, &kind) == FORMATS_TOOL_NONE &&
                 kind == FORMATS_KIND_CSV &&
                 formats_csv_has_sides(source, &request->csv);
    formats_source_close(source);
    return sides;
}
