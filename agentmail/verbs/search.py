"""Search: every message of a mailbox that holds some words and meets some conditions, the newest first."""

from __future__ import annotations

from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import From, TypedDict
from agentmail.verbs.limits import limit_of
from agentmail.views.search import excerpt_of, query_of


class Match(From):
    """A message that matches. `excerpt` is the first line of its body with one of the words; `marks` are the words in it.

    A mark is the pair of start and end, counted in characters.
    """

    id: str
    place: str
    path: str
    to: str
    thread: str
    kind: str
    subject: str
    excerpt: str
    marks: list[list[int]]


class Found(TypedDict):
    """`search`: what matches, the newest first. `conditions` are those of the words that are one, such as `from:alpha`.

    `more`: others match too, and are not listed because of `--limit`.
    """

    identity: str
    words: list[str]
    conditions: list[str]
    matches: list[Match]
    more: bool
    unreadable: list[str]


def search(call: Call, identity: Me, words: Words, *, limit: Limit = None) -> Found:
    """Find the messages that contain all the words; conditions: from:X to:X thread:X in:X kind:X after:X before:X.

    Those waiting, archived or sent, the newest first. On the command line, exit 1 where there are none. Letters match whatever
    their case; text in double quotes is one word. `after:` and `before:` take a day or a minute in UTC. The first of several
    words is the identity if this bus has one of that name.
    """
    query, most = query_of(words), limit_of(limit)
    unreadable: list[str] = []
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:

        def judge(entry: Entry) -> Match | None:
            return _match(box, entry, query.words) if query.matches(entry) else None

        matches, more = reader.newest(
            box, query.wanted, judge, most, unreadable=unreadable, progress=call.progress
        )
    return {
        "identity": identity,
        "words": query.words,
        "conditions": [f"{key}:{value}" for key, value in query.conditions],
        "matches": matches,
        "more": more,
        "unreadable": unreadable,
    }


def _match(box: Mailbox, entry: Entry, words: list[str]) -> Match:
    message = entry.message
    excerpt, marks = excerpt_of(message.body.decode("utf-8", "replace"), words)
    return {
        "id": entry.id,
        "place": entry.place,
        "path": box.path(entry.place, entry.name),
        "from": message.get("from"),
        "to": message.get("to"),
        "thread": entry.thread,
        "kind": message.kind,
        "subject": message.get("subject"),
        "excerpt": excerpt,
        "marks": marks,
    }


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.verbs.call import Call, Limit, Me, Words
    from agentmail.views.base import Entry
