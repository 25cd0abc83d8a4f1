"""Whatever call of a hook goes wrong, in this process: every message is still announced, and no host is stopped.

The next prompt may repeat what a hook announced before the fault; it announces what the hook did not.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.fs import Disk
from agentmail.core.layout import Bus
from agentmail.hosts.claude_code.dialect import HOST, KINDS
from agentmail.hosts.runtime import check, trouble, wake
from tests.faults.judge import look
from tests.faults.planting import OTHER, WAITING
from tests.faults.stories import STORIES, arrange
from tests.support.fault_loop import SAMPLED_AND_ALL, Strike, strike_each
from tests.support.faults import Crashed, FaultyDisk

START, PROMPT = ("check", "SessionStart"), ("check", "UserPromptSubmit")
WATCH, WAKE = ("wake", "SessionStart"), ("wake", "FileChanged")
#: What each hook ends with where nothing goes wrong: a wake is heard only with this exit code.
ENDS = {START: 0, PROMPT: 0, WATCH: 0, WAKE: HOST.wake_code}
ALL = {WAITING, OTHER}
#: How many calls each hook makes at least. A number that sinks means that calls no longer pass the gate.
FLOOR = {START: 40, PROMPT: 40, WATCH: 20, WAKE: 20}
HOOKS = {"check": check.check, "wake": wake.wake}


class Session:
    """One session of beta on a bus, whose hooks are called in this process, with what they say kept."""

    def __init__(self, bus: Path, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.said = ""
        variables = {
            "AGENT_MAIL_DIR": str(bus),
            "AGENT_MAIL_SELF": "beta",
            "CLAUDE_CODE_SESSION_ID": "one",
            "HOME": str(bus.parent / "home"),
        }
        self.environment = Environment(variables, "/")
        for module in (check, trouble, wake):
            patch.setattr(module, "answer", self.hear)
        patch.setattr(wake, "write_all", lambda _fd, data: self.hear(data))

    def hear(self, data: bytes) -> None:
        self.said += data.decode()

    def __call__(self, hook: tuple[str, str], disk: Disk | None = None) -> int | None:
        """Call a hook, on a disk; its exit code, or None where the fault killed it."""
        name, event = hook
        fields: dict[str, object] = {
            "hook_event_name": event,
            "session_id": "one",
            "cwd": "/",
            "event": "add",
        }
        for module in (check, wake):
            self.patch.setattr(module, "read_input", lambda: json.dumps(fields).encode())
            self.patch.setattr(module, "Bus", lambda root: Bus(root, disk))
        self.said = ""
        try:
            return HOOKS[name](HOST, KINDS[event], self.environment)
        except Crashed:
            return None
        except (AgentMailError, OSError):
            return 0  # as `guarded` ends it

    @property
    def ids(self) -> set[str]:
        """The messages that the last call named."""
        return {id for id in ALL if id in self.said}


def wrongs(session: Session, hook: tuple[str, str], code: int | None) -> list[str]:
    """What is wrong after a fault, with the next prompt, and with the next start."""
    wrong = [] if code in (0, None, ENDS[hook]) else [f"it ended with {code}"]
    if hook == START and code is not None and not session.said:
        wrong.append("a session began, and nothing was said")
    heard = session.ids if hook != WAKE or code == HOST.wake_code else set()
    assert session(PROMPT) == 0
    # A wake that is killed between its record and its end was not heard: the next start says what waits.
    if not (hook == WAKE and code is None) and heard | session.ids != ALL:
        wrong.append(f"said before and with the next prompt: {sorted(heard | session.ids)}")
    assert session(START) == 0
    return wrong + ([] if session.ids == ALL else [f"said at the next start: {sorted(session.ids)}"])


@pytest.mark.parametrize("every", SAMPLED_AND_ALL)
@pytest.mark.parametrize("hook", FLOOR, ids="-".join)
@pytest.mark.timeout(300)
def test_a_hook_that_meets_a_fault_hides_nothing(
    hook: tuple[str, str], every: int, quick_path: Path, monkeypatch: pytest.MonkeyPatch, tally: Counter[str]
) -> None:
    place = quick_path / "place"
    bus = arrange(STORIES["check"], place)
    session, before, healthy = Session(bus, monkeypatch), look(bus), FaultyDisk()
    assert session(hook, healthy) == ENDS[hook]
    assert session.said

    def meet(strike: Strike) -> list[str]:
        arrange(STORIES["check"], place)
        disk = FaultyDisk(strike.effect, strike.at)
        try:
            code = session(hook, disk)
        finally:
            disk.bury()
        wrong = wrongs(session, hook, code)
        if look(bus).boxes["beta"].received != before.boxes["beta"].received:
            wrong.append("the mail is not what it was")
        return wrong

    found = strike_each(healthy.calls, meet, every)
    tally["points"] += found.points
    tally["violations"] += len(found.wrong)
    assert found.wrong == []
    assert len(healthy.calls) >= FLOOR[hook], healthy.calls
    assert found.struck == set(range(len(healthy.calls)))
    assert found.points >= 7 * FLOOR[hook] // every - len(healthy.calls) * (every > 1)
