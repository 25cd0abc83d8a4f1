"""The entry in settings that are TOML: a table at the end of the file. Bytes in, bytes out.

Why no TOML editor: the entry is whole lines, added at the end and removed as lines. What comes out is parsed, and counts
only if it says what the file said before, and beside that nothing but the entry: so no layout can lead to a wrong edit,
only to a refusal.
"""

from __future__ import annotations

from agentmail.core.errors import Refused
from agentmail.hosts.mcp_entry.command import NAME, is_ours, words_of
from agentmail.hosts.settings_file.json_text import without_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

SECTION = "mcp_servers"
HEADER = r"\s*\[\s*mcp_servers\s*\.\s*[\"']?agentmail[\"']?\s*[.\]]"


class TomlEntry:
    """The format of a file with such an entry; `more` is what it has beside its command. See `Format` in change.py."""

    def __init__(self, more: Mapping[str, object]) -> None:
        self._more = more

    def parse(self, data: bytes) -> object:
        """Refuse bytes that are not understood."""
        return _parsed(data)

    def content(self, data: bytes) -> object:
        """What the file says."""
        return without_empty(_parsed(data))

    def wired(self, data: bytes) -> object:
        """A true value where the entry is one of `wire`."""
        return is_ours(self.words(data))

    def words(self, data: bytes) -> list[str] | None:
        """The command of the entry as it is; None where there is none, and no words for an entry of another kind."""
        return words_of(self.value(data))

    def value(self, data: bytes) -> object:
        """The entry as it is; None where there is none."""
        servers = _parsed(data).get(SECTION, {})
        if not isinstance(servers, dict):
            raise _refused(f"{SECTION} is not a table")
        return servers.get(NAME)

    def complete(self, data: bytes, words: list[str], more: Mapping[str, object] | None = None) -> bytes:
        """The file with the entry as `wire` wants it; what its owner added to it stays. An entry of others must not be there."""
        command = {"command": words[0], "args": words[1:]}
        wanted = {**command, **self._more, **(more or {})}
        entry = self.value(data)
        if entry is None:
            return _checked(data, _with(data, wanted), wanted)
        assert isinstance(entry, dict)  # noqa: S101 - `words` had read it
        if entry.items() >= command.items():
            return data
        return _checked(data, _replaced(data, command), {**entry, **command})

    def unwire(self, data: bytes) -> bytes:
        """The file without the entry; the very object where it is not ours."""
        if not self.wired(data):
            return data
        wanted = _without(_parsed(data))
        while self.value(data) is not None:
            data = _without_a_table(data, wanted)
        if _without(_parsed(data)) != wanted:
            raise _refused("the entry cannot be told from the rest")
        return data

    def snippet(self, words: list[str]) -> str:
        """The text to add by hand."""
        return self.complete(b"", words).decode()


def _with(data: bytes, entry: Mapping[str, object]) -> bytes:
    """The file with the entry at its end. Where its last line has no end, the last one of the entry has none either."""
    newline = _newline(data)
    lines = [f"[{SECTION}.{NAME}]", *(f"{key} = {_literal(value)}" for key, value in entry.items())]
    ended = not data or data.endswith(b"\n")
    before = "" if not data else newline if ended else newline * 2
    return data + (before + newline.join(lines) + (newline if ended else "")).encode()


def _replaced(data: bytes, values: Mapping[str, object]) -> bytes:
    """The file with these values in the lines of our table, which are lines of one value each."""
    import re

    lines = data.decode().splitlines(keepends=True)
    start = next((at for at, line in enumerate(lines) if re.match(HEADER, line)), len(lines))
    for at in range(start + 1, len(lines)):
        key = lines[at].partition("=")[0].strip()
        if lines[at].lstrip().startswith("["):
            break
        if key in values:
            end = lines[at][len(lines[at].rstrip("\r\n")) :]
            lines[at] = f"{key} = {_literal(values[key])}{end}"
    return "".join(lines).encode()


def _without_a_table(data: bytes, rest: object) -> bytes:
    """The file without the lines of the first table of ours that can be told from the rest."""
    import re

    lines = data.decode().splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if re.match(HEADER, line)]
    for start in starts:
        ends = [at for at in range(start + 1, len(lines)) if lines[at].lstrip().startswith("[")]
        for end in [*ends, len(lines)]:
            new = _cut(lines, start, end).encode()
            if _says(new, lambda found: _without(found) == rest):
                return new
    raise _refused("the entry cannot be told from the rest")


def _cut(lines: list[str], start: int, end: int) -> str:
    """The text without these lines; comments and blank lines before the next table are the next one's."""
    last = end == len(lines)
    while not last and end > start + 1 and lines[end - 1].strip()[:1] in ("", "#"):
        end -= 1
    ended = lines[-1].endswith("\n")
    if start and not lines[start - 1].strip():
        start -= 1
    kept = "".join(lines[:start] + lines[end:])
    return kept if ended or not last else kept.removesuffix("\n").removesuffix("\r")


def _checked(old: bytes, new: bytes, entry: Mapping[str, object]) -> bytes:
    """The new bytes, if they say what the old ones say and this entry. Else Refused."""
    rest = _without(_parsed(old))

    def is_right(found: dict[str, Any]) -> bool:
        return _without(found) == rest and found[SECTION][NAME] == entry

    if not _says(new, is_right):
        raise _refused(f"{SECTION} is written in a form to which no table can be added")
    return new


def _says(data: bytes, what: Callable[[dict[str, Any]], bool]) -> bool:
    try:
        return what(_parsed(data))
    except (Refused, KeyError, TypeError):
        return False


def _without(found: dict[str, Any]) -> object:
    """What a file says beside the entry."""
    servers = {name: one for name, one in found.get(SECTION, {}).items() if name != NAME}
    return {**{name: one for name, one in found.items() if name != SECTION}, SECTION: servers}


def _parsed(data: bytes) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise _refused(f"it is not valid TOML ({error})") from None


def _literal(value: object) -> str:
    """A value of TOML: strings and lists of them are written as in JSON, but for one character."""
    from json import dumps

    return dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _newline(data: bytes) -> str:
    return "\r\n" if data.partition(b"\n")[0].endswith(b"\r") else "\n"


def _refused(what: str) -> Refused:
    return Refused(
        f"settings not understood: {what}", "nothing was changed", "fix it, or add the entry by hand"
    )
