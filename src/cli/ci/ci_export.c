#include "cli/ci/ci_export.h"

#include "base/file.h"
#include "cli/ci/github.h"
#include "cli/json_file.h"
#include "report/ci/ci_report.h"

bool ci_export_option_take(struct ci_exports *exports, int id, const char *value)
{
    if (id >= CI_EXPORT_OPTION_FIRST && id < CI_EXPORT_OPTION_FIRST + CI_EXPORTS) {
        exports->paths[id - CI_EXPORT_OPTION_FIRST] = value;
    } else if (id == CI_EXPORT_OPTION_NAME) {
        exports->name = value;
    } else if (id == CI_EXPORT_OPTION_GITHUB) {
        exports->github = true;
    } else {
        return false;
    }
    return true;
}

bool ci_export_wanted(const struct ci_exports *exports)
{
    bool wanted = exports->github;
    for (size_t i = 0; i < CI_EXPORTS; i++) {
        wanted = wanted || exports->paths[i] != NULL;
    }
    return wanted;
}

static enum duet_code write_one(enum ci_export format, const char *path,
                                const struct ci_report *report,
                                struct duet_error *reterr)
{
    struct text text = {0};
    switch (format) {
    case CI_EXPORT_BENCHER:
        return file_write_json(path, ci_bencher(report), reterr);
    case CI_EXPORT_GITHUB_BENCHMARK:
        return file_write_json(path, ci_github_benchmark(report), reterr);
    case CI_EXPORT_JUNIT:
        ci_append_junit(&text, report);
        break;
    case CI_EXPORT_COMMENT:
        ci_append_comment(&text, report, CI_COMMENT_BYTES);
        break;
    case CI_EXPORT_OPENMETRICS:
        ci_append_openmetrics(&text, report);
        break;
    case CI_EXPORTS:
        break;
    }
    return file_write_text(path, &text, reterr);
}

enum duet_code ci_export_write(const struct ci_exports *exports,
                               const struct answers_overall *overall,
                               int64_t started_utc_s, struct duet_error *reterr)
{
    const struct ci_report report = {
        .name = exports->name != NULL ? exports->name : "duet",
        .comparisons = overall->comparisons,
        .count = overall->count,
        .took_s = overall->took_s,
        .geomean = overall->has_geomean ? &overall->geomean : NULL,
        .started_utc_s = started_utc_s};
    enum duet_code code = DUET_OK;
    for (size_t i = 0; i < CI_EXPORTS && code == DUET_OK; i++) {
        if (exports->paths[i] != NULL) {
            code = write_one((enum ci_export)i, exports->paths[i], &report, reterr);
        }
    }
    if (code == DUET_OK && exports->github) {
        code = github_write(&report, exports->paths[CI_EXPORT_COMMENT], reterr);
    }
    return code;
}
