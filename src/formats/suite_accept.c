/* A regression that a suite's file accepts. */
#include "formats/suite_schema.h"

#include "base/day.h"
#include "base/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum duet_code limit_read(struct suite_document *document,
                                 const struct suite_at *at, void *field)
{
    char *text = NULL;
    double limit = 0;
    struct duet_error error;
    enum duet_code code = suite_text(document, at, &text);
    if (code == DUET_OK &&
        (parse_change(text, "it", &limit, &error) != DUET_OK || !(limit > 0))) {
        code = suite_fail(document, at,
                          "'%s' is not a slowdown above 0 %%, such as 5%%", text);
    }
    if (code == DUET_OK) {
        *(double *)field = limit;
    }
    free(text);
    return code;
}

static enum duet_code reason_read(struct suite_document *document,
                                  const struct suite_at *at, void *field)
{
    const struct model_acceptance *sample = NULL;
    char *text = NULL;
    enum duet_code code = suite_text(document, at, &text);
    if (code == DUET_OK && strlen(text) >= sizeof sample->reason) {
        code = suite_fail(document, at, "a reason has at most %zu bytes",
                          sizeof sample->reason - 1);
    }
    if (code == DUET_OK) {
        (void)snprintf(field, sizeof sample->reason, "%s", text);
    }
    free(text);
    return code;
}

static enum duet_code until_read(struct suite_document *document,
                                 const struct suite_at *at, void *field)
{
    const struct model_acceptance *sample = NULL;
    char *text = NULL;
    int64_t utc_ms = 0;
    enum duet_code code = suite_text(document, at, &text);
    if (code == DUET_OK && !day_read(text, &utc_ms)) {
        code = suite_fail(document, at, "'%s' is not a date such as 2026-12-31", text);
    }
    if (code == DUET_OK) {
        (void)snprintf(field, sizeof sample->until, "%s", text);
    }
    free(text);
    return code;
}

static const struct suite_field accept_fields[] = {
    {"limit", limit_read, offsetof(struct model_acceptance, limit)},
    {"reason", reason_read, offsetof(struct model_acceptance, reason)},
    {"until", until_read, offsetof(struct model_acceptance, until)},
    {NULL, NULL, 0}};

enum duet_code suite_read_accept(struct suite_document *document,
                                 const struct suite_at *at, void *field)
{
    struct model_acceptance *acceptance = field;
    struct suite_shape shape = {.fields = accept_fields, .into = acceptance};
    enum duet_code code = suite_shape_read(document, at, &shape);
    bool whole = acceptance->limit > 0 && acceptance->reason[0] != '\0' &&
                 acceptance->until[0] != '\0';
    return code == DUET_OK && !whole
               ? suite_fail(document, at,
                            "it needs 'limit', 'reason' and 'until': "
                            "{limit: 5%%, reason: ..., until: 2026-12-31}")
               : code;
}
