"""What a plain call loads, module by module: the deterministic proof of a cheap start.

A new name here is a decision: say why it is worth its cost at every call.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.cli import ROOT, Cli

#: Runs a call in an interpreter without site-packages and prints what it loaded beside what was there.
PROBE = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv.pop(1))
from agentmail.cli.main import main
code = main(sys.argv[1:])
print(code, *sorted(set(sys.modules) - before), file=sys.stderr)
"""

STANDARD = set("__future__ _collections_abc _stat errno genericpath os os.path posixpath stat".split())
DEAR = set(
    "typer rich yaml frontmatter watchdog re json pathlib dataclasses typing enum contextlib argparse".split()
)


def ours(names: str) -> set[str]:
    return {f"agentmail.{name}" for name in names.split()}


EVERY = {"agentmail"} | ours(
    "cli cli.commands cli.context cli.main cli.parse "
    "core core.environment core.errors core.fs core.layout core.names core.roster "
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
        assert run("register", identity, "/srv", "takes", "part").code == 0
    id = run("send", "alpha", "beta", "hello", "S", stdin="text\n").out.strip()
    words = {
        "send": ["send", "alpha", "beta", "again", "S"],
        "check": ["check", "beta"],
    }.get(command, [command, "beta", id])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", PROBE, ROOT, *words],
        input=b"text\n",
        capture_output=True,
        env=run.environment(),
        cwd=run.home,
    )
    code, *names = done.stderr.decode().split()
    loaded = set(names)
    assert code == "0", done.stderr
    assert loaded & DEAR == set()
    assert loaded == STANDARD | EVERY | LOADED[command] | ours(f"cli.commands.{command}")


def test_a_call_with_an_option_does_load_typer(run: Cli) -> None:
    """The probe is not blind."""
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROBE, ROOT, "roster", "--help"],
        capture_output=True,
        env=run.environment(),
        cwd=run.home,
    )
    assert {"typer", "rich", "re", "typing"} <= set(done.stderr.decode().split())
