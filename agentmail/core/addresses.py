"""Addresses: `name@path.session`, the header line that keeps the paths, and both read back.

    builder                     the identity alone, as everywhere
    builder@/srv/x              its latest thread in that workspace, or a new one
    builder@/srv/x.new          a new thread there
    builder@/srv/x.refactor     that thread, which must exist
    builder@/srv/a.b/           the path `/srv/a.b` without a session

The name ends at the first `@`; what follows the last `.` of the rest is the session, unless a `/` follows that dot: then the
whole rest is the path.

Why a refusal and not a guess: a misspelled session that silently starts a thread lets an agent work in an empty one,
while the sender believes that it continues the old one.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused

NEW = "new"
PATH_MAX = 1024
#: What no session holds: the separators of addresses, of lists of them, and of words.
NOT_IN_SESSIONS = frozenset("./@,; \u00a0\u3000")
HEX = frozenset(b"0123456789abcdefABCDEF")
#: What a path in the header line is without: its separators, and the sign of the escapes.
ESCAPED = {"%": "%25", ";": "%3B", "=": "%3D"}


class Address:
    """One recipient: `path` is empty for a name alone, `session` where it is left to the latest thread."""

    __slots__ = ("name", "path", "session")

    def __init__(self, name: str, path: str = "", session: str = "") -> None:
        self.name = name
        self.path = path
        self.session = session

    def __str__(self) -> str:
        """The address as it is typed; `parse_address` reads it back."""
        if not self.path:
            return self.name
        if self.session:
            return f"{self.name}@{self.path}.{self.session}"
        return f"{self.name}@{self.path}{'/' if '.' in self.path.rpartition('/')[2] else ''}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Address) and (self.name, self.path, self.session) == (
            other.name,
            other.path,
            other.session,
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Address({self.name!r}, {self.path!r}, {self.session!r})"


def parse_address(text: str) -> Address:
    """The address that a text spells; `@beta` is beta. Refused where it is none."""
    name, at, rest = text.removeprefix("@").partition("@")
    if not name:
        raise _refused(
            f"{names.quoted(text)} names nobody before the @",
            "write NAME, NAME@PATH or NAME@PATH.SESSION; `agentmail roster` lists the names",
        )
    name = names.recipient(name)
    if not at:
        return Address(name)
    path, dot, session = rest.rpartition(".")
    if not dot or "/" in session:
        return Address(name, _path(name, rest))
    path = _path(name, path)
    return Address(name, path, _session(name, path, session))


def _path(name: str, text: str) -> str:
    """The path as it is compared: one slash between its parts, none at its end. Refused where it could mislead."""
    parts = [part for part in text.split("/") if part]
    path = "/" * text.startswith("/") + "/".join(parts)
    if not path:
        raise _refused(f"the address of {name} has no path after its @", _instead(name))
    if not _is_plain(path):
        raise _refused(
            f"the path {names.quoted(path)} holds a control or invisible character", _instead(name)
        )
    if len(path.encode()) > PATH_MAX:
        raise _refused(f"the path {names.quoted(path)} is over {PATH_MAX} bytes", _instead(name))
    if "," in path:
        raise _refused(f"the path {names.quoted(path)} holds a comma, the end of a recipient", _instead(name))
    if path[0] == "@":
        raise _refused(
            f"{names.quoted(f'{name}@{path}')} has two @ in a row", _instead(name, path.strip("@"))
        )
    if path[0] == "~":
        raise _refused(
            f"no shell replaces the ~ in {names.quoted(f'{name}@{path}')}",
            f'write the path whole, as in "{name}@$HOME/x"',
        )
    for part in parts:
        if part[-1] == "." or part.strip() != part:
            raise _refused(
                f"{names.quoted(part)}, a part of the path {names.quoted(path)}, ends with a dot or has spaces around it",
                f"write the path whole, without . and .. in it: {_instead(name)}",
            )
    return path


def _session(name: str, path: str, text: str) -> str:
    """The session; Refused where no session can have this name."""
    if not text:
        raise _refused(
            f"{names.quoted(f'{name}@{path}.')} ends with a dot, and no session follows",
            _instead(name, path),
        )
    if len(text) > names.ID_MAX or not _is_plain(text) or any(c in NOT_IN_SESSIONS for c in text):
        raise _refused(
            f"{names.quoted(text)}, after the last dot, cannot name a session",
            f"for a path with that dot in it {_instead(name, f'{path}.{text}')}",
        )
    return text


def _is_plain(text: str) -> bool:
    return names.printable(text) == text and not names.has_control(text)


def _instead(name: str, path: str = "") -> str:
    """What to write for an address that is refused, as a shell takes it; without a path that could stand, an example."""
    try:
        path = path and _path(name, path)
    except Refused:
        path = ""
    if not path:
        return f"use '{name}' alone, or a path as in '{name}@/srv/x'"
    whole = str(Address(name, path)).replace("'", "'\\''")
    return f"use '{whole}'"


def _refused(what: str, next_step: str) -> Refused:
    return Refused(what, names.NOTHING_CHANGED, next_step)


def workspace_line(paths: Mapping[str, str]) -> str:
    """The header value that keeps each recipient's path: `builder=/srv/x; ops=/root`."""
    return "; ".join(f"{name}={_escaped(path)}" for name, path in paths.items())


def workspaces_of(line: str) -> dict[str, str]:
    """The paths of a header value, by recipient; the first of two counts, and what is no pair is left out."""
    found: dict[str, str] = {}
    for pair in line.split(";"):
        name, equals, path = pair.strip(" ").partition("=")
        if equals and path and names.is_identity(name):
            found.setdefault(name, _unescaped(path))
    return found


def _escaped(path: str) -> str:
    return "".join(ESCAPED.get(c, c) for c in path)


def _unescaped(text: str) -> str:
    """The text of an escaped path; the text as it stands where that spells no plain text."""
    first, *others = text.encode("utf-8", "surrogatepass").split(b"%")
    if not all(len(one) > 1 and HEX.issuperset(one[:2]) for one in others):
        return text
    try:
        plain = b"".join([first, *(bytes([int(one[:2], 16)]) + one[2:] for one in others)]).decode()
    except UnicodeDecodeError:
        return text
    return text if names.has_control(plain) else plain


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
