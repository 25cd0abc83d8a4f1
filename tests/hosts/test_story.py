"""Three hosts on one bus: work is handed over in Claude Code, noticed in Codex, done in opencode, and archived.

What came of it is read from the files alone, by a reader that imports nothing of the program.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import pytest

from tests.hosts.cases.bench import Bench
from tests.hosts.cases.claude_code import ClaudeCodeBench
from tests.hosts.cases.codex import CodexBench
from tests.hosts.mcp_clients.hosts import Opencode
from tests.hosts.rig.clients import CLIENTS
from tests.hosts.rig.post import notices
from tests.hosts.rig.script import text
from tests.support.cli import ROOT
from tests.support.reader import header_and_body, read_bus

# Why so long: four runs of real clients, beside which others may run.
pytestmark = [pytest.mark.hosts, pytest.mark.timeout(400)]

B = TypeVar("B", bound=Bench)
COMMAND = ROOT / "bin" / "agentmail"
EVIDENCE = '{"type": "commit", "id": "0a1b2c3"}'
HANDOFF = f"""{COMMAND} send alpha beta format --kind handoff --evidence '{EVIDENCE}' 'May a subject be empty?' <<'EOF'
The parser refuses it.
EOF"""


def made(kind: type[B], root: Path) -> B:
    """A bench in the common home, with its hooks wired."""
    client = CLIENTS[kind.host].find()
    if client is None:
        pytest.skip(CLIENTS[kind.host].missing)
    bench = kind(client, root)
    bench.wire()
    return bench


def presented(bus: Path, identity: str) -> list[tuple[str, list[str]]]:
    """For each session with a record in a mailbox, its host and what it was shown, as its file says."""
    found = []
    for path in (bus / identity).glob("sessions/*/*.jsonl"):
        facts = [json.loads(line) for line in path.read_text().splitlines() if line]
        (host,) = {fact["host"] for fact in facts if fact["fact"] == "session"}
        found.append((host, [fact["id"] for fact in facts if fact["fact"] == "presented"]))
    return sorted(found)


def test_work_goes_through_three_hosts_and_the_files_say_which_session_was_shown_what(tmp_path: Path) -> None:
    office = tmp_path / "office"
    claude, codex, opencode = made(ClaudeCodeBench, office), made(CodexBench, office), made(Opencode, office)
    bus = claude.post.bus
    work = claude.place("beta")
    claude.post.register("beta", work)

    handing = claude.run("hand it over", [claude.shell(HANDOFF), text("done")])
    (handoff,) = read_bus(bus)["beta"].inbox
    noticed = codex.run("what is there to do?", [text("a question")], cwd=work)
    assert notices(noticed) == [[handoff]]
    steps = [
        opencode.mail("read", id=handoff),
        opencode.mail("reply", id=handoff, text="No; a test says so.\n", kind="result"),
        opencode.mail("archive", ids=[handoff]),
        text("done"),
    ]
    opencode.run("answer it", steps, cwd=work)
    (result,) = read_bus(bus)["alpha"].inbox
    archive = claude.shell(f"{COMMAND} archive alpha {result}")
    claude.run("go on", [archive, text("done")], resume=handing.session)

    boxes = read_bus(bus)
    alpha, beta = boxes["alpha"], boxes["beta"]
    assert (list(alpha.inbox), list(alpha.archive), list(alpha.sent)) == ([], [result], [handoff])
    assert (list(beta.inbox), list(beta.archive), list(beta.sent)) == ([], [handoff], [result])
    assert [*alpha.broken, *beta.broken, *alpha.tmp, *beta.tmp] == []
    header, body = header_and_body(beta.archive[handoff])
    assert (header["kind"], header["session"].strip('"'), body) == (
        "handoff",
        handing.session,
        b"The parser refuses it.\n",
    )
    assert "0a1b2c3" in header["evidence"]
    header, _ = header_and_body(alpha.archive[result])
    assert (header["kind"], header["re"], header["thread"]) == ("result", handoff, handoff)

    # opencode does not tell a server of tools the session, so that its tools are a session of their own.
    assert presented(bus, "beta") == [("codex", [handoff]), ("opencode", [handoff]), ("opencode", [handoff])]
    assert presented(bus, "alpha") == [("claude-code", [result])]
