"""The launcher of a checkout and of a plugin: it runs its own files, and changes nothing of what the command does."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes.within import need
from tests.support.cli import ROOT
from tests.support.hooks import MISSING_SHELLS, SHELLS
from tests.support.reader import header_and_body, read_box

CLOSED = ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"]


class Tree:
    """A copy of the program with the Python of its .venv, and a bus."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.home = home
        self.command = root / "bin" / "agentmail"

    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.home), "AGENT_MAIL_DIR": str(self.home / "bus"), "PATH": os.defpath}

    def run(
        self, *words: str, stdin: str = "", by: tuple[object, ...] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Call the command, by another program or path where one is given."""
        command = [*map(str, by or (self.command,)), *words]
        return subprocess.run(
            command, env=self.environment(), cwd=cwd or self.home, input=stdin, text=True, capture_output=True
        )

    def answer(self, *words: str, **more: object) -> str:
        """What a call printed that has succeeded."""
        done = self.run(*words, **more)  # type: ignore[arg-type]
        assert done.returncode == 0, done
        return done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = copied(tmp_path / "program", tmp_path / "home")
    for identity in ("alpha", "beta"):
        tree.answer("register", identity, "-", "takes", "part")
    return tree


def copied(root: Path, home: Path) -> Tree:
    for name in ("agentmail", "bin", "hooks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    home.mkdir(exist_ok=True)
    return Tree(root, home)


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_runs_it(tree, shell):
    if shell in MISSING_SHELLS:
        pytest.skip(f"{shell} is not installed")
    words = (shutil.which(SHELLS[shell][0]), *SHELLS[shell][1:], tree.command)
    sent = tree.answer(
        "send", "alpha", "beta", "hello", 'a "subject" of $words', stdin="the body\n", by=words
    )
    assert sent.strip() in tree.answer("check", "beta", by=words)
    assert 'a "subject" of $words' in tree.answer("check", "beta", by=words)


def test_a_relative_path_runs_it_from_every_directory(tree):
    for cwd, path in (
        (tree.root, "bin/agentmail"),
        (tree.root / "bin", "./agentmail"),
        (tree.home, "../program/bin/agentmail"),
    ):
        assert "no mail" in tree.answer("check", "beta", by=(path,), cwd=cwd)
    assert "no mail" in tree.answer("check", "beta", by=("sh", "agentmail"), cwd=tree.root / "bin")


@pytest.mark.parametrize(
    "name", ["a space", "it's", 'a "quote"', "$HOME", "邮件", "two\nlines", "back\\slash", "*"]
)
def test_a_checkout_in_a_directory_of_any_name_runs(tmp_path, name):
    there = copied(tmp_path / name / "program", tmp_path / "home")
    there.answer("register", "alpha", "-", "takes", "part")
    assert "no mail" in there.answer("check", "alpha")


def test_exit_codes_and_answers_are_those_of_python_m_agentmail(tree):
    module = (sys.executable, "-m", "agentmail")
    for words in (
        ["check", "beta"],
        ["check", "nobody"],
        ["read", "beta", "no-such-id"],
        ["roster"],
        ["send", "alpha"],
    ):
        one, other = tree.run(*words), tree.run(*words, by=module, cwd=tree.root)
        assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)


@pytest.mark.parametrize("streams", CLOSED)
def test_with_closed_streams_no_file_is_taken_for_one_of_them(tree, streams):
    by = ("sh", "-c", f'exec "$@" {streams}', "sh", tree.command)
    done = tree.run("send", "alpha", "beta", "hello", "S", stdin="the body\n", by=by)
    assert done.returncode == (4 if ">&-" in streams.split() else 0)
    (data,) = read_box(tree.home / "bus" / "beta").inbox.values()
    assert header_and_body(data)[1] == (b"(no text)\n" if "<&-" in streams else b"the body\n")


def test_a_tree_in_which_no_bytecode_can_be_kept_runs(tree):
    for cache in tree.root.rglob("__pycache__"):
        shutil.rmtree(cache)
    for package in {path.parent for path in (tree.root / "agentmail").rglob("*.py")}:
        (package / "__pycache__").touch()  # a file: this stops root too, whom no mode would stop
    for _ in range(2):
        assert "no mail" in tree.answer("check", "beta")


def test_a_changed_source_counts_at_once_and_a_copy_runs_its_own(tree, tmp_path):
    tree.answer("check", "beta")
    copy = Tree(tmp_path / "copy", tree.home)
    shutil.copytree(tree.root, copy.root, symlinks=True)  # times and bytecode too
    source = copy.root / "agentmail" / "__init__.py"
    source.write_text(source.read_text() + "raise SystemExit(9)\n")
    assert copy.run("check", "beta").returncode == 9
    assert "no mail" in tree.answer("check", "beta")


def test_a_symlink_to_the_hooks_alone_runs_the_program_that_they_belong_to(tree, tmp_path):
    """Beside the symlink stands another version; `hooks/..` is not it."""
    beside = tmp_path / "beside"
    (beside / "agentmail").mkdir(parents=True)
    (beside / "agentmail" / "__init__.py").write_text("raise SystemExit('the other version')\n")
    (beside / "hooks").symlink_to(tree.root / "hooks")
    by = (beside / "hooks" / "run", sys.executable, "cli.main")
    assert "no mail" in tree.answer("check", "beta", by=by)


def test_no_module_beside_the_package_or_in_the_current_directory_replaces_one_of_python_or_of_ours(tree):
    for place in (tree.root, tree.home):
        for name in ("fcntl", "errno", "zlib", "stat"):
            (place / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    (tree.home / "agentmail").mkdir()
    (tree.home / "agentmail" / "__init__.py").write_text("raise SystemExit('the wrong package')\n")
    sent = tree.answer("send", "alpha", "beta", "hello", "S").strip()
    tree.answer("archive", "beta", sent)
    tree.answer("read", "beta", sent)


def test_a_plain_call_is_two_programs_and_no_fork(tree):
    need("strace")
    log = tree.home / "log"
    tree.run(
        "check", "beta", by=("strace", "-f", "-qq", "-o", log, "-e", "trace=execve,process", tree.command)
    )
    calls = [line.split("(")[0].split()[-1] for line in log.read_text().splitlines() if "(" in line]
    if "execve" not in calls:
        pytest.skip("strace is not possible here")
    assert calls.count("execve") == 2
    assert not {"fork", "vfork", "clone", "clone3"} & set(calls)


@pytest.mark.parametrize("words", [["check", "beta"], ["send", "alpha", "beta", "hello"], ["-h"]])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_directory_as_standard_input_is_refused_in_one_line(tree, shell, words):
    if shell in MISSING_SHELLS:
        pytest.skip(f"{shell} is not installed")
    words = [shutil.which(SHELLS[shell][0]), *SHELLS[shell][1:], tree.command, *words]
    done = tree.run(*words, by=("sh", "-c", 'exec "$@" </', "sh"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("agentmail: standard input is a directory; nothing was changed; ")
    assert done.stderr.count("\n") == 1


HOOKS = [["mail-check", "SessionStart"], ["mail-check", "UserPromptSubmit"], ["mail-guard"]]
HOOKS += [["mail-wake", event] for event in ("SessionStart", "CwdChanged", "FileChanged")]


@pytest.mark.slow
@pytest.mark.parametrize("hook", HOOKS, ids=" ".join)
@pytest.mark.parametrize("shell", SHELLS)
def test_a_hook_with_a_directory_as_standard_input_ends_with_0(tree, shell, hook):
    if shell in MISSING_SHELLS:
        pytest.skip(f"{shell} is not installed")
    program = tree.root / "hooks" / hook[0]
    words = [shutil.which(SHELLS[shell][0]), *SHELLS[shell][1:], program, *hook[1:], sys.executable]
    done = tree.run(*map(str, words), by=("sh", "-c", 'exec "$@" </', "sh"))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "agentmail: hook: standard input is a directory, and nothing was looked at\n"


#: Moments of a start, by the first file that is opened in each: the launcher's own, the interpreter's, then ours.
MOMENTS = ["/hooks/run", "/agentmail/__pycache__/", "/cli/__pycache__/main", "/core/__pycache__/", "/verbs/"]
FIND = ("strace", "-qq", "-e", "trace=openat", "-o")


def interrupted_at(
    tree: Tree, moment: str, *words: object, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """A call that gets SIGINT as it opens the first file of such a path."""
    need("strace")
    log = tree.home / "log"
    by = words[:1]
    rest = [str(word) for word in words[1:]]
    tree.run(*rest, by=(*FIND, log, *by), stdin=stdin)  # leaves the bytecode
    tree.run(*rest, by=(*FIND, log, *by), stdin=stdin)
    found = [at for at, line in enumerate(log.read_text().splitlines(), 1) if moment in line]
    if not found:
        pytest.skip(f"nothing of {moment} is opened here")
    signal_then = ("-e", f"inject=openat:signal=SIGINT:when={found[0]}")
    return tree.run(*rest, by=(*FIND, log, *signal_then, *by), stdin=stdin)


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_at_any_moment_of_the_start_ends_the_call_without_a_word(tree, moment):
    tree.answer("check", "beta")
    before = sorted(path.name for path in (tree.home / "bus").rglob("*"))
    done = interrupted_at(tree, moment, tree.command, "check", "beta")
    assert done.returncode in (130, -signal.SIGINT)
    assert (done.stdout, done.stderr) == ("", "")
    assert sorted(path.name for path in (tree.home / "bus").rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["/hooks/run", "/agentmail/__pycache__/", "/core/__pycache__/"])
@pytest.mark.parametrize("hook", HOOKS, ids=" ".join)
def test_a_hook_that_is_interrupted_while_it_starts_ends_with_0(tree, hook, moment):
    program = tree.root / "hooks" / hook[0]
    done = interrupted_at(tree, moment, program, *hook[1:], sys.executable, stdin="{}")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_command_that_is_started_with_interrupts_ignored_ignores_them(tree):
    """As a shell starts a job in the background."""
    need("strace")
    program = tree.root / "bin" / "agentmail"
    done = interrupted_at(
        tree, "/core/__pycache__/", "/usr/bin/env", "--ignore-signal=INT", program, "check", "beta"
    )
    assert (done.returncode, "no mail" in done.stdout) == (0, True)
