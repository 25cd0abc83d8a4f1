"""The outcome of a delivery, recipient by recipient, as plain values; the delivery is done by then."""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.errors import AgentMailError, Refused, TryAgain, Unconfirmed
from agentmail.core.layout import INBOX
from agentmail.core.registry import NO_WORKDIR
from agentmail.message import UNKNOWN_KIND
from agentmail.verbs.call import From, TypedDict

BODY_WARN = 2048
POINTER = "put the payload into a file and send: the conclusion, what you need, the file's absolute path"
ALREADY = "already-delivered"
REACHED = ("delivered", ALREADY, Unconfirmed.word)


class Recipient(TypedDict):
    """One recipient: `delivered`, `already-delivered`, `unconfirmed` (visible, not known durable) or the error's word.

    `path` is where the message is; of one that was there already, its archive file if it was archived.

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
    """`send`, `reply` and `delegate`: `delivered`; `already-delivered` where nothing was sent again.

    With several recipients also `partly-delivered` and `not-delivered`. `path` is the first recipient's file.
    `workspaces` are the paths of the recipients that were addressed with one.
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
    workspaces: dict[str, str]


def outcome_of(post: Post, done: Delivery, size: int, already: bool, detailed: bool) -> Delivered:
    """The outcome. With one recipient a failure is raised; so is a copy that was not kept where all else went well."""
    draft = post.draft
    failures = {**post.closed, **done.failures}
    if len(draft.recipients) == 1 and failures:
        raise next(iter(failures.values()))
    to = [_recipient(post, one, done, failures.get(one), detailed) for one in draft.recipients]
    reached = [one for one in to if one["outcome"] in REACHED]
    warnings = _warnings(post, size, reached)
    if done.uncopied and reached:
        lost = _uncopied(done, to)
        if not failures:
            raise lost
        warnings.append(lost.what)
    return {
        "outcome": ALREADY if already and not failures else word_of(len(reached), len(to)),
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
        "workspaces": draft.paths,
    }


def word_of(reached: int, wanted: int) -> str:
    """The outcome of a delivery to several."""
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
    post: Post, identity: str, done: Delivery, failure: AgentMailError | None, detailed: bool
) -> Recipient:
    word = failure.word if failure else ALREADY if identity in post.already else "delivered"
    path = post.already.get(identity) or post.bus.path(identity, INBOX, f"{done.id}.md")
    # A try again needs the sender's copy.
    retry = f"`agentmail send {post.draft.sender} --retry {done.id}`"
    kept = post.own is not None and not done.uncopied and done.visible(post.boxes)
    advice = f"fix that, then {retry if kept else f'send it to {identity} alone'}"
    return recipient_of(post.bus, post.known, identity, path, failure, word, advice, detailed)


def recipient_of(
    bus: Bus,
    known: KnownIdentities,
    identity: str,
    path: str,
    failure: AgentMailError | None,
    word: str,
    advice: str,
    detailed: bool,
) -> Recipient:
    """The outcome of one recipient; `advice` is for one that did not get the message."""
    row = known.rows.get(identity)
    woken = ""
    if detailed:
        from agentmail.ledger.wakes import last_wake

        woken = last_wake(bus, identity)
    found: Recipient = {
        "identity": identity,
        "outcome": word,
        "path": path,
        "remote": row is not None and row.workdir == NO_WORKDIR,
        "wake_supported": True if woken else None,
        "wake_seen": woken,
    }
    if isinstance(failure, TryAgain):
        # Its own advice is for one recipient; the others have the message, and must not get it twice.
        found["error"] = f"{failure.what}; {identity} did not get it; {advice}"
        found["exit"] = failure.exit_code
    elif failure:
        found["error"] = str(failure)
        found["exit"] = failure.exit_code
    return found


def _warnings(post: Post, size: int, reached: list[Recipient]) -> list[str]:
    warnings = list(post.warnings)
    if not post.own:
        from agentmail.core.former import unregistered_sender

        warnings.append(unregistered_sender(post.bus, post.draft.sender, post.known))
    if size > BODY_WARN:
        warnings.append(f"the body is {size} bytes, over {BODY_WARN}; next time {POINTER}")
    for one in reached:
        if one["remote"]:
            place = post.bus.path(one["identity"], INBOX)
            warnings.append(
                f"{one['identity']} has no workdir here: the message stays in {place} until somebody fetches it"
            )
        elif _has_moved(post, one["identity"]):
            workdir = names.printable(post.known.rows[one["identity"]].workdir)
            warnings.append(
                f"the workdir of {one['identity']}, {workdir}, is not there, so no session may see the message; "
                "if it was moved, register it again"
            )
    return warnings


def _has_moved(post: Post, identity: str) -> bool:
    """True if the workdir is not there."""
    row = post.known.rows.get(identity)
    path = row.workdir if row is not None else ""
    return path.startswith("/") and "\0" not in path and is_gone(post.bus, path)


def is_gone(bus: Bus, path: str) -> bool:
    """True if nothing is at the path, on a bus that is used by this machine alone: with git it may be elsewhere."""
    try:
        bus.disk.call("stat", system.stat, path.encode())
    except (FileNotFoundError, NotADirectoryError):
        return not system.exists(bus.path(".git"))
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
