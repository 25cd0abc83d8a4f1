"""Which thread an address means: the latest one in that workspace, a new one, or the one that it names.

Only threads of the sender are looked at: an identity sees only messages that it sent or received.
"""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.addresses import NEW, NOT_IN_SESSIONS, Address, wrong_path
from agentmail.core.errors import Refused, UnknownThread
from agentmail.core.registry import NO_WORKDIR
from agentmail.core.roster import is_known, open_mailbox
from agentmail.verbs.delivered import is_gone

#: How many addresses a refusal proposes beside a new thread, and among how many of the latest threads it looks for them.
NEAR, LATEST = 3, 1000


def take_thread(call: Call, draft: Draft, known: KnownIdentities) -> list[str]:
    """Give the draft the thread that its addresses mean, and return warnings. Refused or UnknownThread before any file changes."""
    address = _deciding(draft)
    if not address.session and (draft.thread or draft.re):
        return _missing_paths(call.bus, call.workdir, draft, known)
    unreadable: list[str] = []
    threads = _threads(call, draft.sender, address.name, known, unreadable)
    but = f"{len(unreadable)} messages of {draft.sender} could not be read" if unreadable else ""
    if address.session == NEW:
        _begin(draft, address, threads)
    elif address.session:
        draft.thread = _named(call, draft, address, threads, but)
    else:
        here = [one.name for one in threads if address.path in one.paths]
        draft.thread = here[0] if here else ""
        draft.is_latest = True
    doubt = [f"{but}, so another thread of {address} may be the latest"] if but else []
    return [*(doubt if not address.session else []), *_missing_paths(call.bus, call.workdir, draft, known)]


def _deciding(draft: Draft) -> Address:
    """The address that decides the thread: the first that names a session, else the first."""
    named = [one for one in draft.addresses.values() if one.session]
    if len({one.session for one in named}) > 1:
        second = next(one for one in named if one.session != named[0].session)
        instead = Address(second.name, second.path)
        raise Refused(
            f"{named[0].quoted} and {second.quoted} name two sessions, and a message has one thread",
            names.NOTHING_CHANGED,
            f"name the session once, as in {named[0].quoted} and {instead.quoted}",
            address=str(second),
            near=[str(instead)],
        )
    return named[0] if named else next(iter(draft.addresses.values()))


def _threads(
    call: Call, sender: str, recipient: str, known: KnownIdentities, unreadable: list[str]
) -> list[PlacedThread]:
    """The sender's threads, the latest first; a sender without a mailbox has none."""
    if not is_known(call.bus, sender, known):
        return []
    from agentmail.views.workspaces import placed_threads

    with open_mailbox(call.bus, sender, known) as box, call.reading(box) as reader:
        return placed_threads(box, recipient, reader, unreadable=unreadable, progress=call.progress)


def _begin(draft: Draft, address: Address, threads: list[PlacedThread]) -> None:
    """A new thread: `--thread` names it, and may not be the name of one that exists."""
    draft.is_new = True
    found = next((one for one in threads if one.name == draft.thread), None)
    if found is not None:
        there = _spelled(address, found) or Address(address.name, address.path)
        raise Refused(
            f"{address.quoted} begins a thread, and you have one of the name {found.name}",
            names.NOTHING_CHANGED,
            f"to go on with it, use {there.quoted}",
            address=str(address),
            near=[str(there)],
        )


def _named(call: Call, draft: Draft, address: Address, threads: list[PlacedThread], but: str) -> str:
    """The thread that an address names, with that recipient and not in another workspace only; else UnknownThread."""
    found = next((one for one in threads if one.name == address.session), None)
    if draft.thread and draft.thread != address.session:
        raise Refused(
            f"{address.quoted} is another thread than {draft.thread}, and a message has one",
            names.NOTHING_CHANGED,
            f"leave out the session: use {Address(address.name, address.path).quoted}",
            address=str(address),
            near=[str(Address(address.name, address.path))],
        )
    if found is None:
        what = f"you have no thread {names.quoted(address.session)}"
    elif not found.has_part:
        what = f"{address.name} has no part in your thread {found.name}"
    elif found.paths and address.path not in found.paths:
        what = f"your thread {found.name} with {address.name} is in another workspace"
    else:
        return found.name
    near = _near(call.bus, address, threads)
    raise UnknownThread(
        f"{what}{f' ({but})' if but else ''}",
        "nothing was delivered",
        _advice(address, near, found, threads),
        address=str(address),
        near=list(map(str, near)),
    )


def _advice(
    address: Address, near: list[Address], found: PlacedThread | None, threads: list[PlacedThread]
) -> str:
    """The addresses that may be meant, else those that there are; then the one of a new thread."""
    dotted, plain = _dotted(address), Address(address.name, address.path)
    in_path = (_spelled(address, one) for one in threads if address.path in one.paths)
    here = [one for one in in_path if one is not None]
    ways = []
    if near:
        ways.append(f"did you mean {' or '.join(one.quoted for one in near)}?")
    elif here:
        ways.append(f"the latest there: {' or '.join(one.quoted for one in here[:NEAR])}")
    elif dotted:
        ways += [f"if the dot belongs to the path: {dotted.quoted}", f"without a path: {address.name}"]
    if found is not None and not found.has_part:
        ways.append(f"to bring {address.name} into it: {plain.quoted} with --thread {found.name}")
    path = dotted.path if dotted in near else address.path
    return "; ".join([*ways, f"for a new thread: {Address(address.name, path, NEW).quoted}"])


def _near(bus: Bus, address: Address, threads: list[PlacedThread]) -> list[Address]:
    """Addresses that exist and may be meant: the path with its dot, the same thread elsewhere, similar names and subjects."""
    dotted = _dotted(address)
    is_there = dotted and (_is_here(bus, dotted.path) or any(dotted.path in one.paths for one in threads))
    found = [dotted] if dotted and is_there else []
    labels: dict[str, Address] = {}
    for one in threads[:LATEST]:
        there = _spelled(address, one)
        if there is not None:
            labels.setdefault(one.name, there)
            labels.setdefault(one.subject or one.name, there)
    same = [labels[address.session]] if address.session in labels else []
    near = [labels[label] for label in names.near(address.session, labels)]
    for other in [*same, *near]:
        if other not in found:
            found.append(other)
    return found[:NEAR]


def _dotted(address: Address) -> Address | None:
    """The address whose path holds the last dot too; None where no path can be so."""
    path = f"{address.path}.{address.session}"
    return None if wrong_path(path) else Address(address.name, path)


def _is_here(bus: Bus, path: str) -> bool:
    """True for a directory of this machine."""
    try:
        return path[0] == "/" and system.S_ISDIR(bus.disk.call("stat", system.stat, path.encode()).st_mode)
    except OSError:
        return False


def _spelled(address: Address, thread: PlacedThread) -> Address | None:
    """The address of a thread with that recipient, in the same workspace if it can be; None where there is none."""
    if not thread.has_part or thread.name == NEW or NOT_IN_SESSIONS.intersection(thread.name):
        return None
    path = address.path if address.path in thread.paths or not thread.paths else thread.paths[0]
    return Address(address.name, path, thread.name)


def _missing_paths(bus: Bus, workdir: str, draft: Draft, known: KnownIdentities) -> list[str]:
    """A warning for each path that is not on this machine, unless its recipient may be on another one; or is a relative one."""
    found = []
    for address in draft.addresses.values():
        row = known.rows.get(address.name)
        is_elsewhere = row is not None and row.workdir == NO_WORKDIR
        path = names.printable(address.path)
        if address.path[0] != "/":
            if _is_here(bus, f"{workdir}/{address.path}"):
                found.append(
                    f"{path} is the name of a workspace, not the directory {names.printable(workdir)}/{path}"
                )
        elif not is_elsewhere and is_gone(bus, address.path):
            found.append(f"there is no {path} here for {address.name} to work in")
    return found


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.layout import Bus
    from agentmail.core.roster import KnownIdentities
    from agentmail.verbs.call import Call
    from agentmail.verbs.draft import Draft
    from agentmail.views.workspaces import PlacedThread
