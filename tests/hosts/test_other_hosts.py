"""The hooks of Codex and Gemini CLI: the same facts in each host's own form, and silence without Python.

Each test runs the line that is wired, with the payload and the variables as the real client gives them.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from agentmail.hosts.codex.host import CODEX
from agentmail.hosts.gemini.host import GEMINI
from agentmail.hosts.hooks_file.command import own_root
from agentmail.hosts.hooks_file.host import HooksHost
from tests.support.cli import Ran
from tests.support.hooks import MISSING_SHELLS, SHELLS, Bed, ids_in, notice_of

FIRST, SECOND = "20260704-0930-beta-first", "20260704-0931-beta-second"
WITNESS = "#!/bin/sh\necho looked\n"


class Session:
    """A session of a host: what its hooks say."""

    def __init__(self, bed: Bed, host: HooksHost) -> None:
        self.bed, self.host, self.python = bed, host, sys.executable
        self.prompt_event = "BeforeAgent" if host is GEMINI else "UserPromptSubmit"
        self.guard_event = "BeforeTool" if host is GEMINI else "PreToolUse"
        bed.variables = {"CLAUDE_CODE_SESSION_ID": None, "CLAUDE_PROJECT_DIR": None}
        if host is GEMINI:
            bed.variables |= {"GEMINI_SESSION_ID": bed.session, "GEMINI_PROJECT_DIR": str(bed.work)}

    def line(self, event: str) -> str:
        """The command that is wired for an event."""
        (group,) = self.host.entries(own_root(), self.python, wake=False)[event]
        return str(group["hooks"][0]["command"])

    def run(self, event: str, stdin: bytes | None = None, *, shell: str = "dash", **fields: Any) -> Ran:
        payload = {
            "session_id": self.bed.session,
            "cwd": str(self.bed.work),
            "hook_event_name": event,
            **fields,
        }
        data = (
            json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
            if stdin is None
            else stdin
        )
        done = self.bed.run([*SHELLS[shell], "-c", self.line(event)], data)
        assert (done.code, done.trouble) == (0, "")
        return done

    def start(self) -> list[str]:
        return ids_in(notice_of(self.run("SessionStart", source="startup"), "SessionStart"))

    def prompt(self, **how: Any) -> list[str]:
        return ids_in(notice_of(self.run(self.prompt_event, **{"prompt": "go", **how}), self.prompt_event))

    def refusal(self, **fields: Any) -> str:
        """Why a tool is refused, or nothing."""
        done = self.run(self.guard_event, **fields)
        if not done.out:
            return ""
        if self.host is GEMINI:
            assert done.json.keys() == {"decision", "reason"}
            assert done.json["decision"] == "deny"
            return str(done.json["reason"])
        inner = done.json["hookSpecificOutput"]
        assert (inner["hookEventName"], inner["permissionDecision"]) == ("PreToolUse", "deny")
        return str(inner["permissionDecisionReason"])

    def witness(self) -> None:
        """From now on, a program that says so stands in for Python."""
        path = self.bed.root / "witness"
        path.write_text(WITNESS)
        path.chmod(0o755)
        self.python = str(path)


@pytest.fixture(params=[CODEX, GEMINI], ids=lambda host: host.name)
def session(request: pytest.FixtureRequest, bed: Bed) -> Session:
    return Session(bed, request.param)


@pytest.fixture
def codex(bed: Bed) -> Session:
    return Session(bed, CODEX)


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    if request.param in MISSING_SHELLS:
        pytest.skip(f"{request.param} is not installed")
    return str(request.param)


# --- notices -----------------------------------------------------------------------------------------------


def test_the_start_lists_all_that_waits_and_a_prompt_what_is_new_once(session: Session) -> None:
    session.bed.put(FIRST, old=True)
    assert session.start() == [FIRST]
    assert session.prompt() == []
    session.bed.variables["AGENT_MAIL_CHECK_INTERVAL"] = "0"
    session.bed.put(SECOND)
    assert session.prompt() == [SECOND]
    assert session.prompt() == []
    assert session.start() == [FIRST, SECOND]
    assert [fact["host"] for fact in session.bed.receipts("session")] == [session.host.name] * 2
    assert [fact["id"] for fact in session.bed.receipts()] == [FIRST, SECOND, FIRST, SECOND]


def test_without_a_start_the_first_prompt_tells_what_waits(session: Session) -> None:
    session.bed.put(FIRST)
    assert session.prompt() == [FIRST]
    assert session.prompt() == []


def test_a_prompt_with_nothing_new_starts_no_python(session: Session, shell: str) -> None:
    session.bed.put(FIRST, old=True)
    session.start()
    session.witness()
    assert session.run(session.prompt_event, prompt="go", shell=shell).out == ""
    session.bed.variables["AGENT_MAIL_CHECK_INTERVAL"] = "0"
    session.bed.put(SECOND)
    assert session.run(session.prompt_event, prompt="go", shell=shell).out == "looked\n"


def test_two_sessions_of_one_identity_are_each_told_everything_once(session: Session) -> None:
    session.bed.put(FIRST)
    assert session.start() == [FIRST]
    session.bed.session = "another-session"
    if session.host is GEMINI:
        session.bed.variables["GEMINI_SESSION_ID"] = "another-session"
    assert session.prompt() == [FIRST]
    assert session.prompt() == []


def test_a_hook_without_a_bus_is_silent(session: Session) -> None:
    session.bed.variables["AGENT_MAIL_DIR"] = str(session.bed.root / "none")
    for event in ("SessionStart", session.prompt_event, session.guard_event):
        assert session.run(event).out == ""


def test_the_wired_line_of_a_package_that_is_gone_is_silent(session: Session, shell: str) -> None:
    for event in ("SessionStart", session.prompt_event, session.guard_event):
        line = session.line(event).replace(own_root(), "/gone")
        done = session.bed.run([*SHELLS[shell], "-c", line], b"{}")
        assert (done.code, done.out, done.err) == (0, "", "")


def test_an_event_inside_a_subagent_is_told_nothing(codex: Session) -> None:
    codex.bed.put(FIRST)
    assert codex.prompt(agent_id="x", agent_type="y") == []
    assert codex.prompt() == [FIRST]


# --- the payload of Codex, which the shell reads -----------------------------------------------------------


def test_any_prompt_reaches_python_as_it_was(codex: Session, shell: str) -> None:
    codex.bed.put(FIRST)
    prompt = '\\n \\\\ "session_id":"x" $(touch /tmp/no) `id` EOF\nEND\n \x01 \U0001f600 ' + "long " * 40_000
    assert codex.prompt(shell=shell, prompt=prompt) == [FIRST]
    assert [fact["id"] for fact in codex.bed.receipts()] == [FIRST]


@pytest.mark.parametrize("prompt", ['"session_id":"evil"', '","session_id":"evil', '\\","session_id":"evil"'])
def test_a_prompt_cannot_name_the_session(codex: Session, prompt: str) -> None:
    codex.bed.put(FIRST, old=True)
    codex.start()
    codex.witness()
    payload = {"prompt": prompt, "hook_event_name": "UserPromptSubmit", "session_id": codex.bed.session}
    assert codex.run("UserPromptSubmit", json.dumps(payload, separators=(",", ":")).encode()).out == ""


@pytest.mark.parametrize("spelt", ['{{\n"session_id":"{}",', '\n\n{{"session_id":"{}",'])
def test_a_payload_of_several_lines_is_read_whole(codex: Session, shell: str, spelt: str) -> None:
    codex.bed.put(FIRST)
    text = spelt.format(codex.bed.session) + '\n"hook_event_name":\n"UserPromptSubmit",'
    data = f'{text}"cwd":"{codex.bed.work}"\n}}\n'.encode()
    assert ids_in(notice_of(codex.run("UserPromptSubmit", data, shell=shell), "UserPromptSubmit")) == [FIRST]


@pytest.mark.parametrize("data", [b"", b"\n", b"[]", b"null", b"\xff\xfe", b'{"session_id":"../../x"}'])
def test_a_payload_that_is_not_understood_is_silent(codex: Session, data: bytes) -> None:
    codex.bed.put(FIRST)
    for event in ("SessionStart", "UserPromptSubmit"):
        assert codex.run(event, data).out == ""


def test_the_session_of_another_codex_around_it_is_not_taken(codex: Session) -> None:
    codex.bed.variables |= {"CODEX_THREAD_ID": "the-outer-one", "CLAUDE_CODE_SESSION_ID": "another"}
    codex.bed.put(FIRST)
    assert codex.start() == [FIRST]
    assert [path.name for path in codex.bed.states.iterdir()] == [codex.bed.session]


# --- guard -------------------------------------------------------------------------------------------------


def patch(*lines: str) -> dict[str, Any]:
    text = "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])
    return {"tool_name": "apply_patch", "tool_input": {"command": text}}


def test_a_patch_into_a_mailbox_is_refused_however_its_path_is_written(codex: Session) -> None:
    inbox = codex.bed.inbox()
    (codex.bed.work / "link").symlink_to(inbox)
    for path in (f"{inbox}/x.md", f"../{codex.bed.bus.name}/alpha/inbox/x.md", "link/x.md", f" {inbox}/x.md"):
        for lead in ("Add File: ", "Update File: ", "Delete File: "):
            assert "agentmail send" in codex.refusal(**patch(f"*** {lead}{path}", "+text"))
        moved = patch("*** Update File: here.md", f"*** Move to: {path}", "@@", "-a", "+b")
        assert "agentmail send" in codex.refusal(**moved)
    both = patch("*** Add File: fine.md", "+text", f"*** Add File: {inbox}/x.md", "+text")
    assert codex.refusal(**both)
    assert "agentmail register" in codex.refusal(**patch(f"*** Delete File: {codex.bed.bus}/registry.md"))


def test_a_patch_that_a_shell_applies_is_refused_too(codex: Session) -> None:
    text = f"apply_patch <<'E'\n*** Begin Patch\n*** Add File: {codex.bed.inbox()}/x.md\n+x\n*** End Patch\nE"
    assert codex.refusal(tool_name="Bash", tool_input={"command": text})


def test_other_patches_and_reading_are_allowed(codex: Session) -> None:
    inbox = codex.bed.inbox()
    assert codex.refusal(**patch("*** Add File: notes.md", f"+*** Add File: {inbox}/x.md")) == ""
    assert codex.refusal(tool_name="Bash", tool_input={"command": f"cat {inbox}/x.md"}) == ""
    assert codex.refusal(tool_name="mcp__mail__send", tool_input={"command": str(inbox)}) == ""


def test_a_shell_command_without_a_patch_starts_no_python(codex: Session, shell: str) -> None:
    codex.witness()
    assert codex.run("PreToolUse", shell=shell, tool_name="Bash", tool_input={"command": "ls"}).out == ""
    assert codex.run("PreToolUse", shell=shell, **patch("*** Add File: a", "+x")).out == "looked\n"


@pytest.mark.parametrize("tool", ["write_file", "replace"])
def test_a_file_tool_of_gemini_is_refused_in_a_mailbox(bed: Bed, tool: str) -> None:
    gemini = Session(bed, GEMINI)
    for path in (f"{bed.inbox()}/x.md", f"../{bed.bus.name}/alpha/inbox/x.md"):
        assert "agentmail send" in gemini.refusal(tool_name=tool, tool_input={"file_path": path})
    assert gemini.refusal(tool_name=tool, tool_input={"file_path": "notes.md"}) == ""
    assert gemini.refusal(tool_name="read_file", tool_input={"file_path": f"{bed.inbox()}/x.md"}) == ""


def test_the_hooks_report_a_missing_package_when_a_session_starts(session: Session, tmp_path: Path) -> None:
    shutil.copytree(Path(own_root()) / "hooks", tmp_path / "alone" / "hooks")
    line = session.line("SessionStart").replace(own_root(), str(tmp_path / "alone"))
    done = session.bed.run(["sh", "-c", line], b"{}")
    assert notice_of(done, "SessionStart").startswith("agentmail cannot look for mail")
