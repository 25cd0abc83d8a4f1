"""The commands that meet the faults, what each may change, and the bus on which it starts."""

from __future__ import annotations

import shutil
from pathlib import Path

from agentmail.core.fs import Disk
from tests.faults.judge import Ended, Letter, Seen, Story, look
from tests.faults.planting import (
    ARCHIVED,
    EXPIRED,
    EXPIRED_PLAIN,
    EXPIRED_SENT,
    LONG,
    OTHER,
    WAITING,
    plant,
    registry,
    write,
)
from tests.support.in_process import run_in_process

#: Three pages long, CRLF in it, no final newline.
BODY = (LONG + "\r\nthe end").encode()
PAST_AGE = frozenset({f"archive/{EXPIRED}", f"archive/{EXPIRED_PLAIN}", f"sent/{EXPIRED_SENT}"})
SUBJECT = ("a", "subject:", "with", "a", "colon")
SESSION = (("AGENT_MAIL_SELF", "beta"), ("AGENT_MAIL_SESSION", "one"))
SETTINGS = "home/.claude/settings.json"
OWN = b'{\n  "model": "one of its own",\n  "hooks": {}\n}\n'
GAMMA = ("register", "gamma", "-", "what", "gamma", "does")

STORIES = {
    story.name: story
    for story in (
        Story(
            "send",
            ("send", "alpha", "beta", "hello", *SUBJECT),
            BODY,
            again=("send", "--once", "alpha", "beta", "hello", *SUBJECT),
            sends=Letter("alpha", "beta", BODY),
        ),
        # The sender's own messages are read too, for the latest thread in that workspace.
        Story(
            "send-to-an-address",
            ("send", "alpha", "beta@/srv/x", "hello", *SUBJECT),
            BODY,
            again=("send", "--once", "alpha", "beta@/srv/x", "hello", *SUBJECT),
            sends=Letter("alpha", "beta", BODY),
        ),
        Story(
            "send-first-ever",
            ("send", "alpha", "beta", "hello"),
            BODY,
            again=("send", "--once", "alpha", "beta", "hello"),
            sends=Letter("alpha", "beta", BODY),
            first_ever=True,
        ),
        Story(
            "reply",
            ("reply", "beta", WAITING),
            BODY,
            again=("reply", "--once", "beta", WAITING),
            sends=Letter("beta", "alpha", BODY),
        ),
        Story(
            "delegate",
            ("delegate", "alpha", "beta", "--task", "count", "--context", "here", "--once"),
            sends=Letter("alpha", "beta", b"## Task\n\ncount\n\n## Context\n\nhere\n"),
        ),
        Story("check", ("check", "beta"), lists=(WAITING, OTHER)),
        Story("read", ("read", "beta", WAITING), lists=(LONG,)),
        Story("roster", ("roster",), lists=("alpha", "beta")),
        Story("archive", ("archive", "beta", WAITING), moves=(WAITING, "inbox", "archive")),
        Story(
            "archive-and-upkeep",
            ("archive", "beta", WAITING),
            moves=(WAITING, "inbox", "archive"),
            expires=PAST_AGE,
        ),
        Story("unarchive", ("unarchive", "beta", ARCHIVED), moves=(ARCHIVED, "archive", "inbox")),
        Story("prune", ("prune", "beta", "60"), expires=PAST_AGE, must_expire=True),
        Story("register", GAMMA, registry=registry("alpha", "beta", "gamma"), mailbox="gamma"),
        Story("register-first", GAMMA, registry=registry("gamma"), mailbox="gamma", planted=False),
        Story(
            "ack",
            ("ack", "beta", WAITING),
            acknowledges=WAITING,
            variables=SESSION,
        ),
        Story("wire", ("wire", "claude-code"), keeps=(SETTINGS,)),
        Story("unwire", ("unwire", "claude-code"), keeps=(SETTINGS,), prelude=("wire", "claude-code")),
        Story(
            "register-change",
            ("register", "beta", "-", "other", "duties"),
            registry=registry("alpha", "beta").replace(b"what beta does", b"other duties"),
            mailbox="beta",
        ),
    )
}
#: The commands that look; all that they may change is a session's record.
LOOKING = {
    story.name: story
    for story in (
        # What it may have said already it does not wait for again, so the next try looks.
        Story(
            "wait",
            ("wait", "beta", "--poll", "--timeout", "0"),
            again=("check", "beta"),
            lists=(WAITING, OTHER),
            variables=SESSION,
        ),
        Story(
            "check-with-session",
            ("check", "beta", "--session", "one"),
            lists=(WAITING, OTHER),
            variables=SESSION,
        ),
        Story("threads", ("threads", "beta"), lists=(WAITING,)),
        Story("thread", ("thread", "beta", WAITING), lists=(WAITING,)),
        Story("receipts", ("receipts", "beta", WAITING)),
        Story("sessions", ("sessions", "beta")),
        Story("search", ("search", "beta", "short"), lists=(OTHER,), may_omit=True),
        Story("snapshot", ("snapshot", "beta"), lists=(WAITING,)),
        Story("doctor", ("doctor",)),
    )
}
ALL = {**STORIES, **LOOKING}
#: A sender without a mailbox keeps no copy, so nothing but the directory's own sync makes its message last.
STRANGER = Story(
    "send-by-a-stranger",
    ("send", "stranger", "beta", "hello"),
    BODY,
    sends=Letter("stranger", "beta", BODY),
)
#: The commands whose changes have to last: the others have nothing that a power cut could take.
CHANGING = [name for name in STORIES if name not in ("check", "read", "roster")]


def arrange(story: Story, place: Path) -> Path:
    """A home and the bus on which the story begins, both made anew in `place`; returns the bus."""
    if place.exists():
        shutil.rmtree(place)
    (place / "home" / ".agents").mkdir(parents=True, mode=0o700)
    if not story.first_ever:
        write(place / "home" / ".agents" / "machine.json", b'{"machine": "0123456789abcdef"}\n')
    bus = place / "bus"
    if story.planted:
        plant(bus)
        if story.name == "archive":
            write(bus / "beta" / ".upkeep", b"")
    if story.keeps:
        (place / SETTINGS).parent.mkdir(mode=0o700)
        write(place / SETTINGS, OWN)
    if story.prelude:
        _before(story, bus)
    return bus


def _before(story: Story, bus: Path) -> None:
    """What the command before left in the settings' directory: made once for each place, and then copied."""
    folder, key = (bus.parent / SETTINGS).parent, (story.prelude, str(bus))
    if key not in LEFT:
        done = run_in_process(story.prelude, bus)
        assert done.code == 0, done
        LEFT[key] = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name, data in LEFT[key].items():
        write(folder / name, data)


LEFT: dict[tuple[tuple[str, ...], str], dict[str, bytes]] = {}


def next_try(story: Story) -> tuple[str, ...]:
    """The words of the next try."""
    return story.again or story.words


def seen(story: Story, bus: Path) -> Seen:
    """What there is to be judged."""
    return look(bus, story.keeps)


def run(story: Story, bus: Path, words: tuple[str, ...] | None = None, disk: Disk | None = None) -> Ended:
    """Run the story's command, or another in its surroundings, in this process."""
    ran = run_in_process(words or story.words, bus, story.stdin, disk, variables=dict(story.variables))
    return Ended(ran.code, ran.out, ran.err)
