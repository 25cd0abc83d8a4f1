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
#: What a shell reads in double quotes.
NOT_IN_QUOTES = frozenset('"$`\\!')
TWO = "it looks like two addresses"
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

    @property
    def quoted(self) -> str:
        """The address as one word of a shell."""
        return _shell_word(str(self))

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
    """The address that a text spells; `@beta` is beta. Refused where it is none, with the address that may be meant."""
    name, at, rest = text.removeprefix("@").partition("@")
    if not name:
        raise Refused(
            f"{names.quoted(text)} names nobody before the @",
            names.NOTHING_CHANGED,
            "write NAME, NAME@PATH or NAME@PATH.SESSION; `agentmail roster` lists the names",
        )
    name = names.recipient(name)
    if not at:
        return Address(name)
    path, dot, last = rest.rpartition(".")
    session = last if dot and "/" not in last else None
    path = rest if session is None else path
    path = "/" * path.startswith("/") + "/".join(_parts(path))
    what = wrong_path(path) or (_wrong_session(session) if session is not None else "")
    if what:
        raise _refused(text, what, name, path, session)
    return Address(name, path, session or "")


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def wrong_path(path: str) -> str:
    """Why no address has this path: it is none, or could mislead; empty where it can stand."""
    if not path:
        return "there is no path after the @"
    if not _is_plain(path):
        return "the path holds a control or invisible character"
    if len(path.encode()) > PATH_MAX:
        return f"the path is over {PATH_MAX} bytes"
    if "," in path:
        return "the path holds a comma, which separates recipients"
    if path[0] == "@":
        return "it has two @ in a row"
    if path[0] == "~":
        return "no shell replaces a ~ within a word"
    if _second(path):
        return TWO
    if any(part[-1] == "." for part in _parts(path)):
        return "a part of the path ends with a dot"
    if any(part.strip() != part for part in _parts(path)):
        return "a part of the path has spaces around it"
    return ""


def _wrong_session(session: str) -> str:
    """Why no session has this name; empty where one can."""
    if not session:
        return "no session follows the last dot"
    if len(session) > names.ID_MAX or not _is_plain(session) or NOT_IN_SESSIONS.intersection(session):
        return f"{names.quoted(session)}, after the last dot, cannot name a session"
    return ""


def _second(path: str) -> int:
    """Where in the path a second address seems to begin, after a semicolon or a space; 0 where none does."""
    at = path.find("@")
    while at > 0:
        before = max(path.rfind(" ", 0, at), path.rfind(";", 0, at))
        if before > 0 and names.is_identity(path[before + 1 : at]):
            return before + 1
        at = path.find("@", at + 1)
    return 0


def _is_plain(text: str) -> bool:
    return names.printable(text) == text and not names.has_control(text)


def _refused(text: str, what: str, name: str, path: str, session: str | None) -> Refused:
    meant = _meant(name, path, session)
    if meant:
        advice = f"use {meant.quoted}"
    else:
        advice = _advice(name, path, session)
    near = [str(meant)] if meant else []
    return Refused(f"{names.quoted(text)}: {what}", names.NOTHING_CHANGED, advice, address=text, near=near)


def _advice(name: str, path: str, session: str | None) -> str:
    """What to write where the address that was meant cannot be told from its text alone."""
    end = "" if session is None else f".{session}"
    stands = not (end and _wrong_session(end[1:]))
    first, second = path[: _second(path)].rstrip(" ;"), path[_second(path) :]
    if stands and wrong_path(path) == TWO and not wrong_path(first):
        return f"separate recipients by commas: {_shell_word(f'{name}@{first},{second}{end}')}"
    below = path.removeprefix("~")
    if stands and path[:2] == "~/" and not wrong_path(below) and not NOT_IN_QUOTES.intersection(below + end):
        return f'use "{name}@$HOME{below}{end}"'
    if stands and end and not path and names.is_word(end[1:], names.SLUG_MAX):
        return f"use '{name}' with --thread {end[1:]}, or a path as in '{name}@/srv/x{end}'"
    return f"use '{name}' alone, or a path as in '{name}@/srv/x'"


def _meant(name: str, path: str, session: str | None) -> Address | None:
    """The address that was meant, as far as it can be told: with the parts of the path tidied, or the dot in the path."""
    if not path and not session:
        return Address(name)
    parts = [part.strip().rstrip(".") for part in _parts(path.lstrip("@"))]
    tidy = "/" * path.lstrip("@").startswith("/") + "/".join(parts)
    if session and _wrong_session(session):
        tidy, session = f"{tidy}.{session}", None
    if "" in parts or wrong_path(tidy):
        return None
    # A dot at the end is left out, and what is before it says again where the session begins.
    return parse_address(f"{name}@{tidy}") if session == "" else Address(name, tidy, session or "")


def _shell_word(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


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
