"""One header value as it is written: plain if every YAML reader agrees, else double-quoted; and such quotes read back.

Why no YAML library: importing one takes four times as long as starting the interpreter, and we write only
these two forms. A test compares them with a real YAML reader.
"""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.message import is_plain


def written(value: str) -> str:
    """The value as written after its key; Refused if it is not one line of text."""
    if names.has_control(value):
        raise Refused(
            f"{names.quoted(value)} holds a line break or a control character",
            names.NOTHING_CHANGED,
            "give one line of plain text",
        )
    return value if is_plain(value) else double_quoted(value)


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
