#!/usr/bin/python3
"""examples/releases.py LANGUAGE [--folder F] [--self N] [--versions OLD NEW]: has a release of a library become slower?

Fetches two published releases of a Markdown library from its registry, builds its benchmark in a
harness of the language with both, and prints duet's verdict beside that of the harness's own tools.
`--self N` compares the old release with itself N times by each of them instead, and counts how often
they claim a change: false alarms.

    python   markdown-it-py from PyPI, pytest-benchmark, its --benchmark-compare-fail=min:5%
    go       goldmark from the Go proxy, package testing, benchstat (alpha 0.05, 10 runs a side)
    rust     pulldown-cmark from crates.io, Criterion's own "regressed" and "improved"
    java     commonmark-java from Maven Central, JMH; it judges nothing: do the errors overlap?
    cpp      cmark-gfm, packed for PyPI, Google Benchmark, the U test of its compare.py

Needs `duet` on PATH or in $DUET_BINARY, for python libduet.so in $DUET_LIBRARY, for java and cpp a
build of this tree in $DUET_BUILD (default: build). FOLDER keeps what was built (default: a folder in
the temporary one); with the same versions it is not built again."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("DUET_BUILD", ROOT / "build")).resolve()
DUET = os.environ.get("DUET_BINARY", "duet")
BINDINGS = ROOT / "bindings"
TEXT = "".join(f"""
# Section {i}

Some *emphasis*, some **more** of it, `code`, and [a link](https://example.org/{i} "title").

- an item with ![a picture](p{i}.png)
- another one
    1. nested
    2. and numbered

> A quotation of {i} words &amp; more, <b>with tags</b>

    indented code {i}

```c
int f{i}(void) {{ return {i}; }}
```
""" for i in range(40))


def run(*words, folder=None, statuses=(0,), **variables):
    """What it printed on both outputs."""
    done = subprocess.run([*map(str, words)], cwd=folder, check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **{key: str(value) for key, value in variables.items()}})
    if done.returncode not in statuses:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


# A process takes long to start here, so every run should count, and none try a schedule.
SLOW_START = ("--schedule", "duet", "--until")


class Language:
    """`prepare` builds both releases; then `command` is what duet executes of a side, and `other`
    what the harness's own tools say: ("slower", "faster" or "same", a line of theirs)."""

    versions = ("", "")
    options = ()  # of duet
    variables = {}

    def __init__(self, folder, versions):
        self.folder = folder
        self.versions = versions or self.versions
        write(folder / "text.md", TEXT)

    def duet_words(self, old, new):
        return ["run", *self.options, self.command(old), self.command(new)]

    def duet(self, old, new):
        out = self.folder / "duet.json"
        run(DUET, *self.duet_words(old, new), "--store", "none", "-q", "--export-json", out,
            folder=self.folder, **self.variables)
        (row,) = json.loads(out.read_text())["comparisons"]
        ends = [row["interval"][end] for end in ("low", "high")]
        told = ", ".join("open" if end is None else f"{100 * (end - 1):+.2f}" for end in ends)
        return row["verdict"], f"{100 * (row['ratio'] - 1):+.2f} % [{told}]"


class Python(Language):
    variables = {"DUET_LIBRARY": os.environ.get("DUET_LIBRARY", BUILD / "src/harness/libduet.so")}
    versions = ("markdown-it-py==3.0.0", "markdown-it-py==4.0.0")
    tools = "pytest-benchmark"
    bench = """import pathlib
from markdown_it import MarkdownIt

def test_render(benchmark):
    text = pathlib.Path("text.md").read_text()
    benchmark(MarkdownIt().render, text)
"""

    def prepare(self):
        write(self.folder / "bench.py", self.bench)
        binding = self.folder / "binding"  # pip builds in it
        shutil.copytree(BINDINGS / "python", binding, dirs_exist_ok=True)
        for side, version in zip(("old", "new"), self.versions):
            run(sys.executable, "-m", "venv", self.folder / side)
            run(self.folder / side / "bin/python", "-m", "pip", "install", "-q", version, "pytest",
                "pytest-benchmark", binding)

    def duet_words(self, old, new):
        return ["pytest", "-I", "5", *SLOW_START, "decided,time=40s", old, new, "bench.py"]

    def other(self, old, new):
        words = ["bin/python", "-m", "pytest", "-q", "bench.py", "--benchmark-columns=min,median"]
        shutil.rmtree(self.folder / ".benchmarks", ignore_errors=True)
        run(self.folder / old / words[0], *words[1:], "--benchmark-save=old", folder=self.folder)
        shown = run(self.folder / new / words[0], *words[1:], "--benchmark-compare=0001",
                    "--benchmark-compare-fail=min:5%", folder=self.folder, statuses=(0, 1),
                    **self.variables)
        times = dict(re.findall(r"^test_render\S* \((NOW|0001)\S*\) +([\d,.]+)", shown, re.M))
        line = f"min {times.get('0001')}, then {times.get('NOW')}"
        return "slower" if "Performance has regressed" in shown else "same", line


class Go(Language):
    versions = ("v1.4.0", "v1.7.8")
    tools = "benchstat"
    bench = """package bench

import (
	"bytes"
	"os"
	"testing"

	"duet.example/duet/duettest"
	"github.com/yuin/goldmark"
)

func BenchmarkRender(b *testing.B) {
	text, err := os.ReadFile("text.md")
	if err != nil {
		b.Fatal(err)
	}
	duettest.Run(b, func() {
		var out bytes.Buffer
		if err := goldmark.Convert(text, &out); err != nil {
			b.Fatal(err)
		}
	})
}
"""

    def prepare(self):
        for side, version in zip(("old", "new"), self.versions):
            module = self.folder / side
            write(module / "bench_test.go", self.bench)
            write(module / "go.mod", "module bench\n\ngo 1.24\n\n"
                  f"require github.com/yuin/goldmark {version}\n\n"
                  "require duet.example/duet v0.0.0\n\n"
                  f"replace duet.example/duet => {BINDINGS / 'go'}\n")
            run("go", "mod", "download", "github.com/yuin/goldmark", folder=module, GOFLAGS="-mod=mod")
            run("go", "test", "-c", "-o", self.folder / f"{side}.test", ".", folder=module,
                GOFLAGS="-mod=mod")
        run("go", "install", "golang.org/x/perf/cmd/benchstat@latest", GOBIN=self.folder)

    def command(self, side):
        return f"./{side}.test -test.run=NONE -test.bench=Render -test.benchtime=1x"

    def other(self, old, new):
        for name, side in (("a.txt", old), ("b.txt", new)):
            write(self.folder / name, run(f"./{side}.test", "-test.run=NONE", "-test.bench=Render",
                                          "-test.benchtime=300ms", "-test.count=10", folder=self.folder))
        shown = run("./benchstat", "a.txt", "b.txt", folder=self.folder)
        line = re.search(r"^Render.*? ((?:~|[-+][\d.]+%) \(p=\S+ n=\d+\))", shown, re.M)[1]
        return {"~": "same", "+": "slower", "-": "faster"}[line[0]], line


class Rust(Language):
    versions = ("0.9.6", "0.12.2")
    tools = "Criterion"
    bench = """use criterion::{criterion_group, criterion_main, Criterion};

fn render(c: &mut Criterion) {
    let text = std::fs::read_to_string("text.md").unwrap();
    c.bench_function("render", |b| {
        b.iter(|| {
            let mut out = String::new();
            pulldown_cmark::html::push_html(&mut out, pulldown_cmark::Parser::new(&text));
            out
        })
    });
}

criterion_group!(benches, render);
criterion_main!(benches);
"""

    def prepare(self):
        for side, version in zip(("old", "new"), self.versions):
            crate = self.folder / side
            write(crate / "benches/render.rs", self.bench)
            write(crate / "src/lib.rs", "")
            html = "" if version.startswith("0.9") else ', features = ["html"]'
            write(crate / "Cargo.toml", f"""[package]
name = "bench-{side}"
version = "0.1.0"
edition = "2021"

[dev-dependencies]
pulldown-cmark = {{ version = "={version}", default-features = false{html} }}
criterion = {{ package = "duet-criterion", path = "{BINDINGS}/rust/duet-criterion" }}

[[bench]]
name = "render"
harness = false
""")
            shown = run("cargo", "bench", "--no-run", "--message-format", "json-render-diagnostics",
                        folder=crate, CARGO_TARGET_DIR=self.folder / "target")
            (program,) = re.findall(r'"kind":\["bench"\].*"executable":"([^"]+)"', shown)
            shutil.copy(program, self.folder / f"{side}.bench")

    def command(self, side):
        return f"./{side}.bench render --exact"

    def other(self, old, new):
        shutil.rmtree(self.folder / "criterion", ignore_errors=True)
        words = ["--bench", "--warm-up-time", "1", "--measurement-time", "3"]
        home = self.folder / "criterion"
        run(f"./{old}.bench", *words, "--save-baseline", "base", folder=self.folder,
            CRITERION_HOME=home)
        shown = run(f"./{new}.bench", *words, "--baseline", "base", folder=self.folder,
                    CRITERION_HOME=home)
        line = re.search(r"change: +\[(.*)\]", shown)[1]
        found = re.search(r"Performance has (regressed|improved)", shown)
        return {None: "same", "regressed": "slower", "improved": "faster"}[found and found[1]], line


class Java(Language):
    versions = ("0.24.0", "0.28.0")
    tools = "JMH"
    options = ("-I", "30", *SLOW_START, "decided,time=90s")
    bench = """package example;

import java.nio.file.*;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.openjdk.jmh.annotations.*;

@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(java.util.concurrent.TimeUnit.MICROSECONDS)
public class Render {
    private final Parser parser = Parser.builder().build();
    private final HtmlRenderer renderer = HtmlRenderer.builder().build();
    private String text;

    @Setup public void read() throws Exception { text = Files.readString(Path.of("text.md")); }

    @Benchmark public String render() { return renderer.render(parser.parse(text)); }
}
"""

    def prepare(self):
        run("mvn", "-q", "-B", "-f", BINDINGS / "java/pom.xml", f"-Dduet.build={self.folder / 'duet'}",
            f"-Dduet.native={BUILD / 'bindings/java'}", "package")
        packed = self.folder / "duet/duet-0.1.0.jar"
        pom = (BINDINGS / "java/example/pom.xml").read_text().replace(
            "<version>0.1.0</version>",
            f"<version>0.1.0</version><scope>system</scope><systemPath>{packed}</systemPath>")
        for side, version in zip(("old", "new"), self.versions):
            write(self.folder / side / "pom.xml", pom.replace("<dependencies>", f"""<dependencies>
    <dependency>
      <groupId>org.commonmark</groupId>
      <artifactId>commonmark</artifactId>
      <version>{version}</version>
    </dependency>""", 1))
            write(self.folder / side / "src/main/java/example/Render.java", self.bench)
            run("mvn", "-q", "-B", "-f", self.folder / side / "pom.xml", "package")

    def words(self, side, lock):
        """lock: a folder, since both sides may be of one release."""
        lock = self.folder / lock
        lock.mkdir(exist_ok=True)
        target = self.folder / side / "target"
        return (f"java -XX:+UseSerialGC -Djava.io.tmpdir={lock} -cp {target / 'classes'}:"
                f"{self.folder / 'duet/duet-0.1.0.jar'}:{target / 'lib'}/* org.openjdk.jmh.Main "
                "-foe true -wi 5 -w 100ms -r 20ms")

    def duet_words(self, old, new):
        return ["run", *self.options, *(
            f"{self.words(side, lock)} -f 1 -i 100000 -prof duet.jmh.DuetProfiler render"
            for side, lock in ((old, "lock-a"), (new, "lock-b")))]

    def other(self, old, new):
        found = []
        for side in (old, new):
            shown = run(*self.words(side, "lock-a").split(), "-i", "30", "-f", "2", "render",
                        folder=self.folder)
            found.append([float(text) for text in
                          re.search(r"render +avgt +\d+ +([\d.]+) ± +([\d.]+)", shown).groups()])
        (a, a_error), (b, b_error) = found
        apart = abs(a - b) > a_error + b_error
        return "same" if not apart else "slower" if b > a else "faster", f"{a} ± {a_error}, {b} ± {b_error}"


class Cpp(Language):
    versions = ("cmarkgfm==0.8.0", "cmarkgfm==2024.11.20")
    tools = "compare.py"
    options = ("-w", "8", *SLOW_START, "decided,time=20s")
    bench = """#include <benchmark/benchmark.h>
#include <cstdlib>
#include <fstream>
#include <sstream>
extern "C" {
#include "cmark-gfm.h"
}

static void render(benchmark::State &state)
{
    std::stringstream text;
    text << std::ifstream("text.md").rdbuf();
    const std::string bytes = text.str();
    for (auto _ : state) {
        std::free(cmark_markdown_to_html(bytes.data(), bytes.size(), CMARK_OPT_DEFAULT));
    }
}
BENCHMARK(render);
BENCHMARK_MAIN();
"""

    def prepare(self):
        write(self.folder / "bench.cc", self.bench)
        for side, version in zip(("old", "new"), self.versions):
            folder = self.folder / side
            run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "cmarkgfm",
                "-d", folder, version)
            (archive,) = folder.glob("*.tar.gz")
            run("tar", "-xzf", archive, "--strip-components=1", folder=folder)
            sources = sorted((folder / "third_party/cmark/src").glob("*.c"))
            sources = [path for path in sources if path.name != "main.c"]
            include = [f"-I{folder / 'third_party/cmark/src'}", f"-I{folder / 'generated/unix'}"]
            run("cc", "-O2", "-w", "-c", *include, *sources, folder=folder)
            run("c++", "-O2", *include, self.folder / "bench.cc", *folder.glob("*.o"), "-lbenchmark",
                "-lpthread", "-o", self.folder / f"{side}.bench")
        run("c++", "-O2", "-shared", "-fPIC", f"-I{ROOT / 'include'}", BINDINGS / "cpp/duet_gbench.cc",
            BUILD / "src/harness/libduet.a", "-ldl", "-o", self.folder / "libduet_gbench.so")

    def command(self, side):
        return (f"env LD_PRELOAD=./libduet_gbench.so ./{side}.bench --benchmark_filter=render "
                "--benchmark_repetitions=10000 --benchmark_min_time=0.001")

    def other(self, old, new):
        shown = run("/usr/bin/python3", "/usr/share/benchmark/compare.py", "--no-color", "benchmarks",
                    f"./{old}.bench", f"./{new}.bench", "--benchmark_repetitions=10",
                    "--benchmark_min_time=0.1", folder=self.folder)
        p_value = float(re.search(r"render_pvalue +([\d.]+)", shown)[1])
        change = float(re.search(r"render_mean +([-+][\d.]+)", shown)[1])
        return ("same" if p_value >= 0.05 else "slower" if change > 0 else "faster",
                f"{100 * change:+.2f} % (p = {p_value})")


LANGUAGES = {"python": Python, "go": Go, "rust": Rust, "java": Java, "cpp": Cpp}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=LANGUAGES)
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--self", type=int, metavar="N", dest="times", default=0)
    parser.add_argument("--versions", nargs=2, metavar=("OLD", "NEW"))
    words = parser.parse_args()
    folder = (words.folder or pathlib.Path(tempfile.mkdtemp(prefix="duet-releases-"))).resolve()
    language = LANGUAGES[words.language](folder, words.versions)
    began = time.monotonic()
    built, versions = folder / "built", " and ".join(language.versions)
    if not built.exists() or built.read_text() != versions:
        built.unlink(missing_ok=True)
        language.prepare()
        built.write_text(versions)
    print(f"{words.language}: {versions}, built in {folder} in {time.monotonic() - began:.0f} s",
          flush=True)
    alarms, spent = {"duet": 0, language.tools: 0}, {"duet": 0.0, language.tools: 0.0}
    for index in range(max(words.times, 1)):
        for name, ask in (("duet", language.duet), (language.tools, language.other)):
            began = time.monotonic()
            verdict, line = ask("old", "old" if words.times else "new")
            spent[name] += time.monotonic() - began
            alarms[name] += verdict in ("slower", "faster")
            print(f"{index + 1:3} {name:18} {verdict:8} {line}", flush=True)
    for name, count in alarms.items():
        told = f"{count} false alarms of {words.times}, " if words.times else ""
        print(f"{name}: {told}{spent[name] / max(words.times, 1):.1f} s a comparison")


if __name__ == "__main__":
    main()
