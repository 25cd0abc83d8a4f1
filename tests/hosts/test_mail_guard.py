"""A file tool may not write into a mailbox or the registry by any path; everything else is allowed."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.support.hooks import Bed


def decision(bed: Bed, tool: str, tool_input: object, **how: Any) -> str:
    """The reason of a refusal, or nothing where the hook has no opinion."""
    fields = how.pop("fields", {})
    payload = bed.payload("PreToolUse", tool_name=tool, tool_input=tool_input, **fields)
    done = bed.run(bed.command("mail-guard"), payload, **how)
    assert done.code == 0
    assert b"Traceback" not in done.stderr
    if not done.stdout:
        return ""
    inner = done.json["hookSpecificOutput"]
    assert inner.keys() == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert (inner["hookEventName"], inner["permissionDecision"]) == ("PreToolUse", "deny")
    return str(inner["permissionDecisionReason"])


def write(bed: Bed, path: object, **how: Any) -> str:
    return decision(bed, "Write", {"file_path": path, "content": "x"}, **how)


@pytest.fixture
def links(bed: Bed) -> Bed:
    """Links into the bus by several roads."""
    (bed.work / "to-bus").symlink_to(bed.bus)
    (bed.work / "to-inbox").symlink_to(bed.inbox())
    (bed.work / "to-message").symlink_to(bed.inbox() / "x.md")
    (bed.work / "to-registry").symlink_to(bed.bus / "registry.md")
    os.link(bed.bus / "registry.md", bed.work / "registry-too")
    (bed.inbox() / "out").symlink_to(bed.work / "elsewhere")
    return bed


DENIED = [
    "{bus}/alpha/inbox/x.md",
    "{bus}/alpha/./inbox/./x.md",
    "{bus}/alpha/x/../inbox/x.md",
    "{bus}//alpha//inbox//x.md",
    "{work}/../bus/alpha/inbox/x.md",
    "../bus/alpha/inbox/x.md",
    "to-bus/alpha/inbox/x.md",
    "to-inbox/x.md",
    "to-inbox/deep/er/x.md",
    "to-message",
    "{bus}/alpha/inbox/out",
    "{bus}/alpha/archive/x.md.gz",
    "{bus}/alpha/tmp/x",
    "{bus}/alpha/sent/x.md",
    "{bus}/alpha/sessions/m/s.jsonl",
    "{bus}/alpha/x.md",
    "{bus}/alpha/INBOX/x.md",
    "{bus}/unknown/inbox/x.md",
    "{bus}/.hooks/s/due",
    "{bus}/alpha/inbox/\x1b[2J\u202e.md",
    "{bus}/alpha/inbox/half a character \ud800.md",
]
TABLES = ["{bus}/registry.md", "{bus}/./Registry.MD", "to-bus/registry.md", "to-registry", "registry-too"]
ALLOWED = [
    "{bus}-other/inbox/x.md",
    "{bus}",
    "{bus}/",
    "{bus}/notes.md",
    "{root}/inbox/x.md",
    "{root}/busalpha/inbox/x.md",
    "{work}/alpha/inbox/x.md",
    "x.md",
    "file://{bus}/alpha/inbox/x.md",
    "/",
    "",
    ".",
    "a\0b",
    "\ud800",
    "x" * 5000,
    "~nobody-of-this-name/x",
]


def put_in(bed: Bed, path: str) -> str:
    return (
        path.replace("{bus}", str(bed.bus)).replace("{work}", str(bed.work)).replace("{root}", str(bed.root))
    )


@pytest.mark.parametrize("path", DENIED)
def test_a_path_in_a_mailbox_is_refused_with_the_command_to_use_instead(links, path):
    reason = write(links, put_in(links, path))
    assert "agentmail send <from> <to> <slug>" in reason
    assert "Reading is free" in reason


@pytest.mark.parametrize("path", TABLES)
def test_the_registry_is_refused_with_its_own_command(links, path):
    assert "agentmail register <id> <workdir>" in write(links, put_in(links, path))


@pytest.mark.parametrize("path", ALLOWED)
def test_any_other_path_is_allowed(links, path):
    assert write(links, put_in(links, path)) == ""


def test_the_target_of_a_linked_registry_is_the_registry(bed):
    table = bed.bus / "registry.md"
    table.rename(bed.root / "table.md")
    table.symlink_to(bed.root / "table.md")
    for path in (table, bed.root / "table.md"):
        assert "agentmail register" in write(bed, str(path))


def test_a_bus_that_is_a_link_is_known_by_both_names(bed):
    link = bed.root / "link"
    link.symlink_to(bed.bus)
    for path in (link, bed.bus):
        assert write(bed, f"{path}/alpha/inbox/x.md", env={"AGENT_MAIL_DIR": str(link)})


def test_a_tilde_is_the_home_directory(bed):
    default = bed.home / ".agents" / "mail"
    default.mkdir(parents=True)
    how = {"env": {"AGENT_MAIL_DIR": None}}
    assert write(bed, "~/.agents/mail/alpha/inbox/x.md", **how)
    assert not write(bed, "~/x.md", **how)
    assert not write(bed, "~", **how)


@pytest.mark.parametrize(
    ("tool", "field"),
    [
        ("Write", "file_path"),
        ("Edit", "file_path"),
        ("MultiEdit", "file_path"),
        ("NotebookEdit", "notebook_path"),
    ],
)
def test_every_tool_that_writes_files_is_checked(bed, tool, field):
    assert decision(bed, tool, {field: f"{bed.inbox()}/x.md"})
    assert not decision(bed, tool, {field: f"{bed.work}/x.md"})


@pytest.mark.parametrize("tool", ["Read", "Grep", "Glob", "Bash", "Task", "mcp__x__Write", "", None, 7])
def test_other_tools_are_allowed_and_so_is_reading(bed, tool):
    path = f"{bed.inbox()}/x.md"
    assert not decision(bed, tool, {"file_path": path, "path": path, "command": f"cat {path}"})


@pytest.mark.parametrize("tool_input", [None, [], "x", 7, {}, {"file_path": None}, {"file_path": 7}])
def test_an_input_of_another_type_is_allowed(bed, tool_input):
    assert not decision(bed, "Write", tool_input)


def test_a_path_of_another_type_is_allowed(bed):
    path = f"{bed.inbox()}/x.md"
    for odd in ([path], {"path": path}, True):
        assert not write(bed, odd)


def test_input_that_is_not_understood_is_allowed_and_reported_on_stderr(bed):
    done = bed.run(bed.command("mail-guard"), b"{")
    assert (done.code, done.out) == (0, "")
    assert done.err == "agentmail: hook: the input is not understood; the call is allowed\n"


def test_a_subagent_is_refused_as_well(bed):
    assert write(bed, f"{bed.inbox()}/x.md", fields={"agent_id": "a1"})


@pytest.mark.parametrize("cwd", [None, 7, "relative", "/nowhere"])
def test_an_invalid_directory_does_not_allow_an_absolute_path_into_a_mailbox(bed, cwd):
    assert write(bed, f"{bed.inbox()}/x.md", fields={"cwd": cwd})


def test_without_a_bus_no_python_is_started(bed):
    python = bed.root / "witness"
    python.write_text("#!/bin/sh\necho looked\n")
    python.chmod(0o755)
    for bus in (str(bed.root / "nowhere"), "", None):
        done = bed.run(bed.command("mail-guard", python=str(python)), {}, env={"AGENT_MAIL_DIR": bus})
        assert (done.code, done.out, done.err) == (0, "", "")


def test_the_guard_changes_nothing(links, tree):
    before = tree(links.root)
    write(links, f"{links.inbox()}/x.md")
    write(links, "to-inbox/new/x.md")
    assert tree(links.root) == before
