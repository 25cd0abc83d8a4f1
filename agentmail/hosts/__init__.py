"""Agent platforms ("hosts"), and the event that a hook of any of them is run for.

Why the event is here and not in base.py: every hook builds one, and no hook needs the rest of base.py.
"""

from __future__ import annotations

#: The kinds of events that hooks act on.
START, PROMPT, WRITE, MOVED, ARRIVED = "start", "prompt", "write", "moved", "arrived"


class Event:
    """One event of a host, in terms that all hosts share. What the host did not say is empty.

    kind       one of the kinds above, or "" for an event that no hook acts on
    session    the session that the payload names
    directory  the current directory of the session, as the payload names it
    files      the paths that a file tool is about to write
    subagent   True for an event inside a subagent
    """

    __slots__ = ("directory", "files", "kind", "session", "subagent")

    def __init__(
        self,
        kind: str,
        *,
        session: str = "",
        directory: str = "",
        files: tuple[str, ...] = (),
        subagent: bool = False,
    ) -> None:
        self.kind = kind
        self.session = session
        self.directory = directory
        self.files = files
        self.subagent = subagent
