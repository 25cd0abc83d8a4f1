"""One header value as YAML text and back: plain if every YAML reader agrees, else double-quoted.

Why no YAML library: importing one takes four times as long as starting the interpreter, and we write only
these two forms. A test compares them with a real YAML reader.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused

#: Words that a YAML reader does not take for text.
YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
#: The length of the longest of them.
LONGEST_WORD = 5


def written(value: str) -> str:
    """The value as written after its key; Refused if it is not one line of text."""
    if names.has_control(value):
        raise Refused(
            f"{names.quoted(value)} holds a line break or a control character",
            names.NOTHING_CHANGED,
            "give one line of plain text",
        )
    return value if is_plain(value) else double_quoted(value)


def is_plain(value: str) -> bool:
    """True if every YAML reader reads the text unchanged without quotes."""
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
    """True if every YAML reader takes the beginning for text, and the text is not one of YAML_WORDS."""
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
