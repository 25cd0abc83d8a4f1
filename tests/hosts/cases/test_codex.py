"""What only Codex has: trust in each hook, a rules file, and a profile of its sandbox; with the real client."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts.rig.clients import CLIENTS
from tests.hosts.rig.post import notices
from tests.hosts.rig.script import text
from tests.support.cli import ROOT

from .codex import CodexBench

pytestmark = [pytest.mark.hosts, pytest.mark.timeout(400)]


@pytest.fixture
def codex(tmp_path: Path) -> CodexBench:
    client = CLIENTS["codex"].find()
    if client is None:
        pytest.skip(CLIENTS["codex"].missing)
    return CodexBench(client, tmp_path / "bench")


def findings(codex: CodexBench) -> list[tuple[str, str]]:
    found = codex.agentmail("doctor", "--json", codes=(0, 1)).json["findings"]
    return [(one["level"], one["what"]) for one in found if one["subject"] == "Codex"]


def test_hooks_that_are_not_trusted_are_skipped_and_doctor_says_so(codex: CodexBench) -> None:
    codex.post.send()
    wired = codex.agentmail("wire", "codex")
    assert "agentmail wire codex --trust" in wired.err
    assert notices(codex.run("hello")) == []
    skipped = [what for level, what in findings(codex) if level == "problem"]
    assert len(skipped) == 1
    assert "preToolUse, sessionStart, userPromptSubmit" in skipped[0]
    trusted = codex.agentmail("wire", "codex", "--trust")
    assert "Codex trusts 3 hooks of ours now" in trusted.out
    assert "--trust" not in trusted.err
    assert ("note", "Codex trusts our hooks") in findings(codex)
    assert len(notices(codex.run("hello"))) == 1


def test_an_entry_that_changes_is_trusted_no_more(codex: CodexBench) -> None:
    codex.wire()
    path = codex.home / ".codex" / "hooks.json"
    path.write_text(path.read_text().replace('"timeout": 5', '"timeout": 4'))
    assert any("not trusted" in what for level, what in findings(codex) if level == "problem")
    codex.wire()
    assert not [what for level, what in findings(codex) if level == "problem"]


def test_a_dry_run_does_not_ask_codex_for_anything(codex: CodexBench) -> None:
    before = codex.tree()
    codex.agentmail("wire", "codex", "--dry-run", "--trust", "--strict")
    assert codex.tree() == before


def test_strict_keeps_the_bus_read_only_in_the_sandbox_and_is_undone(codex: CodexBench) -> None:
    configuration = codex.home / ".codex" / "config.toml"
    configuration.write_text(configuration.read_text().replace('sandbox_mode = "danger-full-access"\n', ""))
    before = codex.tree()
    codex.wire("--strict")
    forged = codex.post.bus / "alpha" / "inbox" / "forged.md"
    steps = [codex.shell(f"echo x >{forged}; echo x >own.txt"), text("done")]
    run = codex.run("hello", steps)
    assert "Read-only file system" in run.received()
    assert ((codex.project / "own.txt").exists(), forged.exists()) == (True, False)
    codex.unwire()
    assert codex.tree() == before


def test_strict_is_refused_where_the_user_has_chosen_a_sandbox(codex: CodexBench) -> None:
    refused = codex.agentmail("wire", "codex", "--strict", codes=(2,))
    assert "sandbox_mode" in refused.err
    assert "the hooks are wired" in refused.err
    codex.unwire()


def test_inside_the_sandbox_calls_of_plain_words_deliver(codex: CodexBench) -> None:
    configuration = codex.home / ".codex" / "config.toml"
    narrow = 'sandbox_mode = "workspace-write"\n'
    rest = "\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n"
    data = configuration.read_text().replace('sandbox_mode = "danger-full-access"\n', narrow)
    configuration.write_text(data + rest)
    codex.wire()
    codex.post.register("beta", codex.place("beta"))
    command = ROOT / "bin" / "agentmail"
    (codex.project / "body.txt").write_text("the body\n")
    send = f"{command} send alpha beta hello Subject --body-file body.txt"
    codex.run("hello", [codex.shell(send), text("done")])
    assert len(codex.post.waiting("beta")) == 1


def test_a_package_that_is_gone_shows_no_error(codex: CodexBench) -> None:
    codex.wire()
    path = codex.home / ".codex" / "hooks.json"
    path.write_text(path.read_text().replace(str(ROOT), "/gone"))
    codex.options = ("--dangerously-bypass-hook-trust",)  # the entries differ from those that are trusted
    run = codex.run("hello", [codex.shell("true"), text("done")])
    assert run.code == 0
    assert len(run.main) == 2
    assert "/gone/" not in run.seen() + run.stderr + run.stdout
