"""The outcome of a delivery, recipient by recipient, as plain values; the delivery is done by then."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import AgentMailError, Refused, TryAgain, Unconfirmed
from agentmail.core.layout import INBOX
from agentmail.core.registry import NO_WORKDIR
from agentmail.core.roster import mailboxes
from agentmail.message import UNKNOWN_KIND
from agentmail.verbs.call import From, TypedDict

BODY_WARN = 2048
POINTER = "put the payload into a file and send: the conclusion, what you need, the file's absolute path"
REACHED = ("delivered", Unconfirmed.word)


class Recipient(TypedDict):
    """One recipient: `delivered`, `unconfirmed` (visible, not known durable) or the word of the error.

    `wake_supported` is null where nothing is known, or true where a session of the recipient said so at `wake_seen`.
    """

    identity: str
    outcome: str
    path: str
    remote: bool
    wake_supported: bool | None
    wake_seen: str
    error: NotRequired[str]
    exit: NotRequired[int]


class Delivered(From):
    """`send`, `reply` and `delegate`: `delivered`; `already-delivered` where `--once` found an equal message.

    With several recipients also `partly-delivered` and `not-delivered`. `path` is the first recipient's file.
    """

    outcome: str
    id: str
    to: str
    cc: str
    thread: str
    re: str
    kind: str
    path: str
    size: int
    remote: bool
    recipients: list[Recipient]
    warnings: list[str]


def outcome_of(post: Post, done: Delivery, size: int, already: bool, detailed: bool) -> Delivered:
    """The outcome. With one recipient a failure is raised; so is a copy that was not kept where all else went well."""
    draft = post.draft
    failures = {**post.closed, **done.failures}
    if len(draft.recipients) == 1 and failures:
        raise next(iter(failures.values()))
    to = [_recipient(post, one, done.id, failures.get(one), detailed) for one in draft.recipients]
    reached = [one for one in to if one["outcome"] in REACHED]
    warnings = _warnings(post, size, reached)
    if done.uncopied and reached:
        lost = _uncopied(done, to)
        if not failures:
            raise lost
        warnings.append(lost.what)
    return {
        "outcome": "already-delivered" if already and not failures else _word(len(reached), len(to)),
        "id": done.id,
        "from": draft.sender,
        "to": draft.to_line,
        "cc": ", ".join(draft.cc),
        "thread": draft.thread or done.id,
        "re": draft.re,
        "kind": draft.kind or "message",
        "path": (reached or to)[0]["path"],
        "size": size,
        "remote": any(one["remote"] for one in to),
        "recipients": to,
        "warnings": warnings,
    }


def _word(reached: int, wanted: int) -> str:
    return "delivered" if reached == wanted else "partly-delivered" if reached else "not-delivered"


def _uncopied(done: Delivery, to: list[Recipient]) -> Unconfirmed:
    details: dict[str, object] = {"id": done.id}
    if len(to) > 1:
        details["recipients"] = to
    return Unconfirmed(
        f"{done.id} is delivered, but your own copy could not be kept: {done.uncopied}",
        "the recipients have it",
        "do not send it again",
        **details,
    )


def _recipient(
    post: Post, identity: str, id: str, failure: AgentMailError | None, detailed: bool
) -> Recipient:
    row = post.known.rows.get(identity)
    woken = last_wake(post.bus, identity) if detailed else ""
    found: Recipient = {
        "identity": identity,
        "outcome": failure.word if failure else "delivered",
        "path": post.bus.path(identity, INBOX, f"{id}.md"),
        "remote": row is not None and row.workdir == NO_WORKDIR,
        "wake_supported": True if woken else None,
        "wake_seen": woken,
    }
    if isinstance(failure, TryAgain):
        # Its own advice is for one recipient; the others have the message, and must not get it twice.
        now = f"{identity} did not get it"
        found["error"] = f"{failure.what}; {now}; fix that, then send it to {identity} alone"
        found["exit"] = failure.exit_code
    elif failure:
        found["error"] = str(failure)
        found["exit"] = failure.exit_code
    return found


def last_wake(bus: Bus, identity: str) -> str:
    """When a session of an identity last said that it can be woken; empty where none did, or none can be asked."""
    from agentmail.ledger.sessions import all_receipts

    said = [""]
    try:
        with bus.mailbox(identity) as box:
            for _, _, receipts in all_receipts(box, unreadable=[]):
                said += [str(fact.get("time", "")) for fact in receipts.sessions if fact.get("wake") is True]
    except (OSError, AgentMailError):
        # The message is delivered; that nothing is known of its recipients is not worth an error.
        return ""
    return max(said)


def _warnings(post: Post, size: int, reached: list[Recipient]) -> list[str]:
    warnings = list(post.warnings)
    if not post.own:
        warnings.append(_unregistered(post))
    if size > BODY_WARN:
        warnings.append(f"the body is {size} bytes, over {BODY_WARN}; next time {POINTER}")
    for one in reached:
        if one["remote"]:
            place = post.bus.path(one["identity"], INBOX)
            warnings.append(
                f"{one['identity']} has no workdir here: the message lies in {place} until someone carries it"
            )
        elif _has_moved(post, one["identity"]):
            workdir = names.printable(post.known.rows[one["identity"]].workdir)
            warnings.append(
                f"the workdir of {one['identity']}, {workdir}, is not there, so no session may see the message; "
                "if it was moved, register it again"
            )
    return warnings


def _unregistered(post: Post) -> str:
    sender = post.draft.sender
    from agentmail.core.former import no_longer

    gone = no_longer(post.bus, sender)
    if gone is not None:
        return f"{gone.what}; sent as {sender} all the same, and no copy is kept; {gone.next_step}"
    near = names.near(sender, {*post.known.rows, *mailboxes(post.bus)})
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{sender} is not registered; sent all the same, and no copy is kept{hint}"


def _has_moved(post: Post, identity: str) -> bool:
    """True if the workdir is not there, on a bus that is used by this machine alone: with git it may be elsewhere."""
    row = post.known.rows.get(identity)
    if row is None or not row.workdir.startswith("/") or "\0" in row.workdir:
        return False
    disk = post.bus.disk
    try:
        disk.call("stat", os.stat, row.workdir.encode())
    except (FileNotFoundError, NotADirectoryError):
        return not os.path.exists(post.bus.path(".git"))
    except OSError:
        pass  # it cannot be looked at, which does not say that it is gone
    return False


def doubts_of_sender(call: Call, sender: str, known: KnownIdentities) -> list[str]:
    """A warning where the surroundings name another identity than the sender; the caller silences it by `--as`."""
    if call.acts_as:
        if call.acts_as != sender:
            raise Refused(
                f"--as says {call.acts_as}, and the sender is {sender}",
                names.NOTHING_CHANGED,
                "name the same identity twice, or leave out --as",
            )
        return []
    try:
        named = call.environment.self_identity()
        identities = [named] if named else _owners_here(call.workdir, sender, known)
    except (AgentMailError, OSError):
        return []  # what cannot be asked says nothing against the sender
    if not identities or sender in identities:
        return []
    where = "AGENT_MAIL_SELF" if named else "this workdir"
    return [
        f"{where} says {' or '.join(identities)}, and this is sent as {sender}; if that is meant, add --as {sender}"
    ]


def take_kind(draft: Draft, known: KnownIdentities) -> list[str]:
    """Give a draft that claims no kind of sender the kind of the registry; a warning where it claims another."""
    row = known.rows.get(draft.sender)
    kind = row.kind if row else ""
    draft.sender_kind = draft.sender_kind or kind
    if draft.sender_kind in (kind or "agent", "", UNKNOWN_KIND):
        return []
    said = f"says {kind}" if kind else "does not say so"
    return [
        f"this claims that {draft.sender} is {draft.sender_kind}; the registry {said}, so readers see a mark"
    ]


def _owners_here(here: str, sender: str, known: KnownIdentities) -> list[str]:
    """The owners of the current directory. Where the text of the workdirs already names the sender, nothing is looked up."""
    around = [row for row in known.rows.values() if f"{here}/".startswith(f"{row.workdir.rstrip('/')}/")]
    longest = max((len(row.workdir) for row in around), default=0)
    if sender in [row.identity for row in around if len(row.workdir) == longest]:
        return [sender]
    return known.owners(here).identities if here else []


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NotRequired

    from agentmail.core.delivery import Delivery
    from agentmail.core.layout import Bus
    from agentmail.core.roster import KnownIdentities
    from agentmail.verbs.call import Call
    from agentmail.verbs.draft import Draft
    from agentmail.verbs.send import Post
