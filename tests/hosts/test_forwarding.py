"""The files that forward the events of a host, in a stand-in for it: what reaches the model, and when no hook is run.

The hooks are run through a witness that counts their calls.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentmail.hosts import base
from agentmail.hosts.forwarding.dialect import patched_files
from agentmail.hosts.forwarding.file import text_of
from tests.hosts.rig.waiting import wait_for
from tests.support.cli import ROOT
from tests.support.hooks import Bed, ids_in

FIRST, SECOND = "20260704-0930-beta-first", "20260704-0930-beta-second"
PARTS = {"opencode": "opencode/plugin.js", "pi": "pi/extension.ts"}
#: For each host, the field of the path in the input of its tool `write`.
PATHS = {"opencode": "filePath", "pi": "path"}
NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")


class StandIn:
    """A host that has loaded our file."""

    def __init__(self, host: str, bed: Bed, root: Path) -> None:
        self.host = host
        self.bed = bed
        self.calls = root / "calls"
        self.root = root / "installation"
        self._file = root / "plugin.mjs"
        (self.root / "hooks").mkdir(parents=True)
        self.program = self.root / "hooks" / "run"
        self.program.write_text(f'#!/bin/sh\necho "$3 $4" >>{self.calls}\nexec {ROOT}/hooks/run "$@"\n')
        self.program.chmod(0o755)
        self.process: subprocess.Popen[str] | None = None

    def load(self, *, wake: bool = False, **variables: str | None) -> None:
        """Start the host; it loads the file as `wire` would write it."""
        self.close()
        part = str(ROOT / "agentmail" / "hosts" / PARTS[self.host])
        dialect: Any = base.load_host(self.host)
        self._file.write_text(text_of(dialect, part, str(self.root), sys.executable, wake=wake))
        for name in ("CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"):
            variables.setdefault(name, None)
        self.process = subprocess.Popen(
            [
                str(NODE),
                str(ROOT / "tests/hosts/stand_in.mjs"),
                self.host,
                self._file,
                self.bed.work,
            ],
            env=self.bed.environment(**variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """End the host."""
        if self.process is not None:
            self.process.communicate(timeout=30)

    def do(self, name: str, **fields: Any) -> Any:
        """What came of a command."""
        if self.process is None:
            self.load()
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": name, "session": "ses-1", **fields}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def prompt(self, message: str = "", session: str = "ses-1") -> list[str]:
        """The ids that a prompt puts before the model."""
        found = self.do("prompt", message=message or os.urandom(4).hex(), session=session)
        return [one for text in found for one in ids_in(text)]

    def write(self, path: Path | str, session: str = "ses-1") -> str | None:
        """Why the file tool is refused."""
        found: str | None = self.do(
            "tool", session=session, tool="write", input={PATHS[self.host]: str(path)}
        )
        return found

    def ran(self) -> list[str]:
        """The jobs that hooks were run for since the last look, such as `check prompt`."""
        found = self.calls.read_text().splitlines() if self.calls.exists() else []
        self.calls.unlink(missing_ok=True)
        return [line.strip() for line in found]


@pytest.fixture(params=PARTS)
def host(request: pytest.FixtureRequest, bed: Bed, tmp_path: Path) -> Iterator[StandIn]:
    stand_in = StandIn(request.param, bed, tmp_path)
    yield stand_in
    stand_in.close()


# --- what the model is told --------------------------------------------------------------------------------


def test_the_first_prompt_lists_all_that_waits_and_a_later_one_what_is_new_once(host: StandIn) -> None:
    host.bed.put(FIRST)
    assert host.prompt() == [FIRST]
    assert host.prompt() == []
    host.bed.put(SECOND)
    assert host.prompt() == [SECOND]
    assert host.prompt() == []


def test_after_a_compaction_all_that_waits_is_listed_again(host: StandIn) -> None:
    host.bed.put(FIRST)
    assert host.prompt() == [FIRST]
    host.do("compacted")
    assert host.prompt() == [FIRST]


def test_a_second_session_in_the_same_process_is_told_the_same(host: StandIn) -> None:
    host.bed.put(FIRST)
    assert host.prompt(session="ses-1") == host.prompt(session="ses-2") == [FIRST]


def test_a_notice_stands_in_every_request_of_its_prompt_and_in_no_later_one(host: StandIn) -> None:
    if host.host != "opencode":
        pytest.skip("the other hosts store a notice as a message")
    host.bed.put(FIRST)
    assert [host.prompt("one"), host.prompt("one"), host.prompt("two")] == [[FIRST], [FIRST], []]


def test_a_subagent_is_told_nothing_and_takes_nothing_from_its_session(host: StandIn) -> None:
    if host.host != "opencode":
        pytest.skip("Pi has no subagents")
    assert host.prompt() == []
    host.bed.put(FIRST)
    assert host.prompt(session="sub-ses-1") == []
    assert host.prompt() == [FIRST]


def test_the_record_names_the_host_and_the_directory(host: StandIn) -> None:
    host.bed.session = "ses-1"
    host.prompt()
    (fact,) = host.bed.receipts("session")
    assert (fact["host"], fact["workdir"]) == (host.host, str(host.bed.work))
    assert fact.get("host_version") == {"opencode": "1.2.3"}.get(host.host)


def test_the_commands_of_the_session_are_told_who_they_act_for(host: StandIn) -> None:
    host.load(AGENT_MAIL_SESSION="outer")
    host.prompt()
    found = host.do("variables")
    assert (found["AGENT_MAIL_SELF"], found["AGENT_MAIL_SESSION"]) == ("alpha", "ses-1")
    if host.host == "opencode":
        assert host.do("variables", session="sub-ses-1") == found


# --- silence -----------------------------------------------------------------------------------------------


def test_a_prompt_with_nothing_new_runs_no_process(host: StandIn) -> None:
    host.bed.put(FIRST, old=True)
    host.prompt()
    assert host.ran() == ["check start"]
    assert [host.prompt(), host.prompt()] == [[], []]
    assert host.ran() == []


def test_without_a_bus_no_process_is_run_at_all(host: StandIn) -> None:
    shutil.rmtree(host.bed.bus)
    assert host.prompt() == []
    assert host.write("a.txt") is None
    assert host.ran() == []


def test_a_session_of_nobody_is_silent_until_the_registry_changes(host: StandIn) -> None:
    (host.bed.bus / "registry.md").write_text("| id | workdir | responsibility |\n|---|---|---|\n")
    host.bed.settle()
    host.bed.put(FIRST, old=True)
    assert [host.prompt(), host.prompt()] == [[], []]
    assert host.ran() == ["check start"]
    host.bed.register("alpha", host.bed.work)
    assert host.prompt() == [FIRST]


def _inbox_gone(bed: Bed, _: Path) -> None:
    shutil.rmtree(bed.inbox())


def _inbox_older(bed: Bed, _: Path) -> None:
    os.utime(bed.inbox(), (1_000_000_000, 1_000_000_000))


def _registry_gone(bed: Bed, _: Path) -> None:
    (bed.bus / "registry.md").unlink()


def _bus_gone(bed: Bed, _: Path) -> None:
    shutil.rmtree(bed.bus)


def _state_gone(_: Bed, state: Path) -> None:
    shutil.rmtree(state)


def _seen_gone(_: Bed, state: Path) -> None:
    (state / "seen").unlink()


def _link_gone(_: Bed, state: Path) -> None:
    (state / "inbox").unlink()


def _planted_link(_: Bed, state: Path) -> None:
    (state / "seen").rename(state / "other")
    (state / "seen").symlink_to("other")


def _planted_directory(_: Bed, state: Path) -> None:
    state.rename(state.with_name("other"))
    state.symlink_to("other")


UNEXPECTED = [
    _inbox_gone,
    _inbox_older,
    _registry_gone,
    _bus_gone,
    _state_gone,
    _seen_gone,
    _link_gone,
    _planted_link,
    _planted_directory,
]


@pytest.mark.parametrize("change", UNEXPECTED, ids=lambda change: change.__name__.strip("_"))
def test_where_anything_is_not_as_expected_the_hook_looks(
    host: StandIn, change: Callable[[Bed, Path], None]
) -> None:
    host.bed.settle()
    host.prompt()
    host.prompt()
    assert host.ran() == ["check start"]
    change(host.bed, host.bed.states / "ses-1")
    host.prompt()
    assert host.ran() == ["check prompt"]


def test_a_dry_run_is_never_silent(host: StandIn) -> None:
    host.bed.settle()
    host.prompt()
    host.load(AGENT_MAIL_DRY_RUN="1")
    host.prompt()
    host.ran()
    host.prompt()
    assert host.ran() == ["check prompt"]


def test_an_inbox_that_cannot_be_read_is_reported(host: StandIn) -> None:
    host.bed.settle()
    host.prompt()
    host.bed.inbox().rmdir()
    host.bed.inbox().write_text("")
    assert "could not read" in str(host.do("prompt", message="next"))


# --- the host is never stopped -----------------------------------------------------------------------------


def test_where_the_program_is_gone_nothing_happens(host: StandIn) -> None:
    host.bed.put(FIRST)
    host.program.unlink()
    assert host.prompt() == []
    assert host.write(host.bed.inbox() / "x.md") is None


@pytest.mark.parametrize(
    "program", ["#!/bin/sh\nexit 7\n", "#!/bin/sh\necho garbage\n", "no program", "#!/bin/sh\necho []\n"]
)
def test_a_program_that_fails_says_nothing_to_the_model(host: StandIn, program: str) -> None:
    host.bed.put(FIRST)
    host.program.write_text(program)
    assert host.prompt() == []
    assert host.write(host.bed.inbox() / "x.md") is None


def test_the_program_is_found_under_the_next_version_of_python(host: StandIn, tmp_path: Path) -> None:
    host.bed.put(FIRST)
    old, new = (
        tmp_path / "lib" / version / "site-packages" / "agentmail" for version in ("python3.11", "python3.12")
    )
    new.parent.mkdir(parents=True)
    shutil.move(host.root, new)
    host.root = old
    host.load()
    assert host.prompt() == [FIRST]


# --- the guard ---------------------------------------------------------------------------------------------


def test_a_file_tool_is_refused_in_a_mailbox_whatever_the_spelling_of_the_path(host: StandIn) -> None:
    inbox = host.bed.inbox()
    for path in (inbox / "x.md", os.path.relpath(inbox / "x.md", host.bed.work), f"{inbox}/../x.md"):
        assert "agentmail send" in str(host.write(path)), path
    assert host.write("own.txt") is None
    assert host.do("tool", tool="read", input={PATHS[host.host]: str(inbox)}) is None


def test_the_files_of_a_patch_are_guarded_too(host: StandIn) -> None:
    if host.host != "opencode":
        pytest.skip("Pi has no tool for patches")
    patch = "*** Begin Patch\n*** Update File: own.txt\n*** Move to: {}\n@@\n-a\n+b\n*** End Patch"
    inside = patch.format(os.path.relpath(host.bed.inbox() / "x.md", host.bed.work))
    assert "agentmail send" in host.do("tool", tool="apply_patch", input={"patchText": inside})
    assert host.do("tool", tool="apply_patch", input={"patchText": patch.format("other.txt")}) is None


def test_every_file_of_a_patch_is_found() -> None:
    patch = "*** Begin Patch\n*** Add File: a b.md\n+*** Add File: no\n*** Delete File: /c\n  *** Update File: d\n"
    assert patched_files(patch) == ("a b.md", "/c", "d")


# --- wake --------------------------------------------------------------------------------------------------


def test_a_message_starts_a_turn_of_an_idle_session_once(host: StandIn) -> None:
    host.load(wake=True)
    host.prompt()
    host.bed.put(FIRST)
    wait_for(lambda: host.do("sent"), "the turn")
    host.bed.put(SECOND)
    wait_for(lambda: len(host.do("sent")) == 2, "the second turn")
    sent = host.do("sent")
    assert [one[0] for one in sent] == ["ses-1", "ses-1"]
    assert [ids_in(one[1]) for one in sent] == [[FIRST], [SECOND]]
    assert host.prompt() == []
    host.bed.session = "ses-1"
    assert any(fact["wake"] for fact in host.bed.receipts("session"))


def test_a_busy_session_is_woken_once_it_is_idle(host: StandIn) -> None:
    host.load(wake=True)
    host.prompt()
    host.do("busy", busy=True)
    host.bed.put(FIRST)
    host.bed.put(SECOND)
    assert host.do("sent") == []
    # The watch tells the file of the change some time after it; how often an idle session is asked does not matter.
    wait_for(lambda: host.do("busy", busy=False) or host.do("sent"), "the turn")
    assert [found for one in host.do("sent") for found in ids_in(one[1])] == [FIRST, SECOND]


def test_without_the_option_nobody_is_woken(host: StandIn) -> None:
    host.prompt()
    host.ran()
    host.bed.put(FIRST)
    assert host.prompt() == [FIRST]
    assert host.do("sent") == []
    assert host.ran() == ["check prompt"]
