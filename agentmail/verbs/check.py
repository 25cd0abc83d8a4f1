"""Check: everything that waits for an identity, oldest first; nothing is hidden, whatever its shape."""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.fs import is_file, reason
from agentmail.core.identities import is_known, open_mailbox, roster
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.core.mailbox import waiting
from agentmail.message import HEADER_MAX, Message, peek, sort_key
from agentmail.message.scalar import is_time

#: Enough to see a whole header and its closing line.
HEAD = HEADER_MAX + 16

UNREGISTERED = "unregistered-sender"
ID_MISMATCH = "id-mismatch"
NOT_FOR_YOU = "not-for-you"
FUTURE = "in-the-future"
ARCHIVED = "already-archived"
NOT_A_FILE = "not-a-regular-file"
UNRECOGNISED = "unrecognised-name"
EMPTY = "empty-file"
UNREADABLE_FILE = "unreadable"


class Box:
    """An inbox being read: the summaries come one by one, what could not be read is counted on the way."""

    def __init__(self, bus: Bus, identity: str) -> None:
        self.bus = bus
        self.known = roster(bus)
        self.box = open_mailbox(bus, identity, self.known)
        try:
            self.names = waiting(self.box)
        except OSError:
            self.box.close()
            raise
        self.unreadable: list[str] = []
        self.senders: dict[str, bool] = {}
        self.now = bus.clock.now_ns() // 10**9

    def summaries(self) -> Iterator[Summary]:
        """All entries in order. Within a minute the header's date refines the order of the names."""
        with self.box:
            batch: list[Summary] = []
            minute = ""
            for name in self.names:
                if names.minute_of(name) != minute:
                    yield from sorted(batch, key=lambda one: sort_key(one["file"], one["date"]))
                    batch, minute = [], names.minute_of(name)
                summary = self.summary(name)
                if summary is not None:
                    batch.append(summary)
            yield from sorted(batch, key=lambda one: sort_key(one["file"], one["date"]))

    def summary(self, name: str) -> Summary | None:
        """One entry, or None where it vanished since the listing: somebody archived it."""
        flags: list[str] = []
        message, size = self._head(name, flags)
        if message is None:
            return None
        id = names.without_suffix(name)
        if not name.endswith(".md") or not names.is_id(id):
            flags.append(UNRECOGNISED)
        self._judge(message, id, flags)
        date = message.get("date") if is_time(message.get("date")) else ""
        return {
            "id": id,
            "file": name,
            "from": message.get("from"),
            "to": message.get("to"),
            "thread": message.thread,
            "re": message.get("re"),
            "subject": message.get("subject"),
            "priority": message.priority,
            "date": date,
            "age": self._age(id, date),
            "size": size,
            "flags": flags,
        }

    def _head(self, name: str, flags: list[str]) -> tuple[Message | None, int]:
        disk, inbox = self.box.disk, self.box.folder(INBOX)
        try:
            with disk.file(name, inbox) as fd:
                info = disk.fstat(fd)
                if is_file(info):
                    message = peek(disk.head(fd, min(HEAD, info.st_size)))
                    flags.extend(message.flags if info.st_size else [EMPTY])
                    return message, info.st_size
        except FileNotFoundError:
            return None, 0
        except OSError as error:
            found = disk.stat_or_none(name, inbox)
            if found is None:
                return None, 0
            if is_file(found):
                flags.append(UNREADABLE_FILE)
                self.unreadable.append(f"{names.printable(name)}: {reason(error)}")
                return Message({}), found.st_size
        flags.append(NOT_A_FILE)
        return Message({}), 0

    def _judge(self, message: Message, id: str, flags: list[str]) -> None:
        """Flag what does not fit: the header against the name, the mailbox, the roster, the clock, the archive."""
        if message.values:
            sender = message.get("from")
            if sender not in self.senders:
                known = names.is_identity(sender) and is_known(self.bus, sender, self.known)
                self.senders[sender] = known
            if not self.senders[sender]:
                flags.append(UNREGISTERED)
            if message.get("id") != id:
                flags.append(ID_MISMATCH)
            if not _addressed(message, self.box.identity):
                flags.append(NOT_FOR_YOU)
        stamped = times.seconds_of(names.minute_of(id))
        if stamped is not None and stamped > self.now:
            flags.append(FUTURE)
        archive = self.box.existing(ARCHIVE)
        if archive is not None and self.box.disk.exists(f"{id}.md.gz", archive):
            flags.append(ARCHIVED)

    def _age(self, id: str, date: str) -> int | None:
        seconds = times.seconds_of(names.minute_of(id))
        if date and (seconds is None or times.minute_of_timestamp(date) == names.minute_of(id)):
            exact = times.seconds_of(times.minute_of_timestamp(date))
            seconds = None if exact is None else exact + int(date[17:19])
        return None if seconds is None else self.now - seconds


def _addressed(message: Message, identity: str) -> bool:
    return any(identity == word.strip() for key in ("to", "cc") for word in message.get(key).split(","))


def check(bus: Bus, identity: str) -> Checked:
    """All that waits. The summaries are read as they are asked for; `unreadable` is whole after the last."""
    box = Box(bus, identity)
    return {
        "identity": identity,
        "path": box.box.path(INBOX),
        "count": len(box.names),
        "messages": box.summaries(),
        "unrecognised": sum(1 for name in box.names if not _is_message_name(name)),
        "unreadable": box.unreadable,
    }


def _is_message_name(name: str) -> bool:
    return name.endswith(".md") and names.is_id(names.without_suffix(name))


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Checked, Summary
