#include "cli/export.h"

#include "base/file.h"
#include "cli/document.h"

#include <string.h>

/* What was measured is not lost with the file. */
static enum duet_code hinted(enum duet_code code, struct duet_error *reterr)
{
    if (code != DUET_E_IO) {
        return code;
    }
    struct duet_error plain = *reterr;
    return error_set(reterr, code,
                     "%s (the results are in the store: duet show last --export-...)",
                     plain.message);
}

enum duet_code export_terminal(const struct answers_overall *overall,
                               const struct report_style *style,
                               struct duet_error *reterr)
{
    struct text text = {0};
    report_terminal(&text, overall->comparisons, overall->count,
                    overall->has_geomean ? &overall->geomean : NULL, style);
    return file_write_text("-", &text, reterr);
}

enum duet_code export_csv(const char *path, const struct answers_overall *overall,
                          struct duet_error *reterr)
{
    struct text text = {0};
    report_csv(&text, overall->comparisons, overall->count);
    return hinted(file_write_text(path, &text, reterr), reterr);
}

enum duet_code export_markdown(const char *path, const struct answers_overall *overall,
                               const struct report_style *style,
                               struct duet_error *reterr)
{
    struct text text = {0};
    report_markdown(&text, overall->comparisons, overall->count, style);
    if (overall->has_geomean) {
        report_markdown_geomean(&text, &overall->geomean, style);
    }
    return hinted(file_write_text(path, &text, reterr), reterr);
}

static enum duet_code write_piece(void *context, const char *bytes, size_t length,
                                  struct duet_error *reterr)
{
    return hinted(file_write(context, bytes, length, reterr), reterr);
}

enum duet_code export_json(const char *path, struct store *store,
                           const struct answer *answers,
                           const struct answers_overall *overall,
                           struct duet_error *reterr)
{
    struct file_output file;
    enum duet_code code = hinted(file_open(path, &file, reterr), reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct json_writer writer = {.write = write_piece, .context = &file};
    document_write(&writer, store, answers, overall);
    text_append(&writer.text, file_is_stdout(path) ? "\n" : "");
    code = json_writer_finish(&writer, reterr);
    bool written = code == DUET_OK;
    code = file_close(&file, code, reterr);
    return written ? hinted(code, reterr) : code;
}
