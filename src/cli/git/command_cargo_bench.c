/* duet cargo-bench [BASE [HEAD]] [-- WORDS] */
#include "cli/commands.h"
#include "cli/git/git_front.h"

static const struct cli_option cargo_bench_rows[] = {GIT_FRONT_ROWS};

/* A program that uses duet-criterion or duet-divan writes its benchmarks to the file of
 * DUET_LIST; others, which would measure for minutes, are not started. Cargo's messages
 * name the programs that it has built. */
static const char script[] =
    "set -eu\n"
    "command -v cargo >/dev/null || { echo 'duet cargo-bench: no cargo on PATH' >&2; exit 127; "
    "}\n"
    "top=$(pwd -P) tab=$(printf '\\t')\n"
    "out=$top/.duet/cargo\n"
    "mkdir -p \"$out\"\n"
    ": >\"$top/" GIT_FRONT_LIST "\"\n"
    "cargo bench --no-run --message-format json-render-diagnostics --target-dir \"$top/target\" "
    "\"$@\" >\"$out/messages\"\n"
    "sed -n '/\"kind\":\\[\"bench\"\\]/s/^.*\"manifest_path\":\"\\([^\"]*\\)\\/Cargo\\.toml\""
    ".*\"target\":{[^}]*\"name\":\"\\([^\"]*\\)\".*\"executable\":\"\\([^\"]*\\)\".*$/"
    "\\1\\t\\2\\t\\3/p' \"$out/messages\" >\"$out/programs\"\n"
    "while IFS=$tab read -r folder target binary; do\n"
    "    grep -q DUET_LIST \"$binary\" || continue\n"
    "    (cd \"$folder\" && DUET_LIST=$out/found \"$binary\" --bench)\n"
    "    [ -e \"$out/found\" ] || continue\n"
    "    while IFS=$tab read -r name words; do\n"
    "        printf \"%s\\tenv -C '%s' 'CARGO_MANIFEST_DIR=%s' '%s' %s\\n\" \"$target/$name\" "
    "\"$folder\" \"$folder\" \"$binary\" \"$words\"\n"
    "    done <\"$out/found\" >>\"$top/" GIT_FRONT_LIST "\"\n"
    "    rm \"$out/found\"\n"
    "done <\"$out/programs\"\n";

static int cargo_bench_main(const struct cli_command *command, int argc, char **argv)
{
    static const struct git_front front = {
        .script = script,
        .hint = "take duet-criterion or duet-divan (bindings/rust/README.md)"};
    return git_front_main(command, argc, argv, &front);
}

const struct cli_command command_cargo_bench = {
    .name = "cargo-bench",
    .measures = true,
    .synopsis = "[OPTIONS] [BASE [HEAD]] [-- WORDS OF cargo bench]",
    .summary = "compare the Rust benchmarks of two commits",
    .description =
        "Checks two revisions out, as duet git does, and builds the benchmark programs of both "
        "with cargo bench --no-run. Nothing is compiled while something is measured. Every "
        "benchmark that both have is then compared by its name, PROGRAM/BENCHMARK, in one "
        "table. Benchmarks of Criterion and divan take part through the crates of "
        "bindings/rust; other programs are left out.\n\n"
        "Words behind -- are those of cargo bench, such as --bench NAME, --package NAME or "
        "--features NAME.\n\n"
        "Exit status: as of duet suite; 4 also when a build fails.",
    .options = cargo_bench_rows,
    .examples = CLI_EXAMPLES(
        {"Compare the working tree with the commit where it left the main branch:",
         "duet cargo-bench"},
        {"Compare the benchmarks of one program in two commits:",
         "duet cargo-bench v1.0 v1.1 --only 'parse/*' -- --bench parse"}),
    .main = cargo_bench_main,
};
