"""The check hook is killed, or gets an error, at every system call on the bus: it never hides a message.

The next prompt may repeat what the hook announced before it died; it announces what the hook did not.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.faults.errors import errors_of
from tests.faults.judge import Ended, look
from tests.faults.planting import OTHER, WAITING
from tests.faults.stories import STORIES, arrange
from tests.faults.strace import Strace

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("needs_strace")]

EVENT = "UserPromptSubmit"
#: What `hooks/run` ends in, on a machine that gives it no second process to watch the first: the calls of one
#: process can be counted.
RUN = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import posix
def refused():
    raise BlockingIOError
posix.fork = refused
module = __import__(sys.argv.pop(1), fromlist=["main"])
posix._exit(module.main(sys.argv[1:]))
"""
FLOOR = 60


@pytest.fixture
def hook(program: Path, environment: dict[str, str], tmp_path: Path) -> Strace:
    command = [
        sys.executable,
        "-I",
        "-S",
        "-X",
        "utf8",
        "-c",
        RUN,
        str(program),
        "agentmail.hosts.claude_code.dialect",
        "check",
        EVENT,
    ]
    payload = {"hook_event_name": EVENT, "session_id": "one", "cwd": str(tmp_path), "prompt": "go on"}
    environment = {**environment, "AGENT_MAIL_SELF": "beta", "CLAUDE_CODE_SESSION_ID": "one"}
    return Strace(command, environment, json.dumps(payload).encode(), tmp_path / "place")


def said(ended: Ended) -> set[str]:
    """The messages that a hook's answer names; any other answer is an error."""
    if not ended.out:
        return set()
    text = json.loads(ended.out)["hookSpecificOutput"]["additionalContext"]
    return {id for id in (WAITING, OTHER) if id in text}


def wrongs(hook: Strace, bus: Path, ended: Ended) -> list[str]:
    """What is wrong after a fault, and with the next prompt."""
    wrong = [] if ended.code in (0, None) else [f"the hook ended with {ended.code}: {ended.err}"]
    if "Traceback" in ended.out + ended.err:
        wrong.append(f"it said {ended.out + ended.err}")
    once = set() if ended.code is None and not ended.out.endswith("}\n") else said(ended)
    again = hook.plain()
    if again.code != 0:
        wrong.append(f"the next one ended with {again.code}: {again.err}")
    missing = {WAITING, OTHER} - once - said(again)
    if missing:
        wrong.append(f"never said: {sorted(missing)}")
    return wrong


@pytest.mark.parametrize("fault", ["kill", "error"])
@pytest.mark.timeout(300)
def test_after_a_fault_of_a_hook_the_next_prompt_announces_every_message(
    hook: Strace, fault: str, tmp_path: Path, tally: Counter[str]
) -> None:
    story, place = STORIES["check"], tmp_path / "place"
    bus = arrange(story, place)
    before = look(bus)
    points, ended = hook.record()
    assert (ended.code, said(ended)) == (0, {WAITING, OTHER}), ended
    assert said(hook.plain()) == set()
    assert len(points) >= FLOOR
    wrong = []
    for point in points:
        arrange(story, place)
        what = "signal=KILL" if fault == "kill" else f"error={errors_of(point.syscall)[0]}"
        ended, struck = hook.inject(point, what)
        found = [] if struck else ["the fault did not strike there"]
        found += wrongs(hook, bus, ended)
        found += [] if look(bus).boxes["beta"].received == before.boxes["beta"].received else ["mail changed"]
        wrong += [f"{point}, {what}: {line}" for line in found]
        tally["runs"] += 1
    tally["points"] += len(points)
    tally["violations"] += len(wrong)
    assert wrong == []
