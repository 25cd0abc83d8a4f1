"""The shapes of what the verbs about threads, sessions and receipts return; see outcomes.py."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from agentmail.verbs.outcomes import From, Opened, Summary


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


class ListedMessage(From):
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


class MessageReceipts(From):
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


class Match(From):
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
