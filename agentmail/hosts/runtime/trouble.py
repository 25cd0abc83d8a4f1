"""What a hook says where it cannot look: one line without any value of a variable and without a path.

Why: a value or a directory's name can be chosen by somebody else, and the line goes before the model. The error
itself goes to standard error and to this machine's log. A session's start says it each time, its prompts once.
"""

from __future__ import annotations

import os

from agentmail.core.errors import AgentMailError, Refused, UnknownIdentity
from agentmail.hosts import START
from agentmail.hosts.runtime.process import answer
from agentmail.hosts.runtime.whoami import Undecided

UNKNOWN = "whether mail waits is not known"


def report_unreachable(session: HookSession, error: AgentMailError | OSError | None) -> None:
    """The bus or the identity cannot be determined; without an error, what was there before is gone."""
    text = f"agentmail: {_gone(session) if error is None else _why(session, error)}."
    if session.event.kind == START or not session.is_said(text):
        answer(session.host.notice(session.event, text))
    session.log(text if error is None else str(error))


def report_mailbox(session: HookSession, identity: str, error: AgentMailError | OSError) -> None:
    """A mailbox cannot be read: said each time, and never shown as empty."""
    if session.dry_run and isinstance(error, FileNotFoundError):
        return  # there is only a row so far, so nothing waits
    text = f"agentmail: could not read the inbox of {identity} ({_cause(error)}); {UNKNOWN}."
    answer(session.host.notice(session.event, text))
    session.log(str(error))


def _gone(session: HookSession) -> str:
    if session.has_no_bus():
        return (
            f"the bus is not there any more; {UNKNOWN}; put it back, or set AGENT_MAIL_DIR to where it is "
            "(`agentmail unwire` if it was removed for good)"
        )
    return "the bus has mailboxes and no registry.md; the identity of this session is not known; put the file back"


def _why(session: HookSession, error: AgentMailError | OSError) -> str:
    given = session.environment.variables
    if isinstance(error, Undecided):
        return str(error)
    if isinstance(error, UnknownIdentity):
        new = error.details.get("renamed_to")
        if new:
            return f"the identity of this session was renamed to {new}; no mail is shown; set AGENT_MAIL_SELF to {new}"
        if given.get("AGENT_MAIL_SELF"):
            return "AGENT_MAIL_SELF names nobody who is registered; no mail is shown; set it to one of `agentmail roster`"
        return "the identity of this session is not registered; no mail is shown; see `agentmail roster`"
    if not session.bus.root and "AGENT_MAIL_DIR" in given:
        return (
            f"AGENT_MAIL_DIR is not an absolute path; {UNKNOWN}; "
            "set it to the full path of the bus, or unset it for ~/.agents/mail"
        )
    if not session.bus.root:
        return f"HOME is not an absolute path, and AGENT_MAIL_DIR is not set; {UNKNOWN}; set one of them"
    return f"could not read the bus ({_cause(error)}); {UNKNOWN}; `agentmail doctor` says more"


def _cause(error: AgentMailError | OSError) -> str:
    """Why, in words of the system or of ours."""
    if isinstance(error, OSError):
        return os.strerror(error.errno) if error.errno else "an error"
    return "it is not a directory" if isinstance(error, Refused) else "it belongs to another user"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.hosts.runtime.session import HookSession
