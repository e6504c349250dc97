#include "cli/output.h"

#include "base/alloc.h"
#include "base/file.h"
#include "cli/document.h"
#include "cli/export.h"
#include "cli/page/page_write.h"
#include "cli/terminal.h"
#include "store/postgresql/remote_url.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum duet_code take_unit(struct output_options *options, const char *value,
                                struct duet_error *reterr)
{
    static const struct {
        const char *name;
        const char *letters;
        double ns;
    } units[] = {{"nanosecond", "ns", 1},
                 {"microsecond", "us", 1e3},
                 {"millisecond", "ms", 1e6},
                 {"second", "s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(value, units[i].name) == 0 || strcmp(value, units[i].letters) == 0) {
            options->unit_ns = units[i].ns;
            return DUET_OK;
        }
    }
    return error_set(
        reterr, DUET_E_USAGE,
        "--time-unit %s: the units are nanosecond, microsecond, millisecond, second",
        value);
}

static enum duet_code take_style(struct output_options *options, const char *value,
                                 struct duet_error *reterr)
{
    if (strcmp(value, "color") == 0 || strcmp(value, "full") == 0) {
        options->force_color = true;
    } else if (strcmp(value, "nocolor") == 0 || strcmp(value, "basic") == 0) {
        options->no_color = true;
    } else if (strcmp(value, "none") == 0) {
        options->verbosity = 0;
    } else if (strcmp(value, "auto") != 0) {
        return error_set(reterr, DUET_E_USAGE,
                         "--style %s: the styles are auto, color, nocolor, basic, none",
                         value);
    }
    return DUET_OK;
}

enum { OWN_EXPORTS = 6, EXPORTS = OWN_EXPORTS + EXPORT_RAW_KINDS + CI_EXPORTS };

typedef const char *path_of_file;

/* Every file to export to; NULL: not wanted. */
static void collect(const struct output_options *options, path_of_file paths[EXPORTS])
{
    const path_of_file own[OWN_EXPORTS] = {options->json,     options->csv,
                                           options->markdown, options->svg,
                                           options->html,     options->store};
    memcpy(paths, own, sizeof own);
    memcpy(paths + OWN_EXPORTS, options->raw, sizeof options->raw);
    memcpy(paths + OWN_EXPORTS + EXPORT_RAW_KINDS, options->ci.paths,
           sizeof options->ci.paths);
}

static size_t count_stdout(const path_of_file *paths, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += file_is_stdout(paths[i]);
    }
    return found;
}

static enum duet_code check_stdout(const path_of_file *paths, size_t count,
                                   struct duet_error *reterr)
{
    size_t found = count_stdout(paths, count);
    return found < 2
               ? DUET_OK
               : error_set(
                     reterr, DUET_E_USAGE,
                     "%zu exports go to standard output ('-') and would mix: give all but one a file",
                     found);
}

/* Whether what goes there replaces what was there: not so of /dev/null, say. */
static bool is_replaced(const char *path)
{
    struct stat status;
    return !file_is_standard(path) &&
           (stat(path, &status) != 0 || S_ISREG(status.st_mode));
}

/* Whether each has a place of its own. */
static enum duet_code check_names(const path_of_file *paths, size_t count,
                                  struct duet_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        if (paths[i] != NULL && *paths[i] == '\0') {
            return error_set(reterr, DUET_E_USAGE,
                             "an export has '' for its file: name one, or '-' for "
                             "standard output");
        }
        for (size_t j = 0; j < i && paths[i] != NULL; j++) {
            if (paths[j] != NULL && strcmp(paths[i], paths[j]) == 0 &&
                is_replaced(paths[i])) {
                return error_set(reterr, DUET_E_USAGE,
                                 "two exports go to '%s', and one would be lost: give "
                                 "each a file of its own",
                                 paths[i]);
            }
        }
    }
    return check_stdout(paths, count, reterr);
}

/* What would be known only when all is measured. */
static enum duet_code check_paths(const struct output_options *options,
                                  struct duet_error *reterr)
{
    path_of_file paths[EXPORTS];
    collect(options, paths);
    return check_names(paths, EXPORTS, reterr);
}

static void take_path(struct output_options *options, int id, const char *value)
{
    const char **path = id == OUTPUT_OPTION_JSON       ? &options->json
                        : id == OUTPUT_OPTION_CSV      ? &options->csv
                        : id == OUTPUT_OPTION_MARKDOWN ? &options->markdown
                        : id == OUTPUT_OPTION_SVG      ? &options->svg
                        : id == OUTPUT_OPTION_HTML
                            ? &options->html
                            : &options->raw[id - OUTPUT_OPTION_RAW];
    *path = value;
}

bool output_option_take(struct output_options *options, int id, const char *value,
                        enum duet_code *ret_code, struct duet_error *reterr)
{
    *ret_code = DUET_OK;
    switch (id) {
    case OUTPUT_OPTION_JSON:
    case OUTPUT_OPTION_CSV:
    case OUTPUT_OPTION_MARKDOWN:
    case OUTPUT_OPTION_SVG:
    case OUTPUT_OPTION_HTML:
    case OUTPUT_OPTION_RAW + EXPORT_RAW_CSV:
    case OUTPUT_OPTION_RAW + EXPORT_RAW_GBENCH:
    case OUTPUT_OPTION_RAW + EXPORT_RAW_GO:
        take_path(options, id, value);
        *ret_code = check_paths(options, reterr);
        return true;
    case OUTPUT_OPTION_UNIT:
        *ret_code = take_unit(options, value, reterr);
        return true;
    case OUTPUT_OPTION_QUIET:
        options->verbosity = 0;
        return true;
    case OUTPUT_OPTION_VERBOSE:
        options->verbosity = 2;
        return true;
    case OUTPUT_OPTION_NO_COLOR:
        options->no_color = true;
        return true;
    case OUTPUT_OPTION_STYLE:
        *ret_code = take_style(options, value, reterr);
        return true;
    case OUTPUT_OPTION_STORE:
        options->store = value;
        if (file_is_stdout(value)) {
            *ret_code = error_set(reterr, DUET_E_USAGE,
                                  "--export-store: a store is a file, not standard "
                                  "output: name one");
        } else {
            *ret_code = check_paths(options, reterr);
        }
        return true;
    default:
        if (!ci_export_option_take(&options->ci, id, value)) {
            return false;
        }
        *ret_code = check_paths(options, reterr);
        return true;
    }
}

struct report_style output_style(const struct output_options *options)
{
    bool color = options->force_color || terminal_has_color(stdout);
    return (struct report_style){.color = color && !options->no_color,
                                 .unicode = terminal_is_utf8(),
                                 .verbosity = options->verbosity,
                                 .unit_ns = options->unit_ns,
                                 .width = terminal_width(stdout)};
}

bool output_takes_stdout(const struct output_options *options)
{
    path_of_file paths[EXPORTS];
    collect(options, paths);
    return count_stdout(paths, EXPORTS) > 0;
}

bool output_has_export(const struct output_options *options)
{
    path_of_file paths[EXPORTS];
    bool any = false;
    collect(options, paths);
    for (size_t i = 0; i < EXPORTS; i++) {
        any = any || paths[i] != NULL;
    }
    return any;
}

bool output_needs_store(const struct output_options *options)
{
    bool raw = false;
    for (size_t i = 0; i < EXPORT_RAW_KINDS; i++) {
        raw = raw || options->raw[i] != NULL;
    }
    return raw || options->json != NULL || options->svg != NULL ||
           options->html != NULL || options->store != NULL;
}

/* The folder of a path, free(), and the name in it. NULL: no memory. */
static char *split(const char *path, const char **ret_name)
{
    const char *slash = strrchr(path, '/');
    *ret_name = slash == NULL ? path : slash + 1;
    return slash == NULL ? alloc_string(".")
                         : alloc_string_n(path, (size_t)(slash - path) + 1);
}

/* is_store: PostgreSQL may hold it. A URL is not shown: it may hold a password. */
static enum duet_code check_path(const char *path, bool is_store,
                                 struct duet_error *reterr)
{
    if (path != NULL && remote_is_url(path)) {
        return is_store
                   ? remote_url_check(path, reterr)
                   : error_set(reterr, DUET_E_USAGE,
                               "a PostgreSQL URL takes experiments only "
                               "(--export-store URL): name a file for this export");
    }
    struct stat status;
    if (path == NULL || file_is_standard(path)) {
        return DUET_OK;
    }
    bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        return error_set(reterr, DUET_E_IO,
                         "cannot export to '%s': it is a folder; name a file", path);
    }
    const char *name = NULL;
    char *folder = split(path, &name);
    if (folder == NULL) {
        return error_no_memory(reterr);
    }
    /* A file is replaced by a new one; a store and a device are written as they are. */
    bool as_it_is = exists && (is_store || !S_ISREG(status.st_mode));
    bool closed = exists && access(path, W_OK) != 0;
    int errnum = closed ? EACCES : !as_it_is && access(folder, W_OK) != 0 ? errno : 0;
    enum duet_code code = DUET_OK;
    if (errnum == ENOENT) {
        code =
            error_set(reterr, DUET_E_IO,
                      "cannot export to '%s': there is no folder '%s'; make it first, "
                      "or name another file",
                      path, folder);
    } else if (errnum != 0 && exists && !closed) {
        code =
            error_set(reterr, DUET_E_IO,
                      "cannot export to '%s': a new file replaces it, and the folder "
                      "'%s' cannot be written: %s; name a file in another folder",
                      path, folder, strerrordesc_np(errnum));
    } else if (errnum != 0) {
        code = error_set(reterr, DUET_E_IO,
                         "cannot export to '%s': %s; name a file that you may write",
                         path, strerrordesc_np(errnum));
    }
    free(folder);
    return code;
}

/* The folder that a folder is to be made in, free(). NULL: no memory. */
static char *parent_of(const char *path)
{
    const char *name = NULL;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    char *plain = alloc_string_n(path, length);
    char *parent = plain == NULL ? NULL : split(plain, &name);
    free(plain);
    return parent;
}

enum duet_code output_check_folder(const char *path, struct duet_error *reterr)
{
    struct stat status;
    if (path == NULL) {
        return DUET_OK;
    }
    if (*path == '\0') {
        return error_set(reterr, DUET_E_USAGE,
                         "pictures have '' for their folder: name one");
    }
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISDIR(status.st_mode)) {
        return error_set(reterr, DUET_E_IO,
                         "cannot draw into '%s': it is not a folder; name one", path);
    }
    char *parent = parent_of(path);
    if (parent == NULL) {
        return error_no_memory(reterr);
    }
    int errnum = access(exists ? path : parent, W_OK | X_OK) == 0 ? 0 : errno;
    free(parent);
    return errnum == 0 ? DUET_OK
                       : error_set_errno(reterr, DUET_E_IO, errnum,
                                         "cannot make the folder '%s'", path);
}

static bool is_same(const char *path, const char *other)
{
    struct stat one;
    struct stat two;
    return stat(path, &one) == 0 && stat(other, &two) == 0 &&
           one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* Also of files that are not there yet. */
static bool is_same_file(const char *path, const char *other)
{
    const char *name = NULL;
    const char *other_name = NULL;
    char *folder = split(path, &name);
    char *other_folder = split(other, &other_name);
    bool same = strcmp(path, other) == 0 || is_same(path, other) ||
                (folder != NULL && other_folder != NULL &&
                 strcmp(name, other_name) == 0 && is_same(folder, other_folder));
    free(folder);
    free(other_folder);
    return same;
}

/* Whether none would replace the store, with all that it holds. */
static enum duet_code refuse_store(const path_of_file *paths, size_t count,
                                   const char *store, struct duet_error *reterr)
{
    for (size_t i = 0; i < count; i++) {
        if (paths[i] != NULL && is_same_file(paths[i], store)) {
            return error_set(
                reterr, DUET_E_USAGE,
                "cannot export to '%s': it is the store; name another file", paths[i]);
        }
    }
    return DUET_OK;
}

/* The files, without the store that takes experiments. */
static void collect_files(const struct output_options *options,
                          path_of_file paths[EXPORTS])
{
    collect(options, paths);
    paths[OWN_EXPORTS - 1] = NULL;
}

static enum duet_code check_apart(const path_of_file *paths, size_t count,
                                  const char *store, struct duet_error *reterr)
{
    if (store != NULL) {
        return strcmp(store, "none") == 0 ? DUET_OK
                                          : refuse_store(paths, count, store, reterr);
    }
    char *found = store_default_path(".");
    enum duet_code code = found == NULL ? error_no_memory(reterr)
                                        : refuse_store(paths, count, found, reterr);
    free(found);
    return code;
}

enum duet_code output_check_files(const char *const *paths, size_t count,
                                  const char *store, struct duet_error *reterr)
{
    enum duet_code code = check_names(paths, count, reterr);
    if (code == DUET_OK) {
        code = check_apart(paths, count, store, reterr);
    }
    for (size_t i = 0; i < count && code == DUET_OK; i++) {
        code = check_path(paths[i], false, reterr);
    }
    return code;
}

enum duet_code output_check(const struct output_options *options, const char *store,
                            struct duet_error *reterr)
{
    path_of_file paths[EXPORTS];
    collect_files(options, paths);
    enum duet_code code = output_check_files(paths, EXPORTS, store, reterr);
    return code == DUET_OK ? check_path(options->store, true, reterr) : code;
}

static int64_t started_utc_s(const struct answer *answers, size_t count)
{
    return count == 0
               ? 0
               : document_first(answers, count)->experiment.started_utc_ms / 1000;
}

static enum duet_code write_raw(const struct output_options *options,
                                struct store *store, const struct answer *answers,
                                const struct answers_overall *overall,
                                struct duet_error *reterr)
{
    enum duet_code code = DUET_OK;
    for (int kind = 0; kind < EXPORT_RAW_KINDS && code == DUET_OK; kind++) {
        if (options->raw[kind] != NULL) {
            code = export_raw((enum export_raw_kind)kind, options->raw[kind], store,
                              answers, overall, reterr);
        }
    }
    return code;
}

enum duet_code output_files(const struct output_options *options, struct store *store,
                            const struct answer *answers,
                            const struct answers_overall *overall,
                            struct duet_error *reterr)
{
    struct report_style style = output_style(options);
    const struct page_request page = {.title = options->ci.name,
                                      .scratch = options->scratch};
    enum duet_code code = write_raw(options, store, answers, overall, reterr);
    if (code == DUET_OK && options->csv != NULL) {
        code = export_csv(options->csv, store, overall, reterr);
    }
    if (code == DUET_OK && options->markdown != NULL) {
        code = export_markdown(options->markdown, store, overall, &style, reterr);
    }
    if (code == DUET_OK && options->svg != NULL) {
        code = export_svg(options->svg, store, answers, overall, reterr);
    }
    if (code == DUET_OK && options->html != NULL) {
        code = page_write(options->html, store, answers, overall, &page, NULL, reterr);
    }
    if (code == DUET_OK && options->store != NULL) {
        code = export_store(options->store, store, answers, overall->count, reterr);
    }
    return code == DUET_OK
               ? ci_export_write(&options->ci, overall,
                                 started_utc_s(answers, overall->count), reterr)
               : code;
}

enum duet_code output_answers(const struct output_options *options, struct store *store,
                              const struct answer *answers, size_t count,
                              struct duet_error *reterr)
{
    struct report_style style = output_style(options);
    struct answers_overall overall = {.comparisons = NULL};
    path_of_file paths[EXPORTS];
    collect_files(options, paths);
    enum duet_code code = store == NULL
                              ? DUET_OK
                              : refuse_store(paths, EXPORTS, store_path(store), reterr);
    if (code == DUET_OK) {
        code = answers_sum_up(answers, count, &overall, reterr);
    }
    if (code == DUET_OK && !output_takes_stdout(options)) {
        code = export_terminal(&overall, &style, reterr);
    }
    if (code == DUET_OK && options->json != NULL) {
        code = export_json(options->json, store, answers, &overall, reterr);
    }
    if (code == DUET_OK) {
        code = output_files(options, store, answers, &overall, reterr);
    }
    answers_overall_release(&overall);
    return code;
}
