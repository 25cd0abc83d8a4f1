"""`--once`: find the equal message that an earlier try of the same send has delivered.

A sender that was killed, or timed out, cannot know whether its message went. Only it can say that the
next one is the same.
"""

from __future__ import annotations

from agentmail.core import gz, names, times
from agentmail.core.errors import NotFound, Refused
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.core.message_files import contents, read_file
from agentmail.message import read_message

WINDOW_NS = 24 * 3600 * 10**9


def find_equal(box: Mailbox, draft: Draft, body: bytes) -> tuple[str, bytes, str] | None:
    """Id, bytes and path of an equal message of the last 24 hours in the inbox or archive, or None."""
    since = times.minute(box.bus.clock.now_ns() - WINDOW_NS)
    stem = f"-{draft.sender}-{draft.slug}"
    for folder in (INBOX, ARCHIVE):
        parent = box.existing(folder)
        for name in sorted(box.disk.names(parent), key=names.order) if parent is not None else ():
            id = names.without_suffix(name)
            recent = names.minute_of(id) >= since and _is_of(id[names.STAMP_LENGTH :], stem)
            data = _bytes(box, folder, name) if recent else None
            if data is not None and _is_equal(read_message(data), draft, body):
                return id, data, box.path(folder, name)
    return None


def _is_of(rest: str, stem: str) -> bool:
    suffix = rest.removeprefix(stem)
    return rest.startswith(stem) and (
        not suffix or (suffix[0] == "-" and names.DIGITS_ONLY.issuperset(suffix[1:]) and len(suffix) > 1)
    )


def _bytes(box: Mailbox, folder: str, name: str) -> bytes | None:
    try:
        found = read_file(box, folder, name)
        return contents(name, found[0]) if found else None
    except (NotFound, Refused, gz.Damaged):
        return None


def _is_equal(message: Message, draft: Draft, body: bytes) -> bool:
    return message.body == body and all(
        message.get(key) == value
        for key, value in (
            ("from", draft.sender),
            ("to", draft.to_line),
            ("cc", ", ".join(draft.cc)),
            ("workspace", draft.workspace_line),
            ("re", draft.re),
            ("subject", draft.subject),
            ("thread", (not draft.is_latest and draft.thread) or message.get("thread")),
        )
    )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Mailbox
    from agentmail.message import Message
    from agentmail.verbs.draft import Draft
