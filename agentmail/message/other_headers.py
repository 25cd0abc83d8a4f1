"""Read a header that is not in the canonical form: by YAML, or line by line if YAML cannot parse it."""

from __future__ import annotations

from agentmail.message import DUPLICATE_KEY, IRREGULAR, UNREADABLE, Message, is_key


def read_by_yaml(text: str, body: bytes) -> Message:
    """Read the header as YAML that resolves nothing. The first of duplicate keys counts."""
    if len(text.splitlines()) != text.count("\n"):
        # YAML takes a character for a line end that a shell takes for part of a value: no key may be added that way.
        return read_by_lines(text, body)
    try:
        from agentmail.message.yaml_header import load_header
    except ModuleNotFoundError:
        return read_by_lines(text, body)  # the plugin, on a Python without packages

    found = load_header(text)
    if found is None:
        return read_by_lines(text, body)
    values, duplicate = found
    if "subject" in values:
        values["subject"] = _whole_subject(text, values["subject"])
    return Message(values, body, (DUPLICATE_KEY,) if duplicate else ())


def _whole_subject(text: str, subject: str) -> str:
    """The subject including text that YAML takes for a comment or the start of a block.

    A shell script that writes `fix #12`, `#12` or `>` means all of it.
    """
    for line in text.splitlines():
        if line.startswith("subject:"):
            raw = line[len("subject:") :].strip()
            cut = raw.startswith(f"{subject} ") or (not subject and raw[:1] in ("#", "|", ">"))
            return raw if cut else subject
    return subject


def read_by_lines(text: str, body: bytes) -> Message:
    """Read `key: the rest of the line`, as a shell script means it."""
    values: dict[str, str] = {}
    flags = [IRREGULAR]
    for line in text.split("\n"):
        key, colon, value = line.partition(":")
        if not colon or not is_key(key):
            continue
        if key in values:
            flags.append(DUPLICATE_KEY)
        else:
            values[key] = value.strip()
    if not values:
        flags = [UNREADABLE]
    return Message(values, body, tuple(dict.fromkeys(flags)))
