"""After `agentmail wire` alone the model of each real host sees our tools and sends with one; and without our package, no error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.cli import ROOT
from tests.support.reader import read_bus

from .conftest import made
from .wired import HOSTS, Wired, WiredCodex

# Why so long: two cores may run other clients meanwhile.
pytestmark = [pytest.mark.hosts, pytest.mark.timeout(400)]


@pytest.fixture(params=HOSTS, ids=lambda kind: kind.host)
def wired(request: pytest.FixtureRequest, tmp_path: Path) -> Wired:
    found = made(request.param, tmp_path / "bench")
    assert isinstance(found, Wired)
    return found


def test_the_model_sees_the_tools_and_what_it_sends_arrives(wired: Wired) -> None:
    wired.post.register("beta", wired.place("beta"))
    run = wired.run_with_mail(wired.mail("send", to="beta", slug="by-tool", subject="S", text="text\n"))
    assert "mail_send" in json.dumps(run.main[0].body)
    (id,) = read_bus(wired.post.bus)["beta"].inbox
    assert id.endswith("-alpha-by-tool")
    if wired.host in ("claude-code", "codex", "pi"):  # the session of its hooks
        assert wired.post.cli("read", "beta", id, "--json").json["header"]["session"] == run.session


def test_codex_hands_the_variables_of_mail_on_to_the_server(tmp_path: Path) -> None:
    codex = made(WiredCodex, tmp_path / "bench")
    bus = codex.root / "other-bus"
    for identity, workdir in (("alpha", codex.project), ("beta", codex.place("beta"))):
        assert (
            codex.post.cli(
                "register", identity, str(workdir), "takes", "part", env={"AGENT_MAIL_DIR": str(bus)}
            ).code
            == 0
        )
    codex.run(
        "go",
        [codex.mail("send", to="beta", slug="s", subject="S", text="t\n")],
        env={"AGENT_MAIL_DIR": str(bus)},
    )
    assert len(read_bus(bus)["beta"].inbox) == 1


def test_a_host_shows_no_error_and_no_tools_when_the_package_is_gone(wired: Wired) -> None:
    before = wired.run_with_mail()
    entry = wired.entry
    entry.write_text(entry.read_text().replace(str(ROOT), "/gone"))
    run = wired.run_with_mail()
    assert "mail_send" in json.dumps(before.main[0].body)
    assert "mail_send" not in json.dumps(run.main[0].body)
    assert run.code == 0
    said = run.stdout + run.stderr
    assert "/gone" not in said
    assert "agentmail" not in run.stderr, run.stderr
    for word in ("failed to start", "Connection closed", '"status":"failed"', "MCP error", "Error"):
        assert word not in said or word in before.stdout + before.stderr, word


def test_unwire_after_a_session_leaves_nothing_of_ours(wired: Wired) -> None:
    wired.run_with_mail()
    done = wired.post.cli("unwire", wired.host, cwd=wired.project)
    assert done.code == 0, done.err
    assert not wired.entry.exists() or "agentmail" not in wired.entry.read_text()
    if wired.host in (
        "codex",
        "opencode",
        "pi",
    ):  # the file was made by `wire`, and the client leaves it alone
        assert not wired.entry.exists()
