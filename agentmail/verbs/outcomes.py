"""The shapes of what the verbs return; `--json` prints them as they stand, under a schema name.

Times are ISO 8601 in UTC, ages are seconds, sizes are bytes, paths are absolute. Texts that come from
messages are data: JSON escapes their control characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NotRequired, TypedDict

from agentmail.doctor.finding import Finding

#: `from` is a word of Python's, so this key cannot be written as the others are.
From = TypedDict("From", {"from": str})


class Recipient(TypedDict):
    """One recipient: `delivered`, `unconfirmed` (visible, not known durable) or the word of the error.

    `wake_supported` is null where nothing is known, or true where a session of the recipient said so at `wake_seen`.
    """

    identity: str
    outcome: str
    path: str
    remote: bool
    wake_supported: bool | None
    wake_seen: str
    error: NotRequired[str]
    exit: NotRequired[int]


class Delivered(From):
    """`send`, `reply` and `delegate`: `delivered`; `already-delivered` where `--once` found an equal message.

    With several recipients also `partly-delivered` and `not-delivered`. `path` is the first recipient's file.
    """

    outcome: str
    id: str
    to: str
    cc: str
    thread: str
    re: str
    kind: str
    path: str
    size: int
    remote: bool
    recipients: list[Recipient]
    warnings: list[str]


class Summary(From):
    """One entry of an inbox. Values are empty where the header does not give them; `flags` says what is odd."""

    id: str
    file: str
    to: str
    thread: str
    re: str
    subject: str
    priority: str
    date: str
    age: int | None
    size: int
    flags: list[str]


class Checked(TypedDict):
    """`check`: everything that waits, oldest first. `unreadable` names what the disk did not give."""

    identity: str
    path: str
    count: int
    messages: Iterable[Summary]
    unrecognised: int
    unreadable: list[str]


class Opened(TypedDict):
    """`read`: one message. `encoding` is `utf-8`, or `base64` where the body is not UTF-8."""

    identity: str
    id: str
    place: str
    path: str
    header: dict[str, str]
    flags: list[str]
    encoding: str
    body: str


class ArchivedOne(TypedDict):
    """What became of one message: `archived`, `already-archived`, or the word of the error and its text."""

    id: str
    outcome: str
    path: NotRequired[str]
    error: NotRequired[str]
    exit: NotRequired[int]


class Archived(TypedDict):
    """`archive`: each message with its outcome, and what the hourly upkeep removed."""

    identity: str
    messages: list[ArchivedOne]
    pruned: list[str]
    warnings: list[str]


class Unarchived(TypedDict):
    """`unarchive`: `unarchived`, or `already-waiting`."""

    identity: str
    id: str
    outcome: str
    path: str


class Pruned(TypedDict):
    """`prune`: what was removed (with `dry_run`: what would be), as paths in the mailbox, and what failed."""

    identity: str
    days: int
    dry_run: bool
    removed: list[str]
    failed: list[str]


class Registered(TypedDict):
    """`register`: `registered`, `changed` or `unchanged`."""

    outcome: str
    identity: str
    workdir: str
    responsibility: str
    path: str
    warnings: list[str]


class RosterRow(TypedDict):
    """One identity; `row` and `mailbox` say which of the two it has."""

    id: str
    workdir: str
    responsibility: str
    row: bool
    mailbox: bool


class Roster(TypedDict):
    """`roster`: the registry, with mailboxes that have no row; `problem` says why the registry was not read."""

    path: str
    identities: list[RosterRow]
    problem: str


class Diagnosis(TypedDict):
    """`doctor`: what was looked at, and what was found; no problem left means `ok`."""

    path: str
    ok: bool
    looked_at: list[str]
    findings: list[Finding]


class Step(TypedDict):
    """One command of the demo, its standard input, and what it printed."""

    command: str
    input: str
    output: str


class Demo(TypedDict):
    """`demo`: the story, and the tree of the throw-away bus after it."""

    steps: list[Step]
    tree: list[str]


class WiredEntry(TypedDict):
    """One entry of ours in Claude Code's settings; an empty matcher means always."""

    event: str
    matcher: str
    command: str


class Tried(TypedDict):
    """One hook, run once as the host would, recording nothing: whether it works, and what it said (or why not)."""

    event: str
    hook: str
    works: bool
    said: str


class Wired(TypedDict):
    """`wire`: `wired`, `already-wired`, or with `--dry-run` `would-wire` and a `diff`; `level` is user or project.

    `entries` are ours in the file at `path`; `identity` is whose mail a session in this directory gets, if anybody's.
    """

    outcome: str
    level: str
    path: str
    wake: bool
    entries: list[WiredEntry]
    diff: str
    identity: str
    tried: list[Tried]
    warnings: list[str]


class Unwired(TypedDict):
    """`unwire`: `restored` (to the byte as before `wire`), `unwired` (only our entries went), or `not-wired`.

    `entries` are those that went; `link` is the removed link to the command, or empty.
    """

    outcome: str
    path: str
    entries: list[WiredEntry]
    link: str
