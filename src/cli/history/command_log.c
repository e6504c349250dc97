/* duet log [GIT-LOG-ARGUMENTS] */
#include "base/alloc.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/history/history_words.h"
#include "cli/options/option.h"
#include "cli/options/shared_option.h"
#include "cli/terminal.h"
#include "report/columns.h"
#include "report/display.h"
#include "report/words.h"
#include "session/git/git_call.h"
#include "session/history/commit_verdict.h"
#include "session/storage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum log_option { OPTION_BENCHMARK = CLI_OPTION_FIRST };
/* Words of git log, beside those that are given. */
enum { WORDS_MOST = 50, WORDS_OWN = 4 };

static const struct cli_option log_rows[] = {
    {"benchmark", 0, "NAME", OPTION_BENCHMARK,
     "Show the verdicts of this benchmark: its name, a part of it or a shell pattern. "
     "Default: the worst of all benchmarks."},
    SHARED_OPTION_STORE_READ_ROW,
    {"no-color", 0, NULL, OUTPUT_OPTION_NO_COLOR,
     "Print no colours, like the variable NO_COLOR. Default: colours on a terminal."},
    CLI_OPTION_END_ROWS};

struct log_command {
    struct output_options output;
    const char *store;
    const char *benchmark;
    const char *format;
    bool rewritten; /* git's parents are those of the commits that it shows */
    const char *words[WORDS_MOST + WORDS_OWN + 1];
};

static enum duet_code take(void *context, struct cli_options *parsed, int id,
                           struct duet_error *reterr)
{
    struct log_command *log = context;
    const struct shared_options shared = {.output = &log->output, .store = &log->store};
    enum duet_code code = DUET_OK;
    if (id == OPTION_BENCHMARK) {
        log->benchmark = parsed->value;
    } else {
        (void)shared_option_take(&shared, parsed, id, &code, reterr);
    }
    return code;
}

/* ---- A line ---- */

static const char *word_of(const struct commit_verdict *verdict)
{
    return verdict->known ? model_verdict_name(verdict->verdict) : "";
}

static void append_verdict(struct text *text, const struct commit_verdict *verdict,
                           const struct report_style *style)
{
    enum { VERDICT_WIDTH = 9, CHANGE_WIDTH = 10 };
    struct text change = {0};
    enum display_paint paint =
        verdict->known ? words_verdict_paint(verdict->verdict) : DISPLAY_PLAIN;
    if (verdict->known && isfinite(verdict->ratio)) { /* else not measured: identical */
        history_append_change(&change, verdict->ratio, verdict->low, verdict->high);
    }
    columns_append_painted(text, -VERDICT_WIDTH, style, paint, word_of(verdict));
    columns_append_painted(text, CHANGE_WIDTH, style, paint, text_string(&change));
    text_append(text, "  ");
    display_drop(text, &change);
}

enum { COMMIT_SHOWN = 7, HASH_LEAST = 40 };

struct lines {
    const struct log_command *log;
    const struct git_repo *repo;
    const struct commit_verdicts *verdicts;
    struct report_style style;
};

/* Beside its own parent; *ret_parent, in `parent_text`: that, NULL: none is known. */
static struct commit_verdict find(const struct lines *lines, const char *hash,
                                  struct text *parent_text, const char **ret_parent)
{
    struct commit_verdict verdict =
        commit_verdicts_find(lines->verdicts, hash, *ret_parent);
    char *object = alloc_format("%s^", hash);
    const char *const words[] = {"rev-parse", "--verify", object, NULL};
    const struct git_words call = {.words = words};
    if (lines->log->rewritten && verdict.known && object != NULL &&
        git_call(lines->repo, &call, parent_text, NULL) == DUET_OK) {
        *ret_parent = text_string(parent_text);
        verdict = commit_verdicts_find(lines->verdicts, hash, *ret_parent);
    }
    free(object);
    return verdict;
}

/* "\x01HASH PARENTS\x02REST", perhaps behind what --graph draws; other lines (of -p,
 * --stat), which may hold anything, stay as they are. */
static void append_line(struct text *text, char *line, const struct lines *lines)
{
    const struct report_style *style = &lines->style;
    char *hash = strchr(line, '\x01');
    bool is_commit = hash != NULL && strspn(hash + 1, "0123456789abcdef") >= HASH_LEAST;
    char *rest = is_commit ? strchr(hash, '\x02') : NULL;
    if (rest == NULL) {
        display_append_message(text, line, style->unicode);
        text_append_char(text, '\n');
        return;
    }
    *hash++ = '\0';
    *rest++ = '\0';
    char *save = NULL;
    hash = strtok_r(hash, " ", &save);
    const char *parent = strtok_r(NULL, " ", &save);
    struct text parent_text = {0};
    const struct commit_verdict verdict = find(lines, hash, &parent_text, &parent);
    display_append_clean(text, line, style->unicode);
    append_verdict(text, &verdict, style);
    display_append_clean(text, rest, style->unicode);
    if (verdict.known && (parent == NULL || strcmp(verdict.base, parent) != 0)) {
        char base[COMMIT_SHOWN + 1];
        (void)snprintf(base, sizeof base, "%.*s", COMMIT_SHOWN, verdict.base);
        text_append(text, " (since ");
        display_append_clean(text, base, style->unicode);
        text_append_char(text, ')');
    }
    if (verdict.known && verdict.others > 0) {
        text_append_format(text, " (and %zu other benchmark%s)", verdict.others,
                           verdict.others == 1 ? "" : "s");
    }
    text_append_char(text, '\n');
    text_release(&parent_text);
}

/* ---- All ---- */

static enum duet_code show(const struct log_command *log, const struct git_repo *repo,
                           const struct commit_verdicts *verdicts,
                           struct duet_error *reterr)
{
    const struct lines context = {.log = log,
                                  .repo = repo,
                                  .verdicts = verdicts,
                                  .style = output_style(&log->output)};
    struct text output = {0};
    struct text text = {0};
    const struct git_words call = {.words = log->words};
    struct duet_error error = {0};
    enum duet_code code = git_call(repo, &call, &output, &error);
    for (size_t i = 0; i < output.length; i++) { /* of -z, or in a patch */
        if (output.bytes[i] == '\0') {
            output.bytes[i] = '\n';
        }
    }
    char *lines = code == DUET_OK ? text_take(&output) : NULL;
    text_release(&output);
    if (code != DUET_OK) { /* what git does not know is the user's */
        return error_set(reterr, code == DUET_E_NOT_FOUND ? DUET_E_USAGE : code, "%s",
                         error.message);
    }
    char *rest = lines;
    while (rest != NULL && *rest != '\0') {
        char *line = rest;
        rest += strcspn(rest, "\n");
        if (*rest == '\n') {
            *rest++ = '\0';
        }
        append_line(&text, line, &context);
    }
    free(lines);
    return file_write_text("-", &text, reterr);
}

static int tell(const struct log_command *log)
{
    struct git_repo repo = {.cancel_fd = -1};
    struct commit_verdicts verdicts = {0};
    struct store *store = NULL;
    struct duet_error error = {0};
    enum duet_code code = git_open(&repo, &error);
    if (code == DUET_OK) {
        code = storage_open(log->store, false, &store, &error);
    }
    if (code == DUET_OK) {
        code = commit_verdicts_load(store, log->benchmark, &verdicts, &error);
    }
    if (code == DUET_OK) {
        code = show(log, &repo, &verdicts, &error);
    }
    commit_verdicts_release(&verdicts);
    store_close(store);
    git_close(&repo);
    return code == DUET_OK ? CLI_EXIT_OK : cli_fail(&error);
}

/* ---- Arguments ---- */

/* Words that an option of duet takes, itself included; 0: it is git's. */
static int own_words(const char *word)
{
    for (size_t i = 0; log_rows[i].name != NULL; i++) {
        const char *name = log_rows[i].name;
        size_t length = strlen(name);
        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, length) == 0) {
            const char *end = word + 2 + length;
            bool value = log_rows[i].argument != NULL;
            if (*end == '=' || (*end == '\0' && !value)) {
                return 1;
            }
            if (*end == '\0') {
                return 2;
            }
        }
    }
    return strcmp(word, "-h") == 0 ? 1 : 0;
}

/* Whether it asks git for other lines than duet's. */
static bool sets_format(const char *word)
{
    static const char *const begins[] = {"--pretty=", "--format="};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(word, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return strcmp(word, "--oneline") == 0 || strcmp(word, "--pretty") == 0;
}

/* Whether git then tells the parents of a history without the commits that it leaves
 * out. */
static bool rewrites_parents(const char *word)
{
    static const char *const begins[] = {"--graph", "--parents", "--children",
                                         "--simplify", "-L"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (strncmp(word, begins[i], strlen(begins[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* git's words go behind `log`, duet's stay in `own`. Returns false: too many. */
static bool part(int argc, char **argv, struct log_command *log, char **own,
                 int *ret_own)
{
    size_t count = 0;
    bool paths = false; /* all words are, from here on */
    log->words[count++] = "log";
    log->words[count++] = "--no-show-signature";
    log->words[count++] =
        "--no-color"; /* its escape sequences would be made harmless */
    log->words[count++] = log->format;
    *ret_own = 0;
    own[(*ret_own)++] = argv[0];
    for (int i = 1; i < argc; i++) {
        int taken = paths ? 0 : own_words(argv[i]);
        for (int k = 0; k < taken && i + k < argc; k++) {
            own[(*ret_own)++] = argv[i + k];
        }
        i += taken > 0 ? taken - 1 : 0;
        paths = paths || strcmp(argv[i], "--") == 0;
        if (taken > 0 || (!paths && sets_format(argv[i]))) {
            continue;
        }
        if (count >= WORDS_MOST + WORDS_OWN) {
            return false;
        }
        log->rewritten = log->rewritten || (!paths && rewrites_parents(argv[i]));
        log->words[count++] = argv[i];
    }
    log->words[count] = NULL;
    return true;
}

static int log_main(const struct cli_command *command, int argc, char **argv)
{
    struct log_command log = {.output = {.verbosity = 1},
                              .format = terminal_is(stdout)
                                            ? "--format=%x01%H %P%x02%h%d %s"
                                            : "--format=%x01%H %P%x02%h %s"};
    char **own = alloc_array((size_t)argc + 1, sizeof *own);
    int count = 0;
    int status = CLI_EXIT_USAGE;
    if (own == NULL) {
        struct duet_error error;
        (void)error_no_memory(&error);
        return cli_fail(&error);
    }
    if (!part(argc, argv, &log, own, &count)) {
        status = cli_usage(command, "more than %d words for git log", WORDS_MOST);
    } else {
        status = cli_options_parse_all(command, count, own, take, &log);
        status = status < 0 ? tell(&log) : status;
    }
    free((void *)own);
    return status;
}

const struct cli_command command_log = {
    .name = "log",
    .synopsis = "[OPTIONS] [GIT-LOG-ARGUMENTS...]",
    .summary = "git log with what was measured of each commit",
    .description =
        "Shows commits as 'git log --oneline' does, each with its verdict and its change. A comparison with "
        "the commit before it comes first, else the newest one, with the commit it compares with. Of "
        "several benchmarks the worst is shown. What was not measured is blank; 'duet git' measures it.\n"
        "\n"
        "All other arguments are those of git log: a number of commits, a range, --since, --graph, paths "
        "behind --.",
    .options = log_rows,
    .examples = CLI_EXAMPLES(
        {"Show the last ten commits with what was measured of them:", "duet log -10"},
        {"Show the commits of a branch that touched a folder:",
         "duet log --first-parent main -- src"}),
    .operand = "COMMIT",
    .main = log_main,
};
