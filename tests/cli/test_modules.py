"""What a plain call loads, module by module: the deterministic proof of a cheap start.

A new name here is a decision: say why it is worth its cost at every call.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from agentmail.core.layout import Bus
from tests.support.cli import ROOT, Cli
from tests.views.indexes import write_index

#: Runs a call in an interpreter without site-packages and prints what it loaded beside what was there.
PROBE = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv.pop(1))
from agentmail.cli.main import main
try:
    code = main(sys.argv[1:])
except SystemExit as ended:
    code = ended.code
print(code, *sorted(set(sys.modules) - before), file=sys.stderr)
"""

#: Neither `os` nor `collections.abc`: the system calls come from core.system.
DATABASE = {"sqlite3", "_sqlite3"}
STANDARD = set("__future__ _stat errno".split())
DEAR = set(
    "typer rich yaml frontmatter watchdog re json pathlib dataclasses typing enum contextlib argparse".split()
)


def ours(names: str) -> set[str]:
    return {f"agentmail.{name}" for name in names.split()}


EVERY = {"agentmail"} | ours(
    "cli cli.commands cli.context cli.main cli.parse "
    "core core.environment core.errors core.fs core.layout core.names core.roster core.system "
    "verbs verbs.call verbs.catalogue"
)
SENDING = {"fcntl"} | ours(
    "core.markdown_table core.registry core.claims core.delivery core.locks core.publishing core.times hosts ledger ledger.machine "
    "message message.scalar verbs.delivered verbs.draft verbs.send"
)
TEXT = ours("cli.text")
LISTING = ours("core.times message")
READING = LISTING | {"zlib"} | ours("core.gz core.message_files")
LOADED = {
    "send": SENDING | TEXT | ours("cli.body"),
    "check": LISTING | ours("verbs.check"),
    "read": READING | TEXT | ours("hosts verbs.read"),
    "reply": SENDING | READING | TEXT | ours("cli.body") | ours("verbs.read verbs.reply"),
    # core.removing: what leaves the inbox is compared under a private name before it goes. core.confirmed_time,
    # core.putting_back and core.stamps are loaded by the upkeep, at most once an hour.
    "archive": {"fcntl", "zlib"}
    | ours(
        "core.archiving core.gz core.locks core.message_files core.publishing core.removing core.retention "
        "core.confirmed_time core.putting_back core.stamps verbs.archive"
    ),
}


@pytest.mark.parametrize("command", LOADED)
def test_a_plain_call_loads_these_modules_and_no_others(run: Cli, command: str) -> None:
    for identity in ("alpha", "beta"):
        (run.home / identity).mkdir()
        assert run("register", identity, str(run.home / identity), "takes", "part").code == 0
    id = run("send", "alpha", "beta", "hello", "S", stdin="text\n").out.strip()
    words = {
        "send": ["send", "alpha", "beta", "again", "S"],
        "check": ["check", "beta"],
    }.get(command, [command, "beta", id])
    text = run.home / "text"
    text.write_text("text\n")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", PROBE, ROOT, *words],
        stdin=os.open(text if command in ("send", "reply") else os.devnull, os.O_RDONLY),
        capture_output=True,
        env=run.environment(),
        cwd=run.home
        / ("alpha" if command == "send" else "beta"),  # who owns another directory takes real paths
    )
    code, *names = done.stderr.decode().splitlines()[-1].split()
    loaded = set(names)
    assert code == "0", done.stderr
    assert loaded & DEAR == set()
    assert loaded == STANDARD | EVERY | LOADED[command] | ours(f"cli.commands.{command}")


@pytest.mark.parametrize(
    "words", [["-h"], ["send", "-h"], ["--version"], ["chek"], ["check", "--x"], ["send", "beta"], ["delete"]]
)
def test_help_and_usage_errors_load_no_package_beside_ours(run: Cli, words: list[str]) -> None:
    assert not loaded_by(run, words) & {"typer", "click", "rich", "yaml", "watchdog"}


def test_completion_does_load_typer(run: Cli) -> None:
    """The probe is not blind."""
    assert {"typer", "re", "typing"} <= loaded_by(run, [], _AGENTMAIL_COMPLETE="complete_bash")


def loaded_by(run: Cli, words: list[str], **variables: str) -> set[str]:
    """The modules that a call loads, in a Python that has the packages."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROBE, ROOT, *words],
        input=b"",
        capture_output=True,
        env={**run.environment(), **variables},
        cwd=run.home,
    )
    return set(done.stderr.decode().split())


def test_a_view_of_few_loads_no_database_and_one_with_an_index_does(run: Cli) -> None:
    for identity in ("alpha", "beta"):
        assert run("register", identity, "/srv", "takes", "part").code == 0
    id = run("send", "alpha", "beta", "hello", "S", stdin="text\n").out.strip()
    words = ["thread", "beta", id]
    assert not loaded_by(run, words) & DATABASE
    assert write_index(Bus(str(run.bus)), "beta", run.home)
    assert "_sqlite3" in loaded_by(run, words)
    for plain in (["check", "beta"], ["read", "beta", id], ["archive", "beta", id]):
        assert not loaded_by(run, plain) & DATABASE, plain
