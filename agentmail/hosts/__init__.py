"""The hosts in which agents run, one line each, and the event that a hook of any of them is run for.

Why these are here and not in base.py: every command and every hook uses them, and neither needs the rest of base.py.
"""

from __future__ import annotations

#: Each host: its name in session facts, its package, and the variable in which its programs find the session id.
HOSTS = (
    ("claude-code", "agentmail.hosts.claude_code", "CLAUDE_CODE_SESSION_ID"),
    ("codex", "agentmail.hosts.codex", "CODEX_THREAD_ID"),
    ("opencode", "agentmail.hosts.opencode", "OPENCODE_SESSION_ID"),
    ("gemini", "agentmail.hosts.gemini", "GEMINI_SESSION_ID"),
    ("pi", "agentmail.hosts.pi", "PI_SESSION_ID"),
)
#: The kinds of events that hooks act on.
START, PROMPT, WRITE, MOVED, ARRIVED = "start", "prompt", "write", "moved", "arrived"


class Event:
    """One event of a host, in terms that all hosts share. What the host did not say is empty.

    kind       one of the kinds above, or "" for an event that no hook acts on
    session    the session that the payload names
    directory  the current directory of the session, as the payload names it
    files      the paths that a file tool is about to write
    subagent   True for an event inside a subagent
    version    the version of the host
    """

    __slots__ = ("directory", "files", "kind", "session", "subagent", "version")

    def __init__(
        self,
        kind: str,
        *,
        session: str = "",
        directory: str = "",
        files: tuple[str, ...] = (),
        subagent: bool = False,
        version: str = "",
    ) -> None:
        self.kind = kind
        self.session = session
        self.directory = directory
        self.files = files
        self.subagent = subagent
        self.version = version


def host_session(variables: Mapping[str, str]) -> tuple[str, str]:
    """The host that this process runs under and its session id, unchecked; two empty strings for none.

    It imports no host's package: every command calls it.
    """
    for name, _, variable in HOSTS:
        session = variables.get(variable)
        if session:
            return name, session
    return "", ""


def session_variables() -> tuple[str, ...]:
    """The variables in which hosts tell their programs the session id."""
    return tuple(variable for _, _, variable in HOSTS)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
