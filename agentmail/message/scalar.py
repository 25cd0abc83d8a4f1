"""One header value as YAML text and back: plain where every YAML reader agrees, else double-quoted.

Why no YAML library: importing one costs four times the interpreter's start, and these two forms are all
that we write. A law says that a real YAML reader finds the same values.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused

#: Words that a YAML reader takes for something else than text.
YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
#: Text longer than this is none of them.
LONGEST_WORD = 5


def written(value: str) -> str:
    """The value as it stands behind its key; Refused for what is not one line of text."""
    if names.has_control(value):
        raise Refused(
            f"{names.quoted(value)} holds a line break or a control character",
            names.NOTHING_CHANGED,
            "give one line of plain text",
        )
    return value if is_plain(value) else double_quoted(value)


def is_plain(value: str) -> bool:
    """True for text that every YAML reader takes as that very text without quotes."""
    return (
        value != ""
        and begins_plain(value)
        and (value.isascii() or names.printable(value) == value)
        and value[-1] not in " :"
        and ": " not in value
        and " #" not in value
        and value.isprintable()
    )


def begins_plain(value: str) -> bool:
    """True where text begins as text does for every YAML reader, and is no word that it takes for something else."""
    if value[0].isalpha():
        return len(value) > LONGEST_WORD or value.lower() not in YAML_WORDS
    return names.is_stamped(value) or is_time(value)


def is_time(value: str) -> bool:
    """True for a time as we write it: 2026-07-04T09:30:12.345678Z."""
    return names.shape(value) == b"0000-00-00T00:00:00.000000Z"


def double_quoted(value: str) -> str:
    """The value in double quotes, with everything invisible escaped."""
    out = []
    for c in value:
        if c in '"\\':
            out.append("\\" + c)
        elif names.printable(c) == c and (c == " " or c.isprintable()):
            out.append(c)
        else:
            out.append(f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}")
    return '"' + "".join(out) + '"'


def unquoted(text: str) -> str | None:
    """The value of a line that `double_quoted` wrote, or None."""
    inner = text[1:-1]
    if len(text) < 2 or text[-1] != '"':
        return None
    if "\\" not in inner:
        return inner if '"' not in inner and names.printable(inner) == inner else None
    value = _unescaped(inner)
    return value if value is not None and double_quoted(value) == text else None


def _unescaped(inner: str) -> str | None:
    out = []
    at = 0
    while at < len(inner):
        if inner[at] != "\\":
            out.append(inner[at])
            at += 1
            continue
        kind = inner[at + 1 : at + 2]
        width = {"u": 4, "U": 8}.get(kind, 0)
        digits = inner[at + 2 : at + 2 + width]
        if width:
            if len(digits) != width or not frozenset("0123456789abcdef").issuperset(digits):
                return None
            code = int(digits, 16)
            if code > 0x10FFFF or 0xD800 <= code < 0xE000:
                return None
            out.append(chr(code))
        elif kind in ('"', "\\"):
            out.append(kind)
        else:
            return None
        at += 2 + width
    return "".join(out)
