"""How many entries of a list to show."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import Refused


def limit_of(text: str | None) -> int | None:
    """How many to show at most; None for all. Refused where that is no number."""
    if text is None:
        return None
    if 0 < len(text) <= 9 and names.DIGITS_ONLY.issuperset(text) and int(text):
        return int(text)
    what = f"--limit: {names.quoted(text)} is not a number of messages"
    raise Refused(what, names.NOTHING_CHANGED, "give 1 or more in plain digits, such as 20")
