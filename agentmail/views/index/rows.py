"""The tables of an index, and the rows that a message makes in them.

`message`  a row a file: by which stat it is true, what views ask for, the header
`panel`    the message as `snapshot` prints it
`body`     the text that search looks in, casefolded
`words`    the trigrams of that text, where this SQLite has them; a message whose text is too long has none
`folder`   the stat of a folder whose files are all known: it needs no listing while that stat stands
`doubt`    the files in such a folder that have no row: each is read at every use
"""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.layout import INBOX, SENT
from agentmail.core.lean_json import dumps
from agentmail.message import is_time
from agentmail.views.index.stored import ORDER, key_text, stored
from agentmail.views.listing import described
from agentmail.views.receipts import recipients_of
from agentmail.views.words import searched

#: A text of more characters is not kept: such a message is read at every search.
TEXT_MAX = 1 << 18

TABLES = (
    """create table message(
        n integer primary key, place integer, name blob, stat text, shown integer, id blob, key blob, thread blob,
        re blob, sender blob, kind text, parties blob, subject blob, claim blob, long integer, header blob,
        plain blob)""",
    "create table panel(n integer primary key, first text, rest text)",
    "create table body(n integer primary key, text blob)",
    "create table folder(place integer primary key, stat text)",
    "create table doubt(place integer, name blob)",
    "create table about(word text primary key, value text)",
)
#: Made after the rows of a new index: that is faster.
LOOKUPS = (
    "create unique index if not exists file on message(place, name)",
    "create index if not exists id on message(id)",
    "create index if not exists ordered on message(key) where shown",
    "create index if not exists threads on message(thread, key, place, parties, shown) where shown",
    "create index if not exists places on message(place, parties, shown) where shown",
    "create index if not exists claims on message(claim) where claim is not null",
    "create index if not exists answers on message(re) where re != x''",
    "create index if not exists hidden on message(n) where not shown",
    "create index if not exists long on message(n) where long",
)
WORDS = (
    "create virtual table words using fts5"
    "(text, tokenize='trigram case_sensitive 1', detail=none, columnsize=0, content='')"
)
INSERT = f"insert into message values({', '.join('?' * 17)})"


def header_text(message: Message) -> bytes:
    """Flags and values; no key and no value has a line break in it."""
    return stored(
        "\n".join((",".join(message.flags), *(part for pair in message.values.items() for part in pair)))
    )


def parties_of(entry: Entry) -> list[str]:
    """Who a thread's sum names for a message: those it was sent to, or who sent it."""
    return recipients_of(entry.message) if entry.place == SENT else [entry.message.get("from")]


class Rows:
    """The rows of one message."""

    __slots__ = ("message", "panel", "text")

    def __init__(self, n: int, entry: Entry, stat: str, identity: str) -> None:
        message = entry.message
        text = searched(entry)
        self.text = (
            text.encode("utf-8", "replace").replace(b"\0", b"\n").decode() if len(text) <= TEXT_MAX else None
        )
        self.panel = (n, *panel_of(entry))
        self.message = (
            n,
            ORDER[entry.place],
            stored(entry.name),
            stat,
            1,
            stored(entry.id),
            key_text(entry.sort_key()),
            stored(entry.thread),
            stored(message.get("re")),
            stored(message.get("from")),
            message.kind,
            stored("\n".join(parties_of(entry))),
            stored(message.get("subject")),
            claim_of(message),
            self.text is None,
            header_text(message),
            plain_of(entry, identity),
        )


def plain_of(entry: Entry, identity: str) -> bytes | None:
    """What `check` lists of a waiting message about whose file nothing is odd; None for any other.

    The last two lines are the seconds of its name, and those that its age is counted from.
    """
    message, minute = entry.message, names.minute_of(entry.name)
    stamped = times.seconds_of(minute)
    if (
        (entry.place, entry.name) != (INBOX, f"{entry.id}.md")
        or not names.is_id(entry.id)
        or message.get("id") != entry.id
        or not names.is_among(identity, message.get("to"), message.get("cc"))
        or entry.damaged
        or message.flags
        or message.get("sender_kind")
        or message.get("workspace")
        or stamped is None
    ):
        return None
    date = message.get("date") if is_time(message.get("date")) else ""
    age = times.seconds_since(0, minute, stamped, date) or 0
    keys = (message.get(key) for key in ("from", "to", "re", "subject"))
    return stored("\n".join((*keys, message.thread, message.priority, date, str(stamped), str(-age))))


def claim_of(message: Message) -> bytes | None:
    """The kind of sender that it claims and whose message it says it is; None for no claim."""
    claim = message.get("sender_kind")
    return stored(f"{claim}\n{message.get('from')}") if claim else None


def panel_of(entry: Entry) -> tuple[str, str]:
    """The message as JSON before and after the path of its mailbox, open where more flags can follow."""
    values = described(entry, "")
    first = dumps({"id": values.pop("id"), "place": values.pop("place")})
    del values["path"]
    path, rest = dumps(f"/{entry.place}/{entry.name}"), dumps(values)
    parts = (f'{first[:-1]}, "path": "', f"{path[1:]}, {rest[1:-2]}")
    return parts[0].replace("\x7f", "\\u007f"), parts[1].replace("\x7f", "\\u007f")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.message import Message
    from agentmail.views.base import Entry
