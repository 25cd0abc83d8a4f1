"""The reader over the files: it keeps nothing, reads every message one at a time, and is always right."""

from __future__ import annotations

from agentmail.core import gz, names
from agentmail.core.errors import NotFound, Refused
from agentmail.core.fs import reason
from agentmail.core.layout import ARCHIVE, INBOX, PLACES, SENT
from agentmail.core.message_files import contents, read_file
from agentmail.views.base import EVERYWHERE, Entry


class Scan:
    """The `Reader` that needs nothing but the mailbox."""

    def entries(
        self,
        box: Mailbox,
        places: Collection[str] = EVERYWHERE,
        words: Iterable[str] = (),
        *,
        unreadable: list[str] | None = None,
        progress: Callable[[Listing], Listing] | None = None,
    ) -> Iterator[Entry]:
        """The messages in these places that may hold all the (casefolded) words.

        A message that moves during the walk is looked for where it went.
        """
        listed = [one for one in listing(box) if one[0] in places]
        for place, name in progress(listed) if progress else listed:
            entry = _read(box, place, name) or _moved(box, place, names.without_suffix(name))
            if entry is None:
                continue
            if entry.damaged and unreadable is not None:
                unreadable.append(f"{place}/{names.printable(name)}: {entry.damaged}")
            if entry.may_hold(words):
                yield entry

    def find(self, box: Mailbox, id: str) -> Entry | None:
        """The message of an id, or None."""
        for place, suffix in PLACES:
            entry = _read(box, place, id + suffix)
            if entry is not None:
                return entry
        return None


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


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from agentmail.core.layout import Mailbox
    from agentmail.views.base import Listing
