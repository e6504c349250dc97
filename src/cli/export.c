#include "cli/export.h"

#include "base/alloc.h"
#include "base/file.h"
#include "cli/document.h"
#include "report/plot/comparison_picture.h"
#include "session/comparison/tracing.h"
#include "store/store_merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What was measured is not lost with the file. */
static enum duet_code hinted(enum duet_code code, const struct store *store,
                             struct duet_error *reterr)
{
    if (code != DUET_E_IO || !store_is_kept(store)) {
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

enum duet_code export_csv(const char *path, const struct store *store,
                          const struct answers_overall *overall,
                          struct duet_error *reterr)
{
    struct text text = {0};
    report_csv(&text, overall->comparisons, overall->count);
    return hinted(file_write_text(path, &text, reterr), store, reterr);
}

enum duet_code export_markdown(const char *path, const struct store *store,
                               const struct answers_overall *overall,
                               const struct report_style *style,
                               struct duet_error *reterr)
{
    struct text text = {0};
    report_markdown(&text, overall->comparisons, overall->count, style);
    if (overall->has_geomean) {
        report_markdown_geomean(&text, &overall->geomean, style);
    }
    return hinted(file_write_text(path, &text, reterr), store, reterr);
}

struct json_target {
    struct file_output file;
    const struct store *store;
};

static enum duet_code write_piece(void *context, const char *bytes, size_t length,
                                  struct duet_error *reterr)
{
    const struct json_target *target = context;
    return hinted(file_write(&target->file, bytes, length, reterr), target->store,
                  reterr);
}

enum duet_code export_json(const char *path, struct store *store,
                           const struct answer *answers,
                           const struct answers_overall *overall,
                           struct duet_error *reterr)
{
    struct json_target target = {.store = store};
    enum duet_code code = hinted(file_open(path, &target.file, reterr), store, reterr);
    if (code != DUET_OK) {
        return code;
    }
    struct json_writer writer = {.write = write_piece, .context = &target};
    document_write(&writer, store, answers, overall);
    text_append(&writer.text, file_is_stdout(path) ? "\n" : "");
    code = json_writer_finish(&writer, reterr);
    bool written = code == DUET_OK;
    code = file_close(&target.file, code, reterr);
    return written ? hinted(code, store, reterr) : code;
}

enum duet_code export_store(const char *path, struct store *store,
                            const struct answer *answers, size_t count,
                            struct duet_error *reterr)
{
    int64_t *ids = alloc_array(count, sizeof *ids);
    if (ids == NULL) {
        return error_no_memory(reterr);
    }
    for (size_t i = 0; i < count; i++) {
        ids[i] = answers[i].experiment.id;
    }
    enum duet_code code = store_export(store, ids, count, path, reterr);
    free(ids);
    return hinted(code, store, reterr);
}

typedef double quantiles_of_one[MODEL_TRACE_QUANTILES];

/* One at a time: of each only its quantiles are kept. */
static enum duet_code read_quantiles(struct store *store, const struct answer *answers,
                                     size_t count, quantiles_of_one *ret_quantiles,
                                     struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        struct model_trace trace = {.paired = false};
        code = tracing_make(store, &answers[i], &trace, reterr);
        for (int q = 0; q < MODEL_TRACE_QUANTILES; q++) {
            bool known = trace.paired && trace.counts[MODEL_OLD] > 0;
            ret_quantiles[i][q] = known ? trace.densities[0].quantiles[q] : (double)NAN;
        }
        model_trace_release(&trace);
    }
    return code;
}

/* 0: by another program, at a time that is not known. */
static int64_t measured_utc_ms(const struct answer *answer)
{
    const struct store_experiment *stored = &answer->experiment;
    return stored->host.host_name[0] != '\0' ? stored->started_utc_ms : 0;
}

static enum duet_code draw_several(struct text *text, struct store *store,
                                   const struct answer *answers,
                                   const struct answers_overall *overall,
                                   struct duet_error *reterr)
{
    quantiles_of_one *quantiles = alloc_array(overall->count, sizeof *quantiles);
    enum duet_code code =
        quantiles == NULL
            ? error_no_memory(reterr)
            : read_quantiles(store, answers, overall->count, quantiles, reterr);
    int64_t started_utc_ms[2] = {0, 0};
    for (size_t i = 0; i < overall->count; i++) {
        int64_t own = measured_utc_ms(&answers[i]);
        bool first = started_utc_ms[0] == 0 || own < started_utc_ms[0];
        started_utc_ms[0] = own > 0 && first ? own : started_utc_ms[0];
        started_utc_ms[1] = own > started_utc_ms[1] ? own : started_utc_ms[1];
    }
    if (code == DUET_OK) {
        comparison_picture_several(text, overall->comparisons,
                                   (const double(*)[MODEL_TRACE_QUANTILES])quantiles,
                                   overall->count, started_utc_ms);
    }
    free(quantiles);
    return code;
}

static double steal_pct_of(const struct answer *answer)
{
    const struct store_experiment *stored = &answer->experiment;
    return 100 * model_host_stolen(&stored->load_before, &stored->load_after);
}

enum duet_code export_svg(const char *path, struct store *store,
                          const struct answer *answers,
                          const struct answers_overall *overall,
                          struct duet_error *reterr)
{
    struct text text = {0};
    struct model_trace trace = {.paired = false};
    enum duet_code code = DUET_OK;
    if (overall->count == 1) {
        const struct course course = {.comparison = overall->comparisons,
                                      .trace = &trace,
                                      .steal_pct = steal_pct_of(answers),
                                      .started_utc_ms = measured_utc_ms(answers)};
        code = tracing_make(store, answers, &trace, reterr);
        if (code == DUET_OK) {
            comparison_picture(&text, &course);
        }
        model_trace_release(&trace);
    } else {
        code = draw_several(&text, store, answers, overall, reterr);
    }
    if (code == DUET_OK) {
        return hinted(file_write_text(path, &text, reterr), store, reterr);
    }
    text_release(&text);
    return code;
}
