#include "formats/dataset_read.h"

#include "formats/tools/tool_read.h"

#include <string.h>

static const char *const kind_names[FORMATS_DATASET_KINDS] = {
    [FORMATS_DATASET_AUTO] = "auto",
    [FORMATS_DATASET_CSV] = "csv",
    [FORMATS_DATASET_JSON] = "json",
    [FORMATS_DATASET_GO] = "go",
};

const char *formats_dataset_kind_name(unsigned kind)
{
    return kind < FORMATS_DATASET_KINDS ? kind_names[kind] : "unknown";
}

/* FORMATS_TOOL_NONE: CSV. */
static enum formats_tool_kind tool_of(enum formats_dataset_kind kind,
                                      struct formats_source *source)
{
    switch (kind) {
    case FORMATS_DATASET_AUTO:
        return formats_tool_guess(source);
    case FORMATS_DATASET_JSON:
        return FORMATS_TOOL_JSON;
    case FORMATS_DATASET_GO:
        return FORMATS_TOOL_GO;
    case FORMATS_DATASET_CSV:
    case FORMATS_DATASET_KINDS:
    default:
        return FORMATS_TOOL_NONE;
    }
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
    enum formats_tool_kind tool = tool_of(kind, source);
    if (tool == FORMATS_TOOL_NONE) {
        code = formats_dataset_csv_read(source, options, environment, path, builder,
                                        counts, reterr);
    } else if (formats_dataset_is_paired(options)) {
        code = error_set(reterr, DUET_E_USAGE, "'%s': only CSV can hold pairs", path);
    } else {
        struct formats_left_out left_out = {.count = 0};
        code = formats_tool_dataset_read(source, tool, environment, path, builder,
                                         &left_out, reterr);
        counts->missing += left_out.count;
        formats_left_out_release(&left_out);
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

bool formats_dataset_is_certain(const char *path, bool of_two)
{
    struct formats_source *source = NULL;
    struct duet_error error;
    if (formats_source_open_plain(path, &source, &error) != DUET_OK) {
        return false;
    }
    enum formats_tool_kind tool = formats_tool_guess(source);
    bool certain =
        (!of_two && tool != FORMATS_TOOL_NONE && tool != FORMATS_TOOL_HYPERFINE) ||
        begins_as_pa(source);
    formats_source_close(source);
    return certain;
}
