"""The shapes of what the verbs return; `--json` prints them as they stand, under a schema name.

Times are ISO 8601 in UTC, ages are seconds, sizes are bytes, paths are absolute. Texts that come from
messages are data: JSON escapes their control characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NotRequired, TypedDict

#: `from` is a word of Python's, so this key cannot be written as the others are.
_From = TypedDict("_From", {"from": str})


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


class Delivered(_From):
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


class Summary(_From):
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


class Finding(TypedDict):
    """One finding: `level` is `problem` or `note`; `mend` is what to do; `fixed` after `--fix`."""

    level: str
    subject: str
    what: str
    mend: str
    fixed: bool


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


class AcknowledgedOne(TypedDict):
    """One message: `acknowledged`, `already-acknowledged`, or the word of the error and its text."""

    id: str
    outcome: str
    error: NotRequired[str]
    exit: NotRequired[int]


class Acknowledged(TypedDict):
    """`ack`: what this session acknowledged. It says that the session was shown it, and nothing of doing."""

    identity: str
    machine: str
    session: str
    messages: list[AcknowledgedOne]


class ReceiptOfSession(TypedDict):
    """What one session of an identity recorded; a time is empty where it recorded nothing of the kind."""

    identity: str
    machine: str
    session: str
    presented: str
    acknowledged: str


class ListedMessage(_From):
    """A message in the folder `place`. `machine` and `session` are empty where its provenance is unavailable."""

    id: str
    place: str
    path: str
    to: str
    cc: str
    thread: str
    re: str
    kind: str
    subject: str
    priority: str
    date: str
    machine: str
    session: str
    sender_kind: str
    evidence: list[dict[str, str]]
    flags: list[str]
    receipts: list[ReceiptOfSession]


class ThreadMessage(ListedMessage):
    """A message with its text; `encoding` is `utf-8`, or `base64` where the body is not UTF-8."""

    encoding: str
    body: str


class Thread(TypedDict):
    """`thread`: the messages that this identity received or sent, oldest first. `unreadable` names what is damaged."""

    identity: str
    thread: str
    messages: list[ThreadMessage]
    unreadable: list[str]


class ThreadSummary(TypedDict):
    """A thread: how it began, who takes part, its latest message and that one's minute in seconds of the epoch."""

    thread: str
    messages: int
    waiting: int
    subject: str
    parties: list[str]
    last: str
    last_seconds: int | None


class Threads(TypedDict):
    """`threads`: every thread of the mailbox, the one with the latest message last."""

    identity: str
    threads: list[ThreadSummary]
    unreadable: list[str]


class MessageReceipts(_From):
    """The receipts of a message. `verified`: some session acknowledged it, or `answered` is not empty."""

    id: str
    place: str
    to: str
    cc: str
    subject: str
    receipts: list[ReceiptOfSession]
    answered: list[str]
    verified: bool


class ReceiptList(TypedDict):
    """`receipts`: no receipt means no evidence, not that nobody saw it. `unreadable` names records that are damaged."""

    identity: str
    messages: list[MessageReceipts]
    unreadable: list[str]


class Session(TypedDict):
    """A session as its record shows it, with the first and last time of any fact; not whether it runs."""

    machine: str
    session: str
    host: str
    workdir: str
    wake: bool
    first: str
    last: str
    presented: int
    acknowledged: int


class Sessions(TypedDict):
    """`sessions`: observed provenance."""

    identity: str
    sessions: list[Session]
    unreadable: list[str]


class Counts(TypedDict):
    """Numbers by place; `waiting` counts as `check` does; `pending` of them this session was not shown (null without one)."""

    waiting: int
    archived: int
    sent: int
    pending: int | None


class Snapshot(TypedDict):
    """`snapshot`: the mailbox at a moment; with `--counts` the counts alone."""

    identity: str
    at: str
    counts: Counts
    threads: NotRequired[list[ThreadSummary]]
    messages: NotRequired[list[ListedMessage]]
    sessions: NotRequired[list[Session]]
    unreadable: NotRequired[list[str]]


class Match(_From):
    """A message that holds all the words, with the first line of its body that holds one."""

    id: str
    place: str
    path: str
    to: str
    thread: str
    subject: str
    excerpt: str


class Found(TypedDict):
    """`search`: what matches, oldest first."""

    identity: str
    words: list[str]
    matches: list[Match]
    unreadable: list[str]


class Waited(TypedDict):
    """`wait`: what is new to the session (empty: none is known), oldest first; no messages when time was up.

    `how` is `notification` or `polling`. With `--body` also the texts.
    """

    identity: str
    session: str
    how: str
    messages: list[Summary]
    texts: NotRequired[list[Opened]]


class GitFiles(TypedDict):
    """`git`: the contents of .gitignore and .gitattributes in the bus, and the commands each clone runs once."""

    gitignore: str
    gitattributes: str
    setup: list[str]


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
