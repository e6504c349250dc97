#include "cli/page/site_write.h"

#include "base/alloc.h"
#include "base/file.h"
#include "cli/page/page_write.h"
#include "report/html/html_site.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct site {
    struct store *store;
    const struct site_plan *plan;
    const struct site_request *request;
    char **hrefs;                    /* of the pages */
    struct html_site_entry *entries; /* as the plan's members */
};

/* NULL: no memory. That of an experiment that was merged may have any uuid. */
static char *name_page(const struct site_member *first)
{
    bool plain = first->uuid[0] != '\0' &&
                 first->uuid[strspn(first->uuid, "0123456789abcdefABCDEF-")] == '\0';
    return plain ? alloc_format("report-%s.html", first->uuid)
                 : alloc_format("report-of-%" PRId64 ".html", first->id);
}

/* Called by the first member's uuid: the same page has the same name the next time. */
static enum duet_code name_pages(struct site *site, struct duet_error *reterr)
{
    const struct site_plan *plan = site->plan;
    for (size_t i = 0; i < plan->count; i++) {
        char **href = &site->hrefs[plan->members[i].page];
        if (*href == NULL) {
            *href = name_page(&plan->members[i]);
        }
        if (*href == NULL) {
            return error_no_memory(reterr);
        }
    }
    return DUET_OK;
}

static void note(struct site *site, size_t first, const struct answer *answers,
                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct site_member *member = &site->plan->members[first + i];
        const struct model_comparison *comparison = &answers[i].comparison;
        site->entries[first + i] = (struct html_site_entry){
            .name = member->name,
            .history = member->history,
            .report = member->page,
            .anchor = i + 1,
            .started_utc_ms = member->started_utc_ms,
            .ratio = comparison->ratio,
            .low = comparison->interval.low,
            .high = comparison->interval.high,
            .verdict = comparison->verdict,
            .beside = count > 1 && comparison->role != MODEL_ROLE_COMPARISON};
    }
}

static enum duet_code write_answers(struct site *site, size_t first,
                                    const struct answer *answers, size_t count,
                                    const size_t *history, struct duet_error *reterr)
{
    const struct page_request request = {.index = "index.html", .history = history};
    struct answers_overall overall = {.comparisons = NULL};
    const char *href = site->hrefs[site->plan->members[first].page];
    char *path = alloc_format("%s/%s", site->request->folder, href);
    enum duet_code code = path == NULL
                              ? error_no_memory(reterr)
                              : answers_sum_up(answers, count, &overall, reterr);
    if (code == DUET_OK) {
        code = page_write(path, site->store, answers, &overall, &request, NULL, reterr);
    }
    answers_overall_release(&overall);
    free(path);
    return code;
}

/* The page of members [first, first + count). */
static enum duet_code write_page(struct site *site, size_t first, size_t count,
                                 struct duet_error *reterr)
{
    int64_t *ids = alloc_array(count, sizeof *ids);
    size_t *history = alloc_array(count, sizeof *history);
    struct answer *answers = alloc_array(count, sizeof *answers);
    bool all = ids != NULL && history != NULL && answers != NULL;
    size_t made = 0;
    for (size_t i = 0; i < count && all; i++) {
        ids[i] = site->plan->members[first + i].id;
        history[i] = site->plan->members[first + i].history;
    }
    enum duet_code code =
        all ? answers_recall_rows(site->store, ids, count, site->request->overrides,
                                  answers, reterr)
            : error_no_memory(reterr);
    made = code == DUET_OK ? count : 0;
    if (code == DUET_OK) {
        note(site, first, answers, count);
        code = write_answers(site, first, answers, count, history, reterr);
    }
    answers_free(answers, made);
    free(history);
    free(ids);
    return code;
}

static enum duet_code write_pages(struct site *site, struct duet_error *reterr)
{
    const struct site_plan *plan = site->plan;
    enum duet_code code = DUET_OK;
    for (size_t first = 0; first < plan->count && code == DUET_OK;) {
        size_t count = 1;
        while (first + count < plan->count &&
               plan->members[first + count].page == plan->members[first].page) {
            count++;
        }
        code = write_page(site, first, count, reterr);
        first += count;
    }
    return code;
}

static enum duet_code write_index(const struct site *site, struct duet_error *reterr)
{
    struct text text = {0};
    char *path = alloc_format("%s/index.html", site->request->folder);
    const struct html_site index = {.title = site->request->title,
                                    .hrefs = (const char *const *)site->hrefs,
                                    .report_count = site->plan->page_count,
                                    .entries = site->entries,
                                    .entry_count = site->plan->count,
                                    .history_count = site->plan->history_count};
    if (path == NULL) {
        return error_no_memory(reterr);
    }
    html_site(&text, &index);
    enum duet_code code = file_write_text(path, &text, reterr);
    free(path);
    return code;
}

enum duet_code site_write(struct store *store, const struct site_plan *plan,
                          const struct site_request *request, struct duet_error *reterr)
{
    struct site site = {.store = store, .plan = plan, .request = request};
    site.hrefs = alloc_array(plan->page_count, sizeof *site.hrefs);
    site.entries = alloc_array(plan->count, sizeof *site.entries);
    enum duet_code code = site.hrefs == NULL || site.entries == NULL
                              ? error_no_memory(reterr)
                              : name_pages(&site, reterr);
    if (code == DUET_OK && mkdir(request->folder, 0777) != 0 && errno != EEXIST) {
        code = error_set_errno(reterr, DUET_E_IO, errno, "cannot make the folder '%s'",
                               request->folder);
    }
    if (code == DUET_OK) {
        code = write_pages(&site, reterr);
    }
    if (code == DUET_OK) {
        code = write_index(&site, reterr);
    }
    for (size_t i = 0; i < plan->page_count && site.hrefs != NULL; i++) {
        free(site.hrefs[i]);
    }
    free(site.hrefs);
    free(site.entries);
    return code;
}
