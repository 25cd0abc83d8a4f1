"""Search: every message of a mailbox that holds all of some words, in its header or its body."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import From, TypedDict
from agentmail.views.base import Wanted

EXCERPT = 160


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


def search(call: Call, identity: Me, words: Words) -> Found:
    """Find the messages that hold all the words, waiting, archived or sent; exit 1 where there are none.

    Oldest first; letters match whatever their case. The first of several words is the identity if this bus has one of that name.
    """
    wanted = [word.casefold() for word in words.split()]
    if not wanted:
        raise Refused("there is no word to search for", names.NOTHING_CHANGED, "give one or more words")
    matches: list[tuple[tuple[object, ...], Match]] = []
    unreadable: list[str] = []
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:
        found = reader.entries(box, wanted=Wanted(wanted), unreadable=unreadable, progress=call.progress)
        for entry in found:
            match = _match(box, entry, wanted)
            if match is not None:
                matches.append((entry.sort_key(), match))
    return {
        "identity": identity,
        "words": wanted,
        "matches": [one for _, one in sorted(matches, key=_key)],
        "unreadable": unreadable,
    }


def _match(box: Mailbox, entry: Entry, wanted: list[str]) -> Match | None:
    message = entry.message
    body = message.body.decode("utf-8", "replace")
    folded = "\n".join([entry.id, *message.values.values(), body]).casefold()
    if not all(word in folded for word in wanted):
        return None
    return {
        "id": entry.id,
        "place": entry.place,
        "path": box.path(entry.place, entry.name),
        "from": message.get("from"),
        "to": message.get("to"),
        "thread": entry.thread,
        "subject": message.get("subject"),
        "excerpt": _excerpt(body, wanted),
    }


def _key(pair: tuple[tuple[object, ...], Match]) -> tuple[object, ...]:
    return pair[0]


def _excerpt(body: str, wanted: list[str]) -> str:
    """The first line of the body that holds one of the words, bounded; empty where only the header matched."""
    for line in body.splitlines():
        if any(word in line.casefold() for word in wanted):
            return line.strip()[:EXCERPT]
    return ""


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call, Me, Words
    from agentmail.views.base import Entry
