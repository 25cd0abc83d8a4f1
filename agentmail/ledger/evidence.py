"""Evidence refs: typed pointers to the evidence of a message. They are checked for form and shown, never opened."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.lean_json import flat, loads

BY_ID = ("trace", "run", "capability", "bundle", "commit")
BY_PATH = ("candidate", "wiki")
#: The longest id or path: a ref is a pointer, not content.
LONGEST = 200


def checked(text: str) -> dict[str, str]:
    """The ref that a JSON text holds; Refused if it is not exactly a type with its id or its relative path."""
    found = loads(text, strict=True)
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise _refused(text, "is not a JSON object of texts, each field once")
    kind = found.get("type")
    where = "id" if kind in BY_ID else "path" if kind in BY_PATH else ""
    if not where:
        raise _refused(text, f"has none of the types {', '.join(BY_ID + BY_PATH)}")
    if set(found) != {"type", where}:
        raise _refused(text, f"must have exactly type and {where}")
    value = found[where]
    if not 0 < len(value) <= LONGEST or value != value.strip() or names.printable(value) != value:
        raise _refused(text, f"has no usable {where}: 1 to {LONGEST} characters on one line")
    if where == "id" and any(character.isspace() for character in value):
        raise _refused(text, "has an id with a space in it: an id is a name, not a text")
    if not is_relative(value, drives=where == "path"):
        raise _refused(
            text, f"has {'a path' if where == 'path' else 'an id'} that is absolute or leads upwards"
        )
    return {"type": str(kind), where: value}


def is_relative(path: str, *, drives: bool = True) -> bool:
    """True for a relative path that does not lead upwards, on every system; `drives` refuses `C:` too."""
    parts = path.replace("\\", "/").split("/")
    above = ".." in parts or parts[0] == "" or parts[0].startswith("~")
    return not above and not (drives and ":" in parts[0])


def line_of(refs: list[dict[str, str]]) -> str:
    """The refs as one line of JSON."""
    return f"[{', '.join(flat(ref) for ref in refs)}]" if refs else ""


def parsed(line: str) -> list[dict[str, str]]:
    """The refs in the header of a message; invalid ones are left out: a message is untrusted data."""
    found = loads(line) if line else None
    refs = []
    for ref in found if isinstance(found, list) else ():
        try:
            refs.append(checked(flat(ref)))
        except (Refused, AttributeError):
            continue
    return refs


def _refused(text: str, why: str) -> Refused:
    return Refused(
        f"the evidence {names.quoted(text)} {why}",
        names.NOTHING_CHANGED,
        'give {"type": "commit", "id": "..."} or {"type": "wiki", "path": "relative/path"}',
    )
