"""Check: everything that waits for an identity, oldest first; nothing is hidden, whatever its shape."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.layout import ARCHIVE, INBOX, waiting
from agentmail.core.roster import KnownIdentities, is_known, open_mailbox
from agentmail.message import HEAD, Message, is_time, odd_name, peek, sort_key
from agentmail.verbs.call import From, TypedDict

#: A list of more than so many uses an index.
INDEXED = 300
UNREGISTERED = "unregistered-sender"
NOT_FOR_YOU = "not-for-you"
FUTURE = "in-the-future"
ARCHIVED = "already-archived"
NOT_A_FILE = "not-a-regular-file"
UNRECOGNISED = "unrecognised-name"
EMPTY = "empty-file"
UNREADABLE_FILE = "unreadable"


class Summary(From):
    """One entry of an inbox. Values are empty where the header does not give them; `flags` says what is odd.
    `workspace` is the path with which this identity was addressed: there it is to work.
    """

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
    workspace: str


class Checked(TypedDict):
    """`check`: what waits, oldest first. `count` waits in all, `left_out` is not listed because of `--limit`.

    `unreadable` names what the disk did not give.
    """

    identity: str
    path: str
    count: int
    left_out: int
    messages: list[Summary]
    unrecognised: int
    unreadable: list[str]


class OpenInbox:
    """An inbox being read: its summaries come one by one; `unreadable` grows on the way. Closed by `with`."""

    def __init__(self, bus: Bus, identity: str, limit: int | None = None, call: Call | None = None) -> None:
        self.bus = bus
        self.limit = limit
        self.known = KnownIdentities(bus)
        self.box = open_mailbox(bus, identity, self.known)
        try:
            self.names = waiting(self.box)
        except OSError:
            self.box.close()
            raise
        self.unrecognised = {
            name for name in self.names if not (name.endswith(".md") and names.is_id(name[:-3]))
        }
        self.unreadable: list[str] = []
        self.senders: dict[str, bool] = {}
        self.threads: dict[str, str] = {}
        self.former: frozenset[str] | None = None
        self.now = bus.clock.now_ns() // 10**9
        self.archived: frozenset[str] | None = None
        self.headers: Headers | None = None
        self.of_row: Callable[[str], Summary | None] | None = None
        if len(self.names[:limit]) > INDEXED:
            from agentmail.verbs.reading import prepare_for_many

            prepare_for_many(self, call)

    def __enter__(self) -> OpenInbox:
        return self

    def __exit__(self, *_: object) -> None:
        if self.headers is not None:
            self.headers.close()
        self.box.close()

    def summaries(self) -> Iterator[Summary]:
        """The entries in order, up to the limit."""
        return (one for _, one in zip(self.names[: self.limit], self._all(), strict=False))

    def _all(self) -> Iterator[Summary]:
        """All entries in order. Within a minute the header's date refines the order of the names."""
        batch: list[Summary] = []
        last = ""
        for name in self.names:
            minute = names.minute_of(name)
            if minute != last:
                yield from batch if len(batch) < 2 else _refined(batch)
                batch, last = [], minute
            summary = self.summary(name, minute)
            if summary is not None:
                batch.append(summary)
        yield from _refined(batch)

    def outcome(self, messages: list[Summary]) -> Checked:
        """The outcome with these messages; `unreadable` is complete once all summaries were taken."""
        return {
            "identity": self.box.identity,
            "path": self.box.path(INBOX),
            "count": len(self.names),
            "left_out": len(self.names[self.limit :]) if self.limit else 0,
            "messages": messages,
            "unrecognised": len(self.unrecognised),
            "unreadable": self.unreadable,
        }

    def summary(self, name: str, minute: str = "") -> Summary | None:
        """One entry (`minute` is its name's, if known); None where it vanished since the listing: it was archived."""
        minute = minute or names.minute_of(name)
        flags: list[str] = []
        if self.of_row is not None and (known := self.of_row(name)) is not None:
            return known
        message, size = self._head(name, flags)
        if message is None:
            return None
        id = names.without_suffix(name)
        flags += [UNRECOGNISED] if name in self.unrecognised else []
        stamped = times.seconds_of(minute)
        self._judge(message, id, stamped, flags)
        get = message.values.get
        thread = self.threads.get(get("thread", ""))
        if thread is None:  # thousands of messages are of few threads
            thread = self.threads[get("thread", "")] = message.thread
        date = get("date", "") if is_time(get("date", "")) else ""
        return {
            "id": id,
            "file": name,
            "from": get("from", ""),
            "to": get("to", ""),
            "thread": thread,
            "re": get("re", ""),
            "subject": get("subject", ""),
            "priority": message.priority,
            "date": date,
            "age": times.seconds_since(self.now, minute, stamped, date),
            "size": size,
            "flags": flags,
            "workspace": self._workspace(message) if "workspace" in message.values else "",
        }

    def _workspace(self, message: Message) -> str:
        from agentmail.core.addresses import workspaces_of  # most messages have none

        return workspaces_of(message.get("workspace")).get(self.box.identity, "")

    def _head(self, name: str, flags: list[str]) -> tuple[Message | None, int]:
        disk, inbox = self.box.disk, self.box.folder(INBOX)
        try:
            info, data = disk.peek(name, inbox, HEAD)
            if data is not None:
                message = peek(data)
                flags.extend(message.flags if info.st_size else [EMPTY])
                return message, info.st_size
        except FileNotFoundError:
            return None, 0
        except OSError as error:
            from agentmail.verbs.reading import unreadable_head

            return unreadable_head(self, name, flags, error)
        flags.append(NOT_A_FILE)
        return Message({}), 0

    def _judge(self, message: Message, id: str, stamped: int | None, flags: list[str]) -> None:
        """Flag what does not fit: the header against the name, the mailbox, the roster, the clock, the archive."""
        if message.values:
            flags += self.flags_of_sender(message.get("from"))
            if not names.is_among(self.box.identity, message.get("to"), message.get("cc")):
                from agentmail.verbs.reading import was_addressed

                flags.extend([] if was_addressed(self, message) else [NOT_FOR_YOU])
        if message.get("sender_kind"):
            from agentmail.views.sender_kinds import kind_flags

            flags.extend(kind_flags(message, self.known))
        if stamped is None or message.get("id") != id:
            flags.extend(odd_name(message, id))
        self.flag_outside(id, stamped, flags)

    def flags_of_sender(self, sender: str) -> list[str]:
        """What the roster says of a sender."""
        if sender not in self.senders:
            known = names.is_identity(sender) and is_known(self.bus, sender, self.known)
            self.senders[sender] = known
        return [] if self.senders[sender] else [UNREGISTERED]

    def flag_outside(self, id: str, stamped: int | None, flags: list[str]) -> None:
        """Flag what does not fit the clock or the archive."""
        if stamped is not None and stamped > self.now:
            flags.append(FUTURE)
        if f"{id}.md.gz" in self.archived if self.archived is not None else self._is_archived(id):
            flags.append(ARCHIVED)

    def _is_archived(self, id: str) -> bool:
        try:
            archive = self.box.existing(ARCHIVE)
        except OSError:
            return False  # an archive that cannot be looked at is no reason not to show what waits
        # Why not `exists`: nearly always it is not there, and an exception costs more than the look.
        return archive is not None and self.box.disk.has(f"{id}.md.gz", archive)


def _refined(batch: list[Summary]) -> list[Summary]:
    """The entries of one minute, by the header's date where it has one."""
    return sorted(batch, key=lambda one: sort_key(one["file"], one["date"]))


def open_inbox(call: Call, identity: str, limit: str | None = None) -> OpenInbox:
    """The inbox to be read one message at a time, in a `with` block: for mailboxes of any size."""
    if limit is None:
        return OpenInbox(call.bus, identity, call=call)
    from agentmail.verbs.limits import limit_of

    return OpenInbox(call.bus, identity, limit_of(limit), call)


def check(call: SessionCall, identity: Me, *, limit: Limit = None) -> Checked:
    """List the waiting messages, oldest first."""
    with open_inbox(call, identity, limit) as inbox:
        return inbox.outcome(list(inbox.summaries()))


def shown_files(outcome: Checked) -> list[str]:
    """The file names of the messages that a session sees in this outcome."""
    return [one["file"] for one in outcome["messages"]]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmail.core.layout import Bus
    from agentmail.verbs.call import Call, Limit, Me, SessionCall
    from agentmail.views.index.inbox import Headers
