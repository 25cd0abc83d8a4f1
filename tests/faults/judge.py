"""Judges the promises I1 to I6: takes the bus before and after a command and how it ended; returns violations.

    I1  exit 0: the message is there, whole, at exactly one id
    I2  any other end: there whole, or not at all
    I3  archiving and unarchiving: never in neither place
    I4  nothing that was there is replaced or cut
    I5  what waits is listed, or the exit code says that it could not be
    I6  only the age rule removes, and only what is past it

And an exit code means what it says: 75 is "nothing changed", 4 is "done, but not confirmed".
Why nothing of the product is imported: a judge that used its code would share its errors.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.reader import Box, header_and_body, read_bus

#: Every exit code a command may end with; None stands for killed, or cut off from its disk.
DOCUMENTED = frozenset({None, 0, 1, 2, 3, 4, 75})
DONE, UNCONFIRMED, KILLED = 0, 4, None
NO_MAIL = re.compile(r"no mail|nothing (is )?waiting|is empty", re.IGNORECASE)


@dataclass(frozen=True)
class Letter:
    """What a command sends."""

    sender: str
    to: str
    body: bytes


@dataclass(frozen=True)
class Story:
    """A command, and all that it may change or must say. What is not named here must stay as it was."""

    name: str
    words: tuple[str, ...]
    stdin: bytes = b""
    #: The words of the next try; None: the same.
    again: tuple[str, ...] | None = None
    sends: Letter | None = None
    #: A message of beta, and the folders that it leaves and enters.
    moves: tuple[str, str, str] | None = None
    #: Messages of beta past their age, as folder/id, that the command may remove; `must_expire`: has to.
    expires: frozenset[str] = frozenset()
    must_expire: bool = False
    #: The registry when the command is done, and the mailbox that comes with it.
    registry: bytes | None = None
    mailbox: str = ""
    #: What the answer has to hold, in this order.
    lists: tuple[str, ...] = ()
    #: True where it may name on standard error, instead, what it could not read.
    may_omit: bool = False
    #: A message of beta that this session acknowledges.
    acknowledges: str = ""
    #: Files beside the bus that are as they were, or as the command leaves them when nothing goes wrong.
    keeps: tuple[str, ...] = ()
    #: What the environment says besides where bus and home are.
    variables: tuple[tuple[str, str], ...] = ()
    #: A command that was run before.
    prelude: tuple[str, ...] = ()
    #: False where there is no bus to begin with.
    planted: bool = True
    #: True where this machine has not been given its id yet.
    first_ever: bool = False


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code (None: it was killed) and its answer."""

    code: int | None
    out: str = ""
    err: str = ""


@dataclass(frozen=True)
class Seen:
    """A bus as the independent reader sees it."""

    boxes: dict[str, Box] = field(default_factory=dict)
    registry: bytes = b""
    hidden: tuple[str, ...] = ()
    #: The files that the story keeps, as far as they are there.
    kept: dict[str, bytes] = field(default_factory=dict)
    #: The ids that a session of beta acknowledged.
    acknowledged: frozenset[str] = frozenset()

    def box(self, identity: str) -> Box:
        """A mailbox, empty where it is missing."""
        return self.boxes.get(identity) or Box()

    @property
    def staging(self) -> list[str]:
        """Everything that a process which ends in order takes away again."""
        left = [f"{who}/tmp/{name}" for who, box in self.boxes.items() for name in box.tmp]
        left += [f"{who}/{name}" for who, box in self.boxes.items() for name in box.hidden]
        return left + [name for name in self.hidden if ".tmp-" in name]


def look(bus: Path, keeps: tuple[str, ...] = ()) -> Seen:
    """Read all of a bus, with a reader of its own, and the files beside it."""
    kept = {name: (bus.parent / name).read_bytes() for name in keeps if (bus.parent / name).exists()}
    if not bus.is_dir():
        return Seen(kept=kept)
    registry = bus / "registry.md"
    hidden = tuple(sorted(entry.name for entry in bus.iterdir() if entry.name.startswith(".")))
    return Seen(
        read_bus(bus),
        registry.read_bytes() if registry.exists() else b"",
        hidden,
        kept,
        _acknowledged(bus / "beta" / "sessions"),
    )


def _acknowledged(sessions: Path) -> frozenset[str]:
    """The facts of all session files; a line that is no fact is passed over, as the page says."""
    found = set()
    for path in sessions.glob("*/*.jsonl"):
        for line in path.read_text(errors="replace").splitlines():
            try:
                fact = json.loads(line)
            except ValueError:
                continue
            if isinstance(fact, dict) and fact.get("fact") == "acknowledged":
                found.add(str(fact.get("id")))
    return frozenset(found)


def judge(
    story: Story, before: Seen, after: Seen, ended: Ended, done: Seen | None = None, *, cut: bool = False
) -> list[str]:
    """Everything that is wrong, one line each; `done` is what the story leaves when nothing goes wrong.

    After a power cut the sender's own copy may be missing: it is written with one sync, and the promise is
    about the recipient's inbox.
    """
    wrong = []
    if ended.code not in DOCUMENTED or "Traceback" in ended.err:
        wrong.append(f"the command ended with {ended.code}: {ended.err[-300:]}")
    wrong += _everything_else(story, before, after)
    if story.sends:
        wrong += _sent(story.sends, before, after, ended, cut)
    if story.moves:
        wrong += _moved(story.moves, after, ended)
    wrong += _expired(story, before, after, ended)
    wrong += _registry(story, before, after, ended)
    wrong += _listed(story, ended)
    wrong += _acknowledging(story.acknowledges, after, ended)
    if done is not None:
        wrong += _kept(story, before, after, ended, done)
    return wrong


def _folders(box: Box) -> dict[str, dict[str, bytes]]:
    return {"inbox": box.inbox, "archive": box.archive, "sent": box.sent}


def _everything_else(story: Story, before: Seen, after: Seen) -> list[str]:
    """What no command may do to what it is not about."""
    wrong = [f"I2 torn: {who}/{what}" for who, box in after.boxes.items() for what in box.broken]
    for who, box in before.boxes.items():
        now = _folders(after.box(who))
        for folder, messages in _folders(box).items():
            for id, data in messages.items():
                mine = story.moves is not None and (who, id) == ("beta", story.moves[0])
                places = ("inbox", "archive") if mine else (folder,)
                found = [now[place][id] for place in places if id in now[place]]
                if not found and not (who == "beta" and f"{folder}/{id}" in story.expires):
                    wrong.append(f"I1 lost: {who}/{folder}/{id}")
                wrong += [f"I4 replaced: {who}/{folder}/{id}" for other in found if other != data]
    for who in after.boxes:
        if not story.sends or story.sends.to != who:
            wrong += [f"strange: {who}/{id} was sent by nobody" for id in _new(before, after, who)]
        if not story.sends or story.sends.sender != who:
            copies = after.box(who).sent.keys() - before.box(who).sent.keys()
            wrong += [f"strange: {who}/sent/{id} was sent by nobody" for id in copies]
    return wrong


def _new(before: Seen, after: Seen, who: str) -> dict[str, bytes]:
    return {id: data for id, data in after.box(who).received.items() if id not in before.box(who).received}


def _sent(letter: Letter, before: Seen, after: Seen, ended: Ended, cut: bool) -> list[str]:
    new = _new(before, after, letter.to)
    wrong = []
    for id, data in new.items():
        try:
            header, body = header_and_body(data)
        except ValueError as error:
            wrong.append(f"I2 torn: {id}: {error}")
            continue
        if (header.get("id"), header.get("from"), header.get("to")) != (id, letter.sender, letter.to):
            wrong.append(f"I2 torn: the header of {id} is {header}")
        if body != letter.body:
            wrong.append(f"I2 torn: the body of {id} has {len(body)} bytes of {len(letter.body)}")
    if ended.code in (DONE, UNCONFIRMED) and len(new) != 1:
        wrong.append(f"I1 exit {ended.code}, and the message is there {len(new)} times")
    elif ended.code is KILLED and len(new) > 1:
        wrong.append(f"I2 delivered {len(new)} times")
    elif ended.code not in (DONE, UNCONFIRMED, KILLED) and new:
        wrong.append(f"exit {ended.code} says that nothing was delivered, and {sorted(new)} was")
    if ended.code == DONE and len(new) == 1 and next(iter(new)) not in ended.out:
        wrong.append(f"the answer {ended.out!r} does not name {sorted(new)}")
    return wrong + _copied(letter, before, after, new, needed=ended.code == DONE and not cut)


def _copied(letter: Letter, before: Seen, after: Seen, new: dict[str, bytes], *, needed: bool) -> list[str]:
    """The sender's own copy is the same message, and there where the command says so."""
    if letter.sender not in before.boxes:
        return []
    was, now = before.box(letter.sender).sent, after.box(letter.sender).sent
    copies = {id: data for id, data in now.items() if id not in was}
    if any(new.get(id) != data for id, data in copies.items()):
        return [f"{sorted(copies)} in sent, and {sorted(new)} delivered"]
    return ["exit 0, and no copy in sent"] if needed and copies != new else []


def _moved(moves: tuple[str, str, str], after: Seen, ended: Ended) -> list[str]:
    id, source, target = moves
    folders = _folders(after.box("beta"))
    there = (id in folders[source], id in folders[target])
    allowed = {
        DONE: {(False, True)},
        UNCONFIRMED: {(False, True), (True, True)},
        KILLED: {(True, False), (True, True), (False, True)},
    }.get(ended.code, {(True, False)})
    if there in allowed:
        return []
    if there == (False, False):
        return [f"I3 {id} is in neither place"]
    return [f"exit {ended.code}, and {id} in {source}: {there[0]}, in {target}: {there[1]}"]


def _expired(story: Story, before: Seen, after: Seen, ended: Ended) -> list[str]:
    was, now = _folders(before.box("beta")), _folders(after.box("beta"))
    gone = {f"{folder}/{id}" for folder in was for id in was[folder] if id not in now[folder]}
    gone = {path for path in gone if not (story.moves and path.endswith(f"/{story.moves[0]}"))}
    wrong = [f"I6 removed {path}" for path in sorted(gone - story.expires)]
    if story.must_expire and ended.code == DONE and gone != story.expires:
        wrong.append(f"exit 0, and still there: {sorted(story.expires - gone)}")
    if story.must_expire and ended.code == 75 and gone:
        wrong.append(f"exit 75 says that nothing was removed, and {sorted(gone)} was")
    return wrong


def _registry(story: Story, before: Seen, after: Seen, ended: Ended) -> list[str]:
    new = before.registry if story.registry is None else story.registry
    allowed = {DONE: {new}, UNCONFIRMED: {new}, KILLED: {before.registry, new}}.get(
        ended.code, {before.registry}
    )
    wrong = []
    if after.registry not in allowed:
        wrong.append(f"I4 exit {ended.code}, and the registry is {after.registry!r}")
    if story.mailbox and after.registry == new and story.mailbox not in after.boxes:
        wrong.append(f"a row for {story.mailbox}, and no mailbox")
    return wrong


def _listed(story: Story, ended: Ended) -> list[str]:
    if not story.lists or ended.code is KILLED:
        return []
    if ended.code != DONE:
        return [f"I5 {ended.out!r} after a failure"] if NO_MAIL.search(ended.out + ended.err) else []
    at = [ended.out.find(item) for item in story.lists if not (story.may_omit and f"{item}.md" in ended.err)]
    if -1 in at or at != sorted(at):
        return [f"I5 exit 0, and the answer is {ended.out!r}"]
    return []


def _acknowledging(id: str, after: Seen, ended: Ended) -> list[str]:
    if id and ended.code in (DONE, UNCONFIRMED) and id not in after.acknowledged:
        return [f"exit {ended.code}, and {id} is not acknowledged"]
    return [f"{found} was acknowledged by nobody" for found in after.acknowledged - {id}]


def _kept(story: Story, before: Seen, after: Seen, ended: Ended, done: Seen) -> list[str]:
    allowed = {DONE: (done,), UNCONFIRMED: (done,), KILLED: (before, done)}.get(ended.code, (before,))
    return [
        f"I4 exit {ended.code}, and {name} is {after.kept.get(name)!r}"
        for name in story.keeps
        if after.kept.get(name) not in [seen.kept.get(name) for seen in allowed]
    ]
