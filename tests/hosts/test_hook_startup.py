"""How the hooks and the command start: which Python, which modules, and what is reported if there is no Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import ROOT, Ran
from tests.support.hooks import HOOKS, MISSING_SHELLS, PROMPT, SHELLS, START, Bed, ids_in, notice_of

FIRST = "20260704-0930-beta-first"
#: What a hook may load beside the interpreter's own start and our core, ledger and hosts.
STANDARD_LIBRARY = frozenset(
    "__future__ _abc _collections_abc _json _signal _stat abc errno fcntl genericpath io os posixpath stat time".split()
)
#: The module of the hooks that `hooks/run` starts.
HOOK = "hosts.claude_code.dialect"
#: How many modules of ours a hook may load at most; with a prompt, which comes most often, one less.
MOST_MODULES = {"check": 30, "guard": 15, "wake": 30}
RUN = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); module = __import__(sys.argv.pop(1), fromlist=['main']); "
    "sys.exit(module.main(sys.argv[1:]))"
)


def loaded(bed: Bed, module: str, event: str, /, **fields: object) -> set[str]:
    """The modules that a hook loads beyond those of a bare interpreter."""
    bare = modules_of(bed, ["-c", "pass"], b"")
    payload = json.dumps(bed.payload(event, **fields)).encode()
    return (
        modules_of(bed, ["-c", RUN, str(ROOT), "agentmail.hosts.claude_code.dialect", module, event], payload)
        - bare
    )


def modules_of(bed: Bed, arguments: list[str], stdin: bytes) -> set[str]:
    done = bed.run([sys.executable, "-I", "-S", "-X", "utf8", "-X", "importtime", *arguments], stdin)
    assert done.code in (0, 2)
    times = [line for line in done.err.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in times}


#: The modules of hosts that each hook loads. A new name here is a decision: it costs time at every prompt.
ENTRY = "hosts hosts.claude_code hosts.claude_code.dialect hosts.runtime hosts.runtime.process"
LOOKING = f"{ENTRY} hosts.runtime.check hosts.runtime.session hosts.runtime.throttle hosts.runtime.whoami"


@pytest.mark.parametrize(
    ("module", "event", "fields", "of_hosts"),
    [
        ("check", START, {}, f"{LOOKING} hosts.runtime.session_start"),
        ("check", PROMPT, {}, LOOKING),
        (
            "guard",
            "PreToolUse",
            {"tool_name": "Write", "tool_input": {"file_path": "{inbox}/x.md"}},
            f"{ENTRY} hosts.runtime.guard",
        ),
        ("wake", START, {}, f"{LOOKING} hosts.runtime.wake"),
        ("wake", "FileChanged", {"event": "add"}, f"{LOOKING} hosts.runtime.wake"),
    ],
)
def test_a_hook_that_prints_loads_only_the_listed_modules(bed, module, event, fields, of_hosts):
    bed.start()
    bed.put(FIRST)
    text = json.dumps(fields).replace("{inbox}", str(bed.inbox()))
    found = loaded(bed, module, event, **json.loads(text))
    ours = {name for name in found if name.split(".")[0] == "agentmail"}
    assert found - ours <= STANDARD_LIBRARY
    packages = {".".join(name.split(".")[:2]) for name in ours}
    assert packages == {"agentmail", "agentmail.core", "agentmail.ledger", "agentmail.hosts"} - (
        {"agentmail.ledger"} if module == "guard" else set()
    )
    assert {name for name in ours if name.startswith("agentmail.hosts")} == {
        f"agentmail.{name}" for name in of_hosts.split()
    }
    assert len(ours) <= MOST_MODULES[module] - (event == PROMPT)


# --- which Python ----------------------------------------------------------------------------------------


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    if request.param in MISSING_SHELLS:
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A directory for PATH with what the scripts call, and no Python."""
    directory = tmp_path / "tools with space"
    directory.mkdir()
    for name in ("mkdir", "mv", "readlink"):
        (directory / name).symlink_to(str(shutil.which(name)))
    return directory


def give(tools: Path, name: str, text: str) -> None:
    (tools / name).write_text(f"#!/bin/sh\n{text}\n")
    (tools / name).chmod(0o755)


def run(bed: Bed, tools: Path, shell: str, *words: str, env: dict[str, str | None] | None = None) -> Ran:
    """hooks/run without a Python given."""
    return bed.run(
        [str(shutil.which(SHELLS[shell][0])), *SHELLS[shell][1:], str(HOOKS / "run"), "-", *words],
        bed.payload(words[2]) if len(words) > 2 else b"",
        env={"PATH": str(tools), "XDG_CACHE_HOME": None, **(env or {})},
    )


def test_the_first_python_that_answers_is_used_and_cached(bed, tools, shell):
    bed.put(FIRST)
    give(tools, "python3.14", "echo no such version >&2; exit 127")
    give(tools, "python3.13", "exit 0")  # too old: it says nothing
    give(tools, "python3.12", f'echo asked >>"{bed.root}/asked"; exec "{sys.executable}" "$@"')
    for _ in range(2):
        done = run(bed, tools, shell, HOOK, "check", START)
        assert (done.code, done.trouble) == (0, "")
        assert ids_in(notice_of(done, START)) == [FIRST]
    assert (bed.root / "asked").read_text() == "asked\n"
    kept = Path((bed.home / ".cache" / "agentmail" / "python").read_text().rstrip("\n"))
    assert kept.is_absolute()


@pytest.mark.parametrize("kept", ["", "/nowhere/python3\n", "python3\n", "-\n", "/\n", "\0\n"])
def test_a_cached_path_that_is_no_program_is_looked_up_again(bed, tools, shell, kept):
    cache = bed.home / ".cache" / "agentmail"
    cache.mkdir(parents=True)
    (cache / "python").write_text(kept)
    give(tools, "python3", f'exec "{sys.executable}" "$@"')
    bed.put(FIRST)
    assert ids_in(notice_of(run(bed, tools, shell, HOOK, "check", START), START)) == [FIRST]


def test_a_program_called_dash_in_the_current_directory_is_not_run(bed, tools, shell):
    give(bed.work, "-", f'touch "{bed.root}/ran"')
    give(tools, "python3", f'exec "{sys.executable}" "$@"')
    run(bed, tools, shell, HOOK, "check", START, env={"PATH": f"{tools}:."})
    assert not (bed.root / "ran").exists()


def test_a_cache_that_cannot_be_written_only_costs_time(bed, tools, shell):
    (bed.home / ".cache").touch()
    give(tools, "python3", f'exec "{sys.executable}" "$@"')
    bed.put(FIRST)
    homes: list[dict[str, str | None]] = [{}, {"HOME": None}]
    for env in homes:
        done = run(bed, tools, shell, HOOK, "check", START, env=env)
        assert (done.code, done.trouble) == (0, "")
        assert ids_in(notice_of(done, START)) == [FIRST]


def test_a_missing_python_is_reported_once_when_a_session_starts(bed, tools, shell):
    bed.put(FIRST)
    said = notice_of(run(bed, tools, shell, HOOK, "check", START), START)
    assert said.startswith("agentmail cannot look for mail: it needs Python 3.11 or newer")
    for words in (
        (HOOK, "check", PROMPT),
        (HOOK, "guard", "PreToolUse"),
        (HOOK, "wake", START),
    ):
        done = run(bed, tools, shell, *words)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert not (bed.home / ".cache").exists()


def test_without_a_python_the_command_exits_with_75(bed, tools, shell):
    done = run(bed, tools, shell, "cli.main")
    assert (done.code, done.out) == (75, "")
    assert done.err.count("\n") == 1


def test_hooks_without_their_package_report_it_when_a_session_starts(bed, tmp_path):
    shutil.copytree(HOOKS, tmp_path / "alone" / "hooks")
    bed.hooks = tmp_path / "alone" / "hooks"
    assert bed.start().startswith("agentmail cannot look for mail")
    assert bed.prompt() == ""


# --- the command, where nothing is installed -------------------------------------------------------------


@pytest.fixture
def bare(tmp_path: Path, tools: Path) -> Path:
    """A PATH with a Python that has no packages at all."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    (tools / "python3").symlink_to(tmp_path / "bare" / "bin" / "python")
    return tools


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a plugin: the files of a checkout, without its .venv."""
    root = tmp_path_factory.mktemp("plugin")
    for name in ("agentmail", "bin", "hooks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    return root / "bin" / "agentmail"


def command(bed: Bed, path: Path, program: Path, *words: str, stdin: bytes = b"") -> Ran:
    return bed.run([str(program), *words], stdin, env={"PATH": str(path), "XDG_CACHE_HOME": None})


def test_without_packages_plain_calls_work(bed, bare, plugin):
    bed.register("beta", bed.root)
    sent = command(
        bed,
        bare,
        plugin,
        *("send", "beta", "alpha", "hello", "a subject: of words", "--as", "beta"),
        stdin=b"the body\n",
    )
    assert (sent.code, sent.trouble) == (0, "")
    listed = command(bed, bare, plugin, "check", "alpha")
    assert listed.code == 0
    assert sent.out.strip() in listed.out
    assert "the body" in command(bed, bare, plugin, "read", "alpha", sent.out.strip()).out


def test_without_packages_a_header_that_needs_yaml_is_read_by_lines_and_flagged(bed, bare, plugin):
    (bed.inbox() / f"{FIRST}.md").write_text("---\nfrom: 'beta'\nsubject: >-\n---\nthe body\n")
    read = command(bed, bare, plugin, "read", "alpha", FIRST)
    assert read.code == 0
    assert "irregular-header" in read.out
    assert "the body" in read.out


@pytest.mark.parametrize(
    "words",
    [
        ["check", "--bogus", "alpha"],
        ["no-such-command"],
        ["inbox"],
        ["check", "a", "b"],
        ["wait", "--timeout"],
    ],
)
def test_without_packages_a_slip_is_refused_with_the_right_call(bed, bare, plugin, tree, words):
    before = tree(bed.bus)
    done = command(bed, bare, plugin, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "agentmail" in done.err.partition("nothing was changed; ")[2]
    assert tree(bed.bus) == before


def test_without_packages_help_and_version_are_those_of_any_other_python(bed, bare, plugin):
    for words in ([], ["-h"], ["send", "-h"], ["--version"]):
        done = command(bed, bare, plugin, *words)
        other = subprocess.run(
            [sys.executable, "-m", "agentmail", *words], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert (done.code, done.err, done.out) == (0, "", other.stdout)


def test_without_packages_completion_says_in_one_line_how_to_install(bed, bare, plugin):
    done = command(bed, bare, plugin, "--install-completion")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    # Not with this Python's own pip, which an externally managed Python refuses.
    assert "`pipx install agentmail-bus` or `uv tool install agentmail-bus`" in done.err
    assert "pip install" not in done.err.replace("pipx install", "")


def test_with_packages_a_call_with_options_works_though_python_starts_without_them(bed, tools, plugin):
    (tools / "python3").symlink_to(sys.executable)
    give(tools, "python3.14", f'exec "{sys.executable}" "$@"')
    bed.put(FIRST)
    done = command(bed, tools, plugin, "check", "--json", "alpha")
    assert (done.code, done.trouble) == (0, "")
    assert json.loads(done.out)["messages"][0]["id"] == FIRST


@pytest.mark.parametrize("way", ["absolute", "relative", "by two links"])
def test_the_command_works_through_a_link_in_a_path_of_any_name(bed, bare, plugin, tmp_path, way):
    place = tmp_path / 'it\'s a "place" with $HOME'
    place.mkdir()
    link = place / "agentmail"
    link.symlink_to(os.path.relpath(plugin, place) if way == "relative" else plugin)
    if way == "by two links":
        (place / "second").symlink_to("agentmail")
        link = place / "second"
    done = command(bed, bare, link, "check", "alpha")
    assert (done.code, done.trouble) == (0, "")
    assert "no mail" in done.out
