"""Search: every message of a mailbox that holds all of some words, in its header or its body. No index."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.roster import open_mailbox
from agentmail.views.scan import entries, listing

EXCERPT = 160


def search(
    bus: Bus, identity: str, words: list[str], watch: Callable[[Listing], Listing] | None = None
) -> Found:
    """What matches, oldest first; letters match whatever their case."""
    wanted = [word.casefold() for text in words for word in text.split()]
    if not wanted:
        raise Refused("there is no word to search for", names.NOTHING_CHANGED, "give one or more words")
    matches: list[tuple[tuple[object, ...], Match]] = []
    unreadable: list[str] = []
    with open_mailbox(bus, identity) as box:
        found = listing(box)
        for entry in entries(box, watch(found) if watch else found, unreadable):
            if not entry.may_hold(wanted):
                continue
            message = entry.message
            text = "\n".join([entry.id, *message.values.values(), message.body.decode("utf-8", "replace")])
            folded = text.casefold()
            if all(word in folded for word in wanted):
                match: Match = {
                    "id": entry.id,
                    "place": entry.place,
                    "path": bus.path(identity, entry.place, entry.name),
                    "from": message.get("from"),
                    "to": message.get("to"),
                    "thread": entry.thread,
                    "subject": message.get("subject"),
                    "excerpt": _excerpt(message.body.decode("utf-8", "replace"), wanted),
                }
                matches.append((entry.sort_key(), match))
    return {
        "identity": identity,
        "words": wanted,
        "matches": [one for _, one in sorted(matches, key=_key)],
        "unreadable": unreadable,
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
    from collections.abc import Callable, Iterable

    from agentmail.core.layout import Bus
    from agentmail.verbs.conversation_outcomes import Found, Match

    Listing = Iterable[tuple[str, str]]
