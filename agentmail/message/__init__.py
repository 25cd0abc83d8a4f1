"""The message format: a YAML header of single lines, then a body kept to the byte. The only code that reads it.

Two readers agree: `_canonical` reads the form that `write_message` writes, without a YAML library; other_headers.py
reads every other form. Header and body are split here, as bytes, because the splitter of python-frontmatter
strips and decodes bodies.

Why a canonical form: importing a YAML library takes four times as long as starting the interpreter, and
parsing a message with it ten times as long as splitting lines.
"""

from __future__ import annotations

from agentmail.core import names, times
from agentmail.core.errors import Refused

KEYS = ("id", "from", "to", "thread", "re", "subject", "priority", "date")
KNOWN = frozenset((*KEYS, "cc", "kind", "session", "machine", "sender_kind", "workspace"))
PRIORITIES = ("low", "normal", "high")
#: The kinds of a message; the first is the default.
KINDS = ("message", "handoff", "result", "blocked", "note", "knowledge_ref")
#: The sender's own statement of what wrote the message; not authenticated.
UNKNOWN_KIND = "unknown"
SENDER_KINDS = ("human", "program", "agent", UNKNOWN_KIND)
HEADER_MAX = 4096
#: The bytes of a file that hold a whole header and its closing line.
HEAD = HEADER_MAX + 16
HEADER_LINES = 64
SUBJECT_MAX = 500
BOM = b"\xef\xbb\xbf"

#: Words that a YAML reader does not take for text.
YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
#: The length of the longest of them.
LONGEST_WORD = 5

# The flags of a message; they are values in JSON.
NO_HEADER = "no-header"
UNREADABLE = "unreadable-header"
IRREGULAR = "irregular-header"
DUPLICATE_KEY = "duplicate-key"
ID_MISMATCH = "id-mismatch"
IMPOSSIBLE_TIME = "impossible-time"


class Message:
    """A message: header values by key, all text; the body's bytes; flags for what is irregular in it."""

    __slots__ = ("body", "flags", "values")

    def __init__(self, values: dict[str, str], body: bytes = b"", flags: tuple[str, ...] = ()) -> None:
        self.values = values
        self.body = body
        self.flags = flags

    def get(self, key: str) -> str:
        """A header value, or an empty string."""
        return self.values.get(key, "")

    @property
    def priority(self) -> str:
        """The priority; an unknown one counts as normal."""
        found = self.get("priority")
        return found if found in PRIORITIES else "normal"

    @property
    def kind(self) -> str:
        """The kind; an unknown one counts as a message."""
        found = self.get("kind")
        return found if found in KINDS else KINDS[0]

    @property
    def thread(self) -> str:
        """The thread, or an empty string if the header has no valid one."""
        found = self.get("thread")
        return found if names.is_id(found) else ""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Message)
            and (self.values, self.body, self.flags) == (other.values, other.body, other.flags)
            and list(self.values) == list(other.values)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Message({self.values!r}, {self.body!r}, {self.flags!r})"


def write_message(message: Message) -> bytes:
    """The message as a file. Refused for a value that is not one line of text, or a header over 4 KiB."""
    from agentmail.message.scalar import written  # a call that only reads does not load it

    lines = [f"{key}: {written(value)}" if value else f"{key}:" for key, value in message.values.items()]
    header = "\n".join(["---", *lines, "---", ""]).encode()
    if len(header) > HEADER_MAX:
        raise Refused(
            f"the header is {len(header)} bytes, over {HEADER_MAX}",
            names.NOTHING_CHANGED,
            "shorten the subject, the evidence or the list of recipients",
        )
    return header + message.body


def read_message(data: bytes) -> Message:
    """The message in these bytes; never raises: an unreadable header is flagged, and all bytes are the body."""
    found = _split(data)
    if found is None:
        flag = UNREADABLE if data.removeprefix(BOM).startswith(b"---") else NO_HEADER
        return Message({}, data, (flag,))
    header, start = found
    body = data[start:]
    try:
        text = header.decode()
    except UnicodeDecodeError:
        text = None
    values = None if text is None else _canonical(text)
    if values is not None:
        return Message(values, body)
    from agentmail.message.other_headers import read_by_lines, read_by_yaml

    return (
        read_by_lines(header.decode("utf-8", "replace"), body) if text is None else read_by_yaml(text, body)
    )


def sort_key(name: str, date: str) -> tuple[str, str, tuple[str, str, int, str]]:
    """The order of messages that have been opened: the minute of the name, then the header's date, then the name.

    A date counts only within the minute of the name: a header can hold any date.
    """
    minute = names.minute_of(name)
    within = date if is_time(date) and times.minute_of_timestamp(date) == minute else ""
    return minute, within, names.order(name)


def peek(data: bytes) -> Message:
    """The header of a message, from its first bytes: HEAD bytes are always enough."""
    message = read_message(data)
    message.body = b""
    return message


def odd_name(message: Message, id: str) -> list[str]:
    """The flags of a message under this id: a header with another id, a minute that does not exist.

    A header without an id contradicts nothing: people and other programs leave it out.
    """
    flags = [] if message.get("id") in ("", id) else [ID_MISMATCH]
    if names.is_stamped(id) and times.seconds_of(names.minute_of(id)) is None:
        flags.append(IMPOSSIBLE_TIME)
    return flags


def _split(data: bytes) -> tuple[bytes, int] | None:
    """The header's bytes, and where the body starts; None if no header closes within the limits."""
    if data.startswith(b"---\n"):
        # The form that we write is found without a loop over the lines.
        end = data.find(b"\n---", 3, HEADER_MAX)
        if end > 0 and data[end + 4 : end + 5] == b"\n" and data.count(b"\n", 4, end + 1) < HEADER_LINES:
            return data[4 : end + 1], end + 5
    start = len(BOM) if data.startswith(BOM) else 0
    end = data.find(b"\n", start, HEADER_MAX)
    if end < 0 or data[start:end].rstrip(b" \t\r") != b"---":
        return None
    first = end + 1
    line = first
    for _ in range(HEADER_LINES):
        end = data.find(b"\n", line, HEADER_MAX + len(BOM))
        stop = end if end >= 0 else min(len(data), HEADER_MAX + len(BOM))
        if data[line : line + 3] == b"---" and data[line:stop].rstrip(b" \t\r") == b"---":
            return data[first:line], stop + 1 if end >= 0 else stop
        if end < 0:
            return None
        line = end + 1
    return None


def _canonical(text: str) -> dict[str, str] | None:
    """The values of a header in the form that `write_message` writes, else None."""
    lines = text.replace(":\n", ": \n").split("\n")
    lines.pop()
    try:
        values = dict([line.split(": ") for line in lines])
    except ValueError:
        return _canonical_by_lines(text)  # a colon in a value, or none at all
    # The checks of the whole text below cover each value; only its beginning is checked one by one.
    for value in values.values():
        if value and not (value[0].isalpha() and len(value) > LONGEST_WORD) and not begins_plain(value):
            return _canonical_by_lines(text)
    plain = (
        len(values) == len(lines)
        and (KNOWN.issuperset(values) or all(map(is_key, values)))
        and text.isascii()
        and " #" not in text
        and " \n" not in text
        and "".join(lines).isprintable()
    )
    return values if plain else _canonical_by_lines(text)


def _canonical_by_lines(text: str) -> dict[str, str] | None:
    """The same, value by value: plain ones and quoted ones."""
    from agentmail.message.scalar import unquoted

    values: dict[str, str] = {}
    for line in text.split("\n")[:-1]:
        key, colon, value = line.partition(":")
        if not colon or key in values or not is_key(key):
            return None
        if not value:
            values[key] = ""
        elif value[0] != " ":
            return None
        else:
            found = unquoted(value[1:]) if value[1:2] == '"' else value[1:] if is_plain(value[1:]) else None
            if found is None:
                return None
            values[key] = found
    return values


def is_key(key: str) -> bool:
    """True for a header key: lower-case ASCII letters and underscores, at most 32."""
    return 0 < len(key) <= 32 and key.isascii() and key.replace("_", "a").isalpha() and key.islower()


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
