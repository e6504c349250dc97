#include "formats/dataset_read.h"

#include "formats/dataset_go.h"
#include "formats/tools/tool_read.h"

#include <string.h>

static const char *const kind_names[FORMATS_DATASET_KINDS] = {
    [FORMATS_DATASET_AUTO] = "auto",
    [FORMATS_DATASET_CSV] = "csv",
    [FORMATS_DATASET_JSON] = "json",
    [FORMATS_DATASET_GO] = "go",
};

const char *formats_dataset_kind_name(enum formats_dataset_kind kind)
{
    return (unsigned)kind < FORMATS_DATASET_KINDS ? kind_names[kind] : "unknown";
}

/* By its content. */
static enum formats_dataset_kind guess(struct formats_source *source)
{
    enum formats_tool_kind tool = formats_tool_guess(source);
    return tool == FORMATS_TOOL_NONE ? FORMATS_DATASET_CSV
           : tool == FORMATS_TOOL_GO ? FORMATS_DATASET_GO
                                     : FORMATS_DATASET_JSON;
}

/* A data set says what it holds, so nothing of a file is left out. */
static enum duet_code read_json(struct formats_source *source, const char *environment,
                                const char *path, struct model_dataset_builder *builder,
                                struct duet_error *reterr)
{
    struct formats_left_out left_out = {.count = 0};
    enum duet_code code =
        formats_tool_json_read(source, environment, path, builder, &left_out, reterr);
    if (code == DUET_OK && left_out.count > 0) {
        code = error_set(reterr, DUET_E_FORMAT, "%.900s", text_string(&left_out.lines));
    }
    formats_left_out_release(&left_out);
    return code;
}

enum duet_code formats_dataset_read(const char *path, const char *environment,
                                    enum formats_dataset_kind kind,
                                    const struct formats_dataset_options *options,
                                    struct model_dataset_builder *builder,
                                    struct formats_dataset_counts *counts,
                                    struct duet_error *reterr)
{
    struct formats_source *source = NULL;
    enum duet_code code = formats_source_open(path, &source, reterr);
    if (code != DUET_OK) {
        return code;
    }
    if (kind == FORMATS_DATASET_AUTO) {
        kind = guess(source);
    }
    if (kind == FORMATS_DATASET_CSV) {
        code = formats_dataset_csv_read(source, options, environment, path, builder,
                                        counts, reterr);
    } else if (formats_dataset_is_paired(options)) {
        code = error_set(reterr, DUET_E_USAGE, "'%s': only CSV can hold pairs", path);
    } else if (kind == FORMATS_DATASET_JSON) {
        code = read_json(source, environment, path, builder, reterr);
    } else {
        code = formats_dataset_go_read(source, environment, path, builder, reterr);
    }
    formats_source_close(source);
    return code;
}

/* The first row of pa's files. */
static bool begins_as_pa(struct formats_source *source)
{
    static const char mark[] = "project;commit;benchmark;params;";
    size_t length = 0;
    const char *bytes = (const char *)formats_source_look(source, &length);
    return length >= sizeof mark - 1 && strncmp(bytes, mark, sizeof mark - 1) == 0;
}

bool formats_dataset_is_certain(const char *path)
{
    struct formats_source *source = NULL;
    struct duet_error error;
    if (formats_source_open(path, &source, &error) != DUET_OK) {
        return false;
    }
    enum formats_tool_kind tool = formats_tool_guess(source);
    bool certain =
        tool == FORMATS_TOOL_JSON || tool == FORMATS_TOOL_GO || begins_as_pa(source);
    formats_source_close(source);
    return certain;
}
