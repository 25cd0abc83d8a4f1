"""Every message of a mailbox, the oldest first, from the files: a mailbox of any size takes little memory.

The files say their order only after all were read. Of most messages the order alone is kept, and they are read again
for the answer.
"""

from __future__ import annotations

from agentmail.views.index.stored import ORDER, PLACE, key_text, restored_key
from agentmail.views.scan import read_entry
from agentmail.views.threads import add_to, in_order

#: So many messages are kept from the first reading.
KEPT = 300


class InOrder:
    """The messages of a walk: `sums` has their threads, and iteration gives them, the oldest first, without bodies."""

    def __init__(self, box: Mailbox, entries: Iterable[Entry]) -> None:
        self.box = box
        self._kept: dict[bytes, Entry] = {}
        self._order: list[bytes] = []
        sums: dict[str, ThreadSum] = {}
        for entry in entries:
            add_to(sums, entry)
            key = key_text(entry.sort_key()) + b"\0%d" % ORDER[entry.place]
            self._order.append(key)
            if len(self._kept) < KEPT:
                self._kept[key] = entry
        self._order.sort()
        self.sums = in_order(sums)

    def __iter__(self) -> Iterator[Entry]:
        for key in self._order:
            entry = self._kept.get(key) or self._again(key)
            if entry is not None:
                yield entry

    def _again(self, key: bytes) -> Entry | None:
        """The message where it is now; None where it was pruned since."""
        text, _, place = key.rpartition(b"\0")
        entry = read_entry(self.box, PLACE[int(place)], restored_key(text)[2][3])
        return entry.without_body() if entry is not None else None


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agentmail.core.layout import Mailbox
    from agentmail.views.base import Entry
    from agentmail.views.threads import ThreadSum
