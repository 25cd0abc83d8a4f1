"""Every message as JSON, the oldest first, from the rows of an index: a mailbox of any size takes little memory.

What is in a file is JSON in its row already; receipts, failures and the kind of the sender are looked up for each.
"""

from __future__ import annotations

from functools import partial

from agentmail.core.layout import SENT
from agentmail.core.lean_json import dumps
from agentmail.message import Message
from agentmail.views.base import Entry
from agentmail.views.index.stored import ORDER, PLACE, key_text, message_of, restored, stored
from agentmail.views.scan import read_entry
from agentmail.views.sender_kinds import kind_flags

#: How the flags end, and what follows them, of a message about which nothing is recorded.
NOTHING_RECORDED = '], "receipts": [], "missed": []}'
#: So many messages are put together by the database at once.
TOGETHER = 200
#: Ids of another form have another key in a record.
STRICT = "[0-9]" * 8 + "-" + "[0-9]" * 4 + "-*"


class Panel:
    """The messages of a mailbox as JSON; `whole` makes it of an entry that has more than its file says."""

    def __init__(self, indexed: Indexed, witnesses: Witnesses, whole: Callable[[Entry], str]) -> None:
        self.box = indexed.changes.box
        self.fresh = indexed.changes.fresh
        self.run = indexed.connection.execute
        self.condition = indexed.condition
        self.witnesses = witnesses
        self.whole = whole
        self.path = dumps(self.box.path())[1:-1].replace("\x7f", "\\u007f")

    def messages(self) -> Iterator[str]:
        """The messages in order, one or several at a time, with commas between those."""
        self._find_special()
        last: bytes = b""
        for key, entry in sorted(self._one_by_one(), key=_key):
            yield from self._plain(last, key)
            yield self.whole(entry())
            last = key
        yield from self._plain(last, None)

    def _plain(self, after: bytes, before: bytes | None) -> Iterator[str]:
        """The messages between two keys about which nothing is recorded."""
        bound = "" if before is None else "and key < ?5"
        query = (
            "select group_concat(first || ?1 || rest || ?2, ', '), max(key) from (select key, first, rest "
            f"from message join panel using (n) where {self.condition} and n not in (select n from special) "
            f"and key > ?3 {bound} order by key limit ?4)"
        )
        more: list[bytes] = [] if before is None else [before]
        while True:
            text, last = self.run(query, (self.path, NOTHING_RECORDED, after, TOGETHER, *more)).fetchone()
            if text is None:
                return
            yield text
            after = last

    def _one_by_one(self) -> Iterator[tuple[bytes, Callable[[], Entry]]]:
        """Key and entry of the messages that are made one by one: those without a row, and those with a record."""
        for place, name in self.fresh:
            entry = read_entry(self.box, place, name)
            if entry is not None:
                entry.without_body()
                yield key_text(entry.sort_key()), partial(_same, entry)
        rows = f"select key, n from message where n in (select n from special) and {self.condition}"
        for key, n in self.run(rows).fetchall():
            yield key, partial(self._entry, n)

    def _entry(self, n: int) -> Entry:
        query = "select place, name, header from message where n = ?"
        place, name, header = self.run(query, (n,)).fetchone()
        return Entry.of_message(PLACE[place], restored(name), message_of(header))

    def _find_special(self) -> None:
        """The rows of messages about which more may be known than their files say."""
        self.run("create temp table special(n integer primary key)")
        add, sent = "insert or ignore into special select n from message where", ORDER[SENT]
        keys = set(self.witnesses.records(self.box.identity))
        for (parties,) in self.run(
            f"select distinct parties from message where place = {sent} and shown"
        ).fetchall():
            for identity in filter(None, restored(parties).split("\n")):
                keys.update(self.witnesses.records(identity))
        for id in keys.union(self.witnesses.partial(self.box)):
            self.run(f"{add} id = ?", (stored(id),))
        if any(key.startswith("#") for key in keys):
            # A name that no record may hold has a hash there.
            self.run(
                f"{add} cast(id as text) not glob ? or cast(id as text) glob '*[^a-z0-9-]*' or length(id) > 124",
                (STRICT,),
            )
        # A message to oneself has receipts of several identities.
        self.run(f"{add} place != {sent} and parties = ?", (stored(self.box.identity),))
        for (claim,) in self.run("select distinct claim from message where claim is not null").fetchall():
            kind, _, sender = restored(claim).partition("\n")
            if kind_flags(Message({"sender_kind": kind, "from": sender}), self.witnesses.known):
                self.run(f"{add} claim = ?", (claim,))


def _same(entry: Entry) -> Entry:
    return entry


def _key(one: tuple[bytes, object]) -> bytes:
    return one[0]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agentmail.views.index.reader import Indexed
    from agentmail.views.receipts import Witnesses
