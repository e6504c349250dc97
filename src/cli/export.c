#include "cli/export.h"

#include "analysis/overall.h"
#include "base/alloc.h"
#include "base/file.h"
#include "cli/document.h"
#include "cli/json_file.h"

#include <stdlib.h>

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

enum duet_code export_terminal(const struct answer *answers, size_t count,
                               const struct report_style *style,
                               struct duet_error *reterr)
{
    struct text text = {0};
    struct model_geomean geomean;
    struct model_comparison *comparisons = answers_comparisons(answers, count);
    if (comparisons == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    bool several = analysis_geomean(comparisons, count, &geomean);
    report_terminal(&text, comparisons, count, several ? &geomean : NULL, style);
    free(comparisons);
    return file_write_text("-", &text, reterr);
}

enum duet_code export_csv(const char *path, const struct answer *answers, size_t count,
                          struct duet_error *reterr)
{
    struct text text = {0};
    struct model_comparison *comparisons = answers_comparisons(answers, count);
    if (comparisons == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    report_csv(&text, comparisons, count);
    free(comparisons);
    return hinted(file_write_text(path, &text, reterr), reterr);
}

enum duet_code export_markdown(const char *path, const struct answer *answers,
                               size_t count, const struct report_style *style,
                               struct duet_error *reterr)
{
    struct text text = {0};
    struct model_comparison *comparisons = answers_comparisons(answers, count);
    if (comparisons == NULL) {
        return error_set(reterr, DUET_E_NOMEM, "out of memory");
    }
    struct model_geomean geomean;
    report_markdown(&text, comparisons, count, style);
    if (analysis_geomean(comparisons, count, &geomean)) {
        report_markdown_geomean(&text, &geomean, style);
    }
    free(comparisons);
    return hinted(file_write_text(path, &text, reterr), reterr);
}

enum duet_code export_json(const char *path, struct store *store,
                           const struct answer *answers, size_t count,
                           struct duet_error *reterr)
{
    json_t *document = NULL;
    enum duet_code code = document_make(store, answers, count, &document, reterr);
    if (code != DUET_OK) {
        return code;
    }
    return hinted(file_write_json(path, document, reterr), reterr);
}
