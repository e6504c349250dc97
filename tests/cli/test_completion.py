"""What the shells offer after `duet ... <Tab>`, by the scripts that duet prints."""

import os
import pty
import re
import shutil
import subprocess
import time

import pytest

SUBJECTS = ["verdicts", "schedules", "ci", "harness", "exit-status", "data", "topics"]
VERDICTS = ["slower", "faster", "unsure", "slower,unsure", "none"]


@pytest.fixture
def commands(run_duet):
    """The commands of the overview."""
    return re.findall(r"^  ([a-z-]+) ", run_duet("help").stdout, re.MULTILINE)


@pytest.fixture
def studies(run_duet):
    listed = run_duet("study", "--help").stdout.split("Parts:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\S+)", listed, re.MULTILINE)


def in_bash(run_duet, folder, *words):
    script = run_duet("help", "--completion", "bash").stdout
    array = " ".join(f"'{word}'" for word in words)
    ask = (f"{script}\nCOMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _duet\n"
           'printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run(["bash", "-c", ask], cwd=folder, capture_output=True, text=True,
                          check=True)
    assert done.stderr == ""
    return done.stdout.strip("\n").split("\n") if done.stdout.strip() else []


# Typed into zsh: what compadd is given goes into the file `offered`.
ZSH = r"""
PROMPT= RPROMPT=; unsetopt zle_bracketed_paste; bindkey '^I' complete-word
autoload -Uz compinit; compinit -u -D
source ./_duet 2>/dev/null; compdef _duet duet
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a found; builtin compadd -O found "$@"; print -rl -- $found >>offered
    builtin compadd "$@"
}
finish() { print END >>offered; comppostfuncs=(finish); zle send-break }
comppostfuncs=(finish)
"""


def in_zsh(run_duet, folder, *words):
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    script = run_duet("help", "--completion", "zsh").stdout
    # The last line completes at once when the file is loaded by compinit.
    (folder / "_duet").write_text(script.replace('\n_duet "$@"\n', "\n"))
    (folder / "ask").write_text(ZSH)
    offered = folder / "offered"
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb"})
    os.write(terminal, b"source ./ask; print -r -- READY; " + b"\n")
    deadline = time.monotonic() + 20
    seen = b""
    while b"READY\r\n" not in seen.replace(b"print -r -- READY", b"") and \
            time.monotonic() < deadline:
        seen += os.read(terminal, 4096)
    os.write(terminal, " ".join(words).encode() + b"\t")
    while time.monotonic() < deadline and \
            not (offered.exists() and "END" in offered.read_text()):
        time.sleep(0.02)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    os.close(terminal)
    lines = offered.read_text().splitlines()
    offered.unlink()
    assert "END" in lines
    return [line for line in dict.fromkeys(lines) if line not in ("", "END")]


def in_fish(run_duet, folder, *words):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    (folder / "duet.fish").write_text(run_duet("help", "--completion", "fish").stdout)
    ask = "source duet.fish; complete -C '" + " ".join(words) + "'"
    done = subprocess.run(["fish", "--no-config", "-c", ask], cwd=folder, text=True,
                          capture_output=True, check=True,
                          env={**os.environ, "HOME": str(folder)})
    (folder / "duet.fish").unlink()
    offered = [line.split("\t")[0] for line in done.stdout.splitlines()]
    # fish 4 adds options with these letters somewhere, which a person sees when no word
    # begins with them.
    return [word for word in offered if word.startswith(words[-1])] or offered


@pytest.fixture(params=[in_bash, in_zsh, in_fish], ids=["bash", "zsh", "fish"])
def offers(request, run_duet, tmp_path):
    """offers(WORD, ...): what this shell offers for the last of the words."""
    def ask(*words):
        folder = tmp_path / "here"
        folder.mkdir(exist_ok=True)
        (folder / "a b.yaml").touch()
        return request.param(run_duet, folder, *words)

    return ask


def test_the_first_word_is_a_command(offers, commands):
    """Not each of the thousand programs of the machine."""
    assert sorted(offers("duet", "")) == sorted(commands)
    assert "compare" in offers("duet", "comp")


def test_programs_where_no_command_begins_like_this(offers):
    assert "bash" in offers("duet", "bash")


def test_subjects_of_help(offers, commands, studies):
    assert sorted(offers("duet", "help", "")) == sorted(commands + SUBJECTS)
    assert offers("duet", "help", "verd") == ["verdicts"]
    assert set(studies) <= set(offers("duet", "help", "study", ""))
    assert "merge" in offers("duet", "help", "store", "")


@pytest.mark.rotating
def test_values_of_options(offers):
    assert sorted(offers("duet", "run", "--fail-on", "")) == sorted(VERDICTS)
    assert offers("duet", "run", "--schedule", "t") == ["timeslice"]
    assert offers("duet", "import", "--schedule", "s") == ["sequential"]
    assert offers("duet", "study", "sequential", "--data", "d") == ["drift"]
    assert offers("duet", "run", "--statistic", "p") == []
    for words in [["run", "--runs"], ["run", "-r"], ["list", "--limit"], ["show", "--confidence"]]:
        assert offers("duet", *words, "") == [], words


@pytest.mark.rotating
def test_options_and_operands(offers, studies):
    assert offers("duet", "show", "--sto") == ["--store"]
    assert offers("duet", "study", "coverage", "--rep") == ["--replicates"]
    assert sorted(offers("duet", "study", "")) == sorted(studies)
    assert sorted(offers("duet", "store", "")) == ["check", "copy", "merge", "prune"]
    assert offers("duet", "store", "merge", "--in") == ["--into"]
    assert offers("duet", "study", "cov") == ["coverage"]
    assert not [word for word in offers("duet", "list", "") if not word.startswith("-")]
    assert offers("duet", "show", "") == ["last"]
    assert offers("duet", "workload", "in") == ["integer"]


def test_options_without_a_command(run_duet, tmp_path):
    assert in_bash(run_duet, tmp_path, "duet", "--style", "b") == ["basic"]
    assert in_bash(run_duet, tmp_path, "duet", "--fail-on", "=", "f") == ["faster"]
    assert in_bash(run_duet, tmp_path, "duet", "--fail-on", "=") == VERDICTS


def test_bash_offers_files_whole(run_duet, tmp_path):
    (tmp_path / "a b.yaml").touch()
    assert in_bash(run_duet, tmp_path, "duet", "suite", "a") == ["a b.yaml"]
    assert in_bash(run_duet, tmp_path, "duet", "--export-json", "a") == ["a b.yaml"]
    assert in_bash(run_duet, tmp_path, "duet", "true", "a b") == ["a b.yaml"]


def test_other_shells_get_the_words_too(run_duet):
    zsh = run_duet("help", "--completion", "zsh").stdout
    assert ":value:(auto duet interleaved sequential timeslice)" in zsh
    assert "_command_names\n" not in zsh
    fish = run_duet("help", "--completion", "fish").stdout
    assert "-x -a 'auto duet interleaved sequential timeslice'" in fish
