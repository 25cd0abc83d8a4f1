"""Register: a mailbox, then a row that tells people whose it is."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused, TryAgain
from agentmail.core.former import new_name
from agentmail.core.fs import reason
from agentmail.core.layout import REGISTRY
from agentmail.core.register import register as make_known
from agentmail.core.registry import AGENT, FOR_PEOPLE_AND_PROGRAMS, IDENTITY_KINDS, NO_WORKDIR, Row
from agentmail.core.roster import KnownIdentities
from agentmail.verbs.call import TypedDict

#: As long as a path may be.
CELL_MAX = 4096


class Registered(TypedDict):
    """`register`: `registered`, `changed` or `unchanged`."""

    outcome: str
    identity: str
    workdir: str
    responsibility: str
    kind: str
    path: str
    warnings: list[str]


def register(
    call: Call, identity: str, workdir: str, responsibility: Words, *, kind: str | None = None
) -> Registered:
    """Create an identity with its mailbox and row, or change the row; workdir - means none on this machine."""
    bus = call.bus
    identity = names.new_identity(identity)
    warnings: list[str] = []
    directory = _directory(call.environment, workdir, warnings)
    row = Row(identity, directory, _cell("responsibility", responsibility).strip())
    if not row.responsibility:
        raise Refused(
            f"{identity} has no responsibility", names.NOTHING_CHANGED, "say in a few words what it does"
        )
    try:
        known = KnownIdentities(bus) if os.path.isdir(bus.root) else None
        before = known.rows.get(identity) if known else None
        now = new_name(bus, identity) if known and not before else ""
        row.kind = checked_kind(identity, kind or (before.kind if before else ""))
        changed = make_known(bus, row)
    except OSError as error:
        raise TryAgain(
            f"cannot register {identity} at {names.printable(bus.root)}: {reason(error)}",
            "the registry was left as it was",
            "see `agentmail doctor`, then register again",
        ) from error
    if now:
        warnings.append(
            f"{identity} is what {now} was called; who writes to {identity} reaches the new one now"
        )
    outcome = "unchanged" if not changed else "changed" if before else "registered"
    warnings += _shared(bus, directory)
    return {
        "outcome": outcome,
        "identity": identity,
        "workdir": directory,
        "responsibility": row.responsibility,
        "kind": row.kind,
        "path": bus.path(REGISTRY),
        "warnings": warnings,
    }


def checked_kind(identity: str, kind: str) -> str:
    """The kind of an identity, if it is one; Refused for a reserved name without it."""
    if kind == AGENT:
        kind = ""
    if kind and kind not in IDENTITY_KINDS:
        raise Refused(
            f"{names.quoted(kind)} is not a kind of identity",
            names.NOTHING_CHANGED,
            f"use human, program or {AGENT}",
        )
    if identity in FOR_PEOPLE_AND_PROGRAMS and not kind:
        raise Refused(
            f"{identity} is reserved for people and programs",
            names.NOTHING_CHANGED,
            f"say which with `agentmail register {identity} <workdir> <responsibility> --kind human` (or program), "
            "or choose another name",
        )
    return kind


def _directory(environment: Environment, workdir: str, warnings: list[str]) -> str:
    """The workdir as an absolute path; `~` is expanded once, a relative one is taken from here."""
    if workdir == NO_WORKDIR:
        return workdir
    if not workdir.strip():
        raise Refused("the workdir is empty", names.NOTHING_CHANGED, "give a directory, or - for none here")
    if workdir == "~" or workdir.startswith("~/"):
        workdir = environment.home() + workdir[1:]
    if not os.path.isabs(workdir):
        workdir = os.path.join(environment.directory(), workdir)
    # POSIX tells two leading slashes from one; here they are the same directory.
    directory = "/" + os.path.normpath(_cell("workdir", workdir)).lstrip("/")
    if directory != directory.strip():
        raise Refused(
            f"the workdir {names.quoted(directory)} begins or ends with a space",
            names.NOTHING_CHANGED,
            "rename it",
        )
    if directory in ("/", environment.variables.get("HOME", "").rstrip("/")):
        warnings.append(
            f"{directory} is very broad; every session below it uses this identity unless a nearer one is registered"
        )
    elif not os.path.isdir(directory):
        warnings.append(f"{names.printable(directory)} is not a directory here")
    return directory


def _shared(bus: Bus, directory: str) -> list[str]:
    """The warning of a workdir that more than one identity has."""
    owners = KnownIdentities(bus).owners(directory).identities if directory != NO_WORKDIR else []
    if len(owners) < 2:
        return []
    claimants = " and ".join(owners)
    return [
        f"{claimants} have the same workdir, so a session there cannot tell its identity: set AGENT_MAIL_SELF"
    ]


def _cell(what: str, text: str) -> str:
    if names.has_control(text):
        raise Refused(
            f"the {what} {names.quoted(text)} holds a line break, a control character or invalid UTF-8",
            names.NOTHING_CHANGED,
            "give one line of plain text",
        )
    if len(text.encode()) > CELL_MAX:
        raise Refused(
            f"the {what} is {len(text.encode())} bytes, over {CELL_MAX}", names.NOTHING_CHANGED, "shorten it"
        )
    return text


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
    from agentmail.verbs.call import Call, Words
