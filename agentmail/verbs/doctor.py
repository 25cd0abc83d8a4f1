"""Doctor: look for what is wrong with a bus, say how to fix it, and fix what is safe.

Each finding is a `problem` (something does not work, or will not) or a `note` (worth knowing). Looking
changes nothing but for hidden probe files, which are removed again.
"""

from __future__ import annotations

from functools import partial

from agentmail.doctor.bus import directory, opened
from agentmail.doctor.filesystem import abilities
from agentmail.doctor.findings import PROBLEM, Examination
from agentmail.doctor.hosts import host_checks
from agentmail.doctor.machine import machine
from agentmail.doctor.mailboxes import each_mailbox
from agentmail.doctor.registry import registry
from agentmail.verbs.call import TypedDict
from agentmail.verbs.indexes import indexes

#: What is looked at in an open bus, in this order: the file system says whether modes mean anything, and the
#: registry which mailboxes there should be.
CHECKS = (
    ("file system", abilities),
    ("bus", directory),
    ("registry", registry),
    ("mailboxes", each_mailbox),
)

#: More checks of what is around the bus, after those of the machine and of the hosts. All of these run even if the
#: bus cannot be opened.
EXTRA: list[tuple[str, Callable[[Examination], None]]] = []


class Diagnosis(TypedDict):
    """`doctor`: what was looked at, and what was found; no problem left means `ok`."""

    path: str
    ok: bool
    looked_at: list[str]
    findings: list[Finding]


def doctor(call: Call, *, fix: bool = False) -> Diagnosis:
    """List problems, each with its fix.

    With `fix` what is safe to fix is fixed, and each finding says whether it is.
    """
    bus = call.bus
    exam = Examination(bus, fix=fix, environment=call.environment, progress=call.progress)
    exam.looked_at.append("bus")
    handle = opened(exam)
    if handle is not None:
        with handle as root:
            for word, look in CHECKS:
                exam.guard(word, partial(look, exam, root))
    for word, around in [("this machine", _of_machine), *host_checks(), *EXTRA]:
        exam.looked_at.append(word)
        exam.guard(word, partial(around, exam))
    left = [one for one in exam.findings if one["level"] == PROBLEM and not one["fixed"]]
    return {"path": bus.root, "ok": not left, "looked_at": exam.looked_at, "findings": exam.findings}


def _of_machine(exam: Examination) -> None:
    machine(exam)
    indexes(exam)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.doctor.finding import Finding
    from agentmail.verbs.call import Call
