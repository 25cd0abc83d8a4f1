"""An entry of an inbox whose name is not a message's, so that no id names it: why, and the command that renames it."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.fs import is_file
from agentmail.core.layout import INBOX, PLACES

AS_IT_WAS = "it was left as it is"


def explained(box: Mailbox, text: str, error: AgentMailError) -> AgentMailError:
    """The error of a command that `text` was given to; where an entry of the inbox is meant, one that leads on."""
    inbox = box.existing(INBOX)
    name = _meant(box.disk.names(inbox), text) if inbox is not None else None
    info = box.disk.stat_or_none(name, inbox) if name is not None and inbox is not None else None
    if name is None or info is None:
        return error
    what = f"{names.quoted(name)} is in the {INBOX} of {box.identity}, but {why(name)}"
    if not is_file(info):
        folder = names.printable(box.path(INBOX))
        return Refused(
            f"{what}, and it is no regular file", AS_IT_WAS, f"look with ls -lb {folder}, move it away"
        )
    free = new_name(box, name)
    id = free.removesuffix(".md")
    return Refused(what, AS_IT_WAS, f"to make it message {id}: {_renaming(box, name, info, free)}")


def why(name: str) -> str:
    """What keeps a name from being a message's."""
    bare = name.removesuffix(".md")
    if bare == name:
        return "its name does not end in .md"
    if len(bare) > names.ID_MAX:
        return f"its name is longer than a message's, which is at most {names.ID_MAX} characters before .md"
    if names.without_suffix(bare) != bare:
        return "its name has one ending too many: without .md, it is the name of another message"
    if not names.ID_CHARS.issuperset(bare):
        return "its name has characters that the name of a message cannot have; it can have a-z, A-Z, 0-9, dot, dash and _"
    return "its name does not begin with a letter or digit"


def _meant(entries: list[str], text: str) -> str | None:
    """The entry that `text` names, as it is or as a listing shows it; one with the name of a message is never meant."""
    odd = [name for name in entries if not _has_id(name)]
    for shown in (str, names.without_suffix, names.printable, _listed):
        for name in odd:
            if text == shown(name):
                return name
    return None


def _has_id(name: str) -> bool:
    """True for the name of a message in an inbox that its id leads to."""
    id = name.removesuffix(".md")
    return id != name and names.is_id(id) and names.without_suffix(id) == id


def _listed(name: str) -> str:
    return names.printable(names.without_suffix(name))


def new_name(box: Mailbox, name: str) -> str:
    """A message's name that is like this one, and free in every folder."""
    bare = name[: -len(".md")] if name.lower().endswith(".md") else name
    words = "".join(c if c in names.ID_CHARS and c not in ".-" else " " for c in bare).split()
    stem = ("-".join(words).lstrip("_-") or "unnamed")[: names.ID_MAX - len("-999")]
    for number in range(1, 1000):
        id = stem if number == 1 else f"{stem}-{number}"
        if not _is_taken(box, id):
            break
    return f"{id}.md"


def _is_taken(box: Mailbox, id: str) -> bool:
    for folder, suffix in PLACES:
        parent = box.existing(folder)
        if parent is not None and box.disk.exists(id + suffix, parent):
            return True
    return False


def _renaming(box: Mailbox, name: str, info: os.stat_result, free: str) -> str:
    """The command that renames an entry and replaces nothing; a name that cannot be typed is found by its number."""
    old, new = box.path(INBOX, name), _typed(box.path(INBOX, free))
    if names.printable(old) == old:
        return f"`mv -n {_typed(old)} {new}`"
    return f"`find {_typed(box.path(INBOX))} -inum {info.st_ino} -exec mv -n {{}} {new} ';'`"


def _typed(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'"


TYPE_CHECKING = False
if TYPE_CHECKING:
    import os

    from agentmail.core.errors import AgentMailError
    from agentmail.core.layout import Mailbox
