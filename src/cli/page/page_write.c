#include "cli/page/page_write.h"

#include "base/file.h"
#include "cli/document.h"
#include "report/ci/ci_names.h"
#include "report/html/html_page.h"
#include "session/comparison/tracing.h"

#include <stdlib.h>

struct page_file {
    struct file_output output;
    uint64_t bytes;
};

/* Releases the text. */
static enum duet_code flush(struct page_file *file, struct text *text,
                            struct duet_error *reterr)
{
    enum duet_code code =
        text_failed(text)
            ? error_no_memory(reterr)
            : file_write(&file->output, text_string(text), text->length, reterr);
    file->bytes += text->length;
    text_release(text);
    *text = (struct text){.bytes = NULL};
    return code;
}

static struct html_facts facts_of(const struct answer *answer,
                                  const struct page_request *request, size_t index)
{
    const struct store_experiment *stored = &answer->experiment;
    bool known = stored->id != 0 && !request->scratch;
    return (struct html_facts){
        .host = known ? &stored->host : NULL,
        .load_before = known ? &stored->load_before : NULL,
        .steal_pct = 100 * model_host_stolen(&stored->load_before, &stored->load_after),
        .experiment = known ? stored->id : 0,
        .uuid = known ? stored->uuid : NULL,
        .started_utc_ms = known ? stored->started_utc_ms : 0,
        .seed = stored->seed,
        .duet_version = known ? stored->duet_version : NULL,
        .history = request->history != NULL ? request->history[index] : 0};
}

static enum duet_code write_benchmarks(struct page_file *file, struct store *store,
                                       const struct answer *answers,
                                       const struct page_request *request,
                                       const struct html_page *page,
                                       const size_t *order, struct duet_error *reterr)
{
    struct text text = {0};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < page->count && code == DUET_OK; i++) {
        const struct answer *answer = &answers[order[i]];
        struct html_facts facts = facts_of(answer, request, order[i]);
        struct model_trace trace = {.paired = false};
        code = tracing_make(store, answer, &trace, reterr);
        if (code == DUET_OK) {
            html_page_benchmark(&text, page, order[i], &trace, &facts);
            code = flush(file, &text, reterr);
        }
        model_trace_release(&trace);
    }
    return code;
}

static enum duet_code write_page(struct page_file *file, struct store *store,
                                 const struct answer *answers,
                                 const struct page_request *request,
                                 const struct html_page *page,
                                 struct duet_error *reterr)
{
    struct text text = {0};
    size_t *order = html_page_order(page);
    if (order == NULL) {
        return error_no_memory(reterr);
    }
    html_page_begin(&text, page, order);
    enum duet_code code = flush(file, &text, reterr);
    if (code == DUET_OK) {
        code = write_benchmarks(file, store, answers, request, page, order, reterr);
    }
    if (code == DUET_OK) {
        html_page_end(&text);
        code = flush(file, &text, reterr);
    }
    free(order);
    return code;
}

enum duet_code page_write(const char *path, struct store *store,
                          const struct answer *answers,
                          const struct answers_overall *overall,
                          const struct page_request *request, uint64_t *ret_bytes,
                          struct duet_error *reterr)
{
    struct text title = {0};
    struct page_file file = {.bytes = 0};
    if (request->title != NULL) {
        text_append(&title, request->title);
    } else if (overall->count == 1) {
        text_append(&title, ci_name_of(overall->comparisons));
    } else {
        text_append_format(&title, "duet: %zu benchmarks", overall->count);
    }
    const struct html_page page = {
        .title = text_string(&title),
        .comparisons = overall->comparisons,
        .count = overall->count,
        .geomean = overall->has_geomean ? &overall->geomean : NULL,
        .started_utc_ms =
            overall->count > 0 && !request->scratch
                ? document_first(answers, overall->count)->experiment.started_utc_ms
                : 0,
        .index = request->index};
    enum duet_code code = text_failed(&title) ? error_no_memory(reterr)
                                              : file_open(path, &file.output, reterr);
    if (code == DUET_OK) {
        code = write_page(&file, store, answers, request, &page, reterr);
        code = file_close(&file.output, code, reterr);
    }
    if (code == DUET_OK && ret_bytes != NULL) {
        *ret_bytes = file.bytes;
    }
    text_release(&title);
    return code;
}
