"""The reader over the files: it keeps nothing, reads every message one at a time, and is always right."""

from __future__ import annotations

from agentmail.core import gz, names
from agentmail.core.errors import NotFound, Refused
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX, PLACES, SENT
from agentmail.core.message_files import contents, read_file
from agentmail.views.base import EVERYTHING, EVERYWHERE, READING, Entry


class Scan:
    """The `Reader` that needs nothing but the mailbox. `read` counts the messages that it read."""

    def __init__(self) -> None:
        self.read = 0

    def entries(
        self,
        box: Mailbox,
        places: Collection[str] = EVERYWHERE,
        wanted: Wanted = EVERYTHING,
        *,
        unreadable: list[str] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Entry]:
        """The messages in these places that may match.

        A message that moves during the walk is looked for where it went.
        """
        needles = wanted.needles
        listed = [one for one in listing(box) if one[0] in places]
        self.read += len(listed)
        for place, name in progress(listed, READING) if progress else _released(listed):
            entry = read_entry(box, place, name, unreadable)
            if entry is not None and entry.may_hold(needles):
                yield entry

    def newest(
        self,
        box: Mailbox,
        wanted: Wanted,
        judge: Callable[[Entry], T | None],
        most: int | None = None,
        *,
        unreadable: list[str] | None = None,
        progress: Progress | None = None,
    ) -> tuple[list[T], bool]:
        """What `judge` makes of the messages that match, the newest first; all of them are read for it."""
        found: list[tuple[tuple[object, ...], T]] = []
        more = False
        for entry in self.entries(box, EVERYWHERE, wanted, unreadable=unreadable, progress=progress):
            judged = judge(entry)
            if judged is not None:
                found.append((entry.sort_key(), judged))
            if most is not None and len(found) > 2 * most:
                found, more = sorted(found, key=_key, reverse=True)[:most], True
        found.sort(key=_key, reverse=True)
        return [one for _, one in found[:most]], more or len(found[:most]) < len(found)

    def headers(
        self,
        box: Mailbox,
        places: Collection[str] = EVERYWHERE,
        *,
        unreadable: list[str] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Entry]:
        """The messages in these places without their bodies."""
        for entry in self.entries(box, places, unreadable=unreadable, progress=progress):
            yield entry.without_body()

    def find(self, box: Mailbox, id: str) -> Entry | None:
        """The message of an id, or None."""
        for place, suffix in PLACES:
            entry = _read(box, place, id + suffix)
            if entry is not None:
                return entry
        return None

    def sums(
        self, box: Mailbox, *, unreadable: list[str] | None = None, progress: Progress | None = None
    ) -> list[ThreadSum]:
        """A sum for each thread."""
        from agentmail.views.threads import sums_of

        return sums_of(self.entries(box, unreadable=unreadable, progress=progress))

    def counts(self, box: Mailbox) -> dict[str, int]:
        """How many messages there are in each place: a listing opens none of them."""
        places = [place for place, _ in listing(box)]
        return {place: places.count(place) for place in EVERYWHERE}

    def answers(self, box: Mailbox, ids: Collection[str]) -> Iterator[Entry]:
        """The received messages that name one of these ids in `re`."""
        for entry in self.headers(box, (INBOX, ARCHIVE)):
            if entry.message.get("re") in ids:
                yield entry


SCAN = Scan()


def listing(box: Mailbox) -> list[tuple[str, str]]:
    """Place and file name of every message, each id once: the inbox before the archive before the sender's copy.

    The inbox is listed again after the archive: a message taken back between the two would be in neither list.
    """
    seen: set[str] = set()
    found: list[tuple[str, str]] = []
    for place in (INBOX, ARCHIVE, INBOX, SENT):
        folder = box.existing(place)
        for name in sorted(box.disk.names(folder)) if folder is not None else ():
            id = names.without_suffix(name)
            if id != name and id not in seen:
                seen.add(id)
                found.append((place, name))
    return found


def read_entry(box: Mailbox, place: str, name: str, unreadable: list[str] | None = None) -> Entry | None:
    """A listed message, where it is or where it went since; None where it was pruned."""
    entry = _read(box, place, name) or _moved(box, place, names.without_suffix(name))
    if entry is not None and entry.damaged and unreadable is not None:
        unreadable.append(f"{place}/{names.printable(name)}: {entry.damaged}")
    return entry


def _read(box: Mailbox, place: str, name: str) -> Entry | None:
    """One message; None where there is no such file."""
    try:
        read_back = read_file(box, place, name)
        return Entry(place, name, contents(name, read_back[0])) if read_back else None
    except gz.Damaged as error:
        return Entry(place, name, None, f"damaged ({error})")
    except (NotFound, Refused) as error:
        return Entry(place, name, None, error.what)
    except OSError as error:
        return Entry(place, name, None, reason(error))


def _moved(box: Mailbox, place: str, id: str) -> Entry | None:
    """A message that left its place since it was listed: archived, or taken back; None where it was pruned."""
    if place == SENT:
        return None
    return _read(box, ARCHIVE, f"{id}.md.gz") if place == INBOX else _read(box, INBOX, f"{id}.md")


def _released(listed: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Each in its order. The list gets shorter: the names of very many messages need not stay while a view fills."""
    listed.reverse()
    while listed:
        yield listed.pop()


def _key(pair: tuple[tuple[object, ...], T]) -> tuple[object, ...]:
    return pair[0]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from agentmail.core.layout import Mailbox
    from agentmail.views.base import Progress, T, Wanted
    from agentmail.views.threads import ThreadSum
