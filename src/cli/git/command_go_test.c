/* duet go-test [BASE [HEAD]] [PACKAGES] */
#include "cli/commands.h"
#include "cli/git/git_front.h"

static const struct cli_option go_test_rows[] = {GIT_FRONT_ROWS};

/* A benchmark that calls duettest adds itself to the file of DUET_LIST instead of being
 * measured; a test runs in its package's folder. */
static const char script[] =
    "set -eu\n"
    "command -v go >/dev/null || { echo 'duet go-test: no go on PATH' >&2; exit 127; }\n"
    "[ $# -gt 0 ] || set -- ./...\n"
    "top=$(pwd -P) tab=$(printf '\\t')\n"
    "out=$top/.duet/go number=0\n"
    "mkdir -p \"$out\"\n"
    ": >\"$top/" GIT_FRONT_LIST "\"\n"
    "go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' \"$@\" "
    ">\"$out/packages\"\n"
    "while read -r package folder; do\n"
    "    [ -n \"$package\" ] || continue\n"
    "    number=$((number + 1)) binary=$out/$number.test\n"
    "    go test -c -o \"$binary\" \"$package\"\n"
    "    grep -q DUET_LIST \"$binary\" || continue\n"
    "    (cd \"$folder\" && DUET_LIST=$out/found \"$binary\" -test.run=NONE -test.bench=. "
    "-test.benchtime=1x)\n"
    "    [ -e \"$out/found\" ] || continue\n"
    "    case $folder in \"$top\") prefix= ;; *) prefix=${folder#\"$top\"/}. ;; esac\n"
    "    while IFS=$tab read -r name words; do\n"
    "        printf \"%s\\tenv -C '%s' '%s' %s\\n\" \"$prefix$name\" \"$folder\" \"$binary\" "
    "\"$words\"\n"
    "    done <\"$out/found\" >>\"$top/" GIT_FRONT_LIST "\"\n"
    "    rm \"$out/found\"\n"
    "done <\"$out/packages\"\n";

static int go_test_main(const struct cli_command *command, int argc, char **argv)
{
    static const struct git_front front = {
        .script = script,
        .hint = "write duettest.Run(b, f) for the loop of a benchmark "
                "(bindings/go/README.md)"};
    return git_front_main(command, argc, argv, &front);
}

const struct cli_command command_go_test = {
    .name = "go-test",
    .measures = true,
    .synopsis = "[OPTIONS] [BASE [HEAD]] [PACKAGES | -- PACKAGES]",
    .summary = "compare the Go benchmarks of two commits",
    .description =
        "Checks two revisions out, as duet git does, and builds the test binaries of PACKAGES "
        "(./... by default) in both. Nothing is compiled while something is measured. Every "
        "benchmark that both have is then compared by its name, in one table. Benchmarks take "
        "part when they call duettest.Run() of bindings/go; others are left out.\n\n"
        "Words that begin with a dot are packages, and so are all words behind --.\n\n"
        "Exit status: as of duet suite; 4 also when a build fails.",
    .options = go_test_rows,
    .examples = CLI_EXAMPLES(
        {"Compare the working tree with the commit where it left the main branch:",
         "duet go-test"},
        {"Compare the benchmarks of one package in two commits:",
         "duet go-test v1.0 v1.1 --only 'BenchmarkParse*' ./parse"}),
    .main = go_test_main,
};
