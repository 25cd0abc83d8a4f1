"""Whether a session acts as an identity: only then is anything recorded for it in that mailbox.

A command may name any identity, so that a session can look into the mailbox of another. Such a look is no receipt
of the recipient: the sender would take it for one. The first of these that says something decides: `--as`;
AGENT_MAIL_SELF; the identity for which a hook began the session; the workdir.
"""

from __future__ import annotations

from agentmail.core.errors import AgentMailError, Refused
from agentmail.hosts import HOSTS


def recorder_of(call: Call, identity: str) -> Recorder | None:
    """Who records facts in this mailbox; None, with a note, where the session is not known to act as the identity."""
    if not call.session:
        return None
    if not acts_as(call, identity):
        call.bus.disk.notes.append(f"nothing is recorded: {_unknown(call, identity)}; {_remedy(identity)}")
        return None
    return call.recorder()


def listing_recorder(call: Call, identity: str) -> Recorder | None:
    """The same for a list of messages, which records only where `--session` asked for that.

    Why: a list is often filtered or counted by a program, and then nobody was shown its messages.
    """
    return recorder_of(call, identity) if call.session_given else None


def must_act_as(call: Call, identity: str) -> None:
    """Refused where the session is not known to act as the identity."""
    if not acts_as(call, identity):
        raise Refused(_unknown(call, identity), "nothing was recorded", _remedy(identity))


def acts_as(call: Call, identity: str) -> bool:
    """True where something says that this session acts as the identity."""
    if call.acts_as:
        return call.acts_as == identity
    try:
        if not call.environment.self_identity():
            bound = _bound(call)
            if bound:
                return bound == identity
        return call.me() == identity
    except AgentMailError:
        # Nothing here names an identity, or two are named; neither is a reason not to show the messages.
        return False


def _bound(call: Call) -> str | None:
    """The identity for which a hook began this session on this machine."""
    from agentmail.hosts.runtime.whoami import bound_identity

    machine = call.machine()
    home = call.environment.variables.get("HOME", "")
    found = [bound_identity(call.bus, host, machine, call.session, home) for host, _, _ in HOSTS if machine]
    return next(filter(None, found), None)


def _unknown(call: Call, identity: str) -> str:
    return f"session {call.session} is not known to act as {identity}"


def _remedy(identity: str) -> str:
    return f"run the command in the workdir of {identity}, or say with `--as {identity}` that it does"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call, Recorder
