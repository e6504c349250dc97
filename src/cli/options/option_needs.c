#include "cli/options/option_needs.h"

#include "base/text.h"

#include <string.h>

enum { OTHERS_MAX = 8 };

/* One of `others` is enough. They hold for every command that has the option and one of
 * the others at least. */
static const struct {
    const char *option;
    const char *others[OTHERS_MAX];
} needs[] = {
    {"attempts", {"provision"}},
    {"baseline-from", {"baseline"}},
    {"by", {"self-test"}},
    {"interval-hours", {"price-per-hour"}},
    {"loss", {"derive"}},
    {"only", {"suite"}},
    {"report-name",
     {"github", "export-html", "export-junit", "export-pr-comment",
      "export-openmetrics", "export-bencher", "export-github-benchmark"}},
    {"resume", {"suite"}},
    {"retry-after", {"provision"}},
    {"time-budget", {"suite"}},
    {"triples", {"published"}},
};

/* -1: the command has no such option. */
static int row_of(const struct cli_option *rows, const char *name)
{
    for (int i = 0; rows[i].name != NULL; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The others that the command has, "--a, --b or --c"; false: it has none, or one of
 * them is given. */
static bool lacks(const struct cli_option *rows, const bool *given,
                  const char *const others[OTHERS_MAX], struct text *ret_names)
{
    const char *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < OTHERS_MAX && others[i] != NULL; i++) {
        int row = row_of(rows, others[i]);
        if (row >= 0 && given[row]) {
            return false;
        }
        if (row >= 0 && last != NULL) {
            text_append_format(ret_names, "%s--%s", count++ == 0 ? "" : ", ", last);
        }
        last = row >= 0 ? others[i] : last;
    }
    if (last != NULL) {
        text_append_format(ret_names, "%s--%s", count == 0 ? "" : " or ", last);
    }
    return last != NULL;
}

bool option_needs_check(const struct cli_command *command, const bool *given)
{
    const struct cli_option *rows = command->options;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        struct text names = {0};
        int row = row_of(rows, needs[i].option);
        bool missing =
            row >= 0 && given[row] && lacks(rows, given, needs[i].others, &names);
        if (missing) {
            (void)cli_usage(command,
                            "--%s goes with %s: give it, too, or leave --%s out",
                            needs[i].option, text_string(&names), needs[i].option);
        }
        text_release(&names);
        if (missing) {
            return false;
        }
    }
    return true;
}
