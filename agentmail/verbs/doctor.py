"""Doctor: look for what is wrong with a bus, say how to mend it, and mend what is safe.

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
from agentmail.doctor.mailboxes import mailboxes
from agentmail.doctor.registry import registry

#: What is looked at in an open bus, in this order: the file system says whether modes mean anything, and the
#: registry which mailboxes there should be.
CHECKS = (
    ("file system", abilities),
    ("bus", directory),
    ("registry", registry),
    ("mailboxes", mailboxes),
)

#: More checks of what is around the bus, after those of the machine and of the hosts. All of these run even if the
#: bus cannot be opened.
EXTRA: list[tuple[str, Callable[[Examination], None]]] = []


def doctor(bus: Bus, *, fix: bool, environment: Environment | None = None) -> Diagnosis:
    """Examine everything; with `fix` mend what is safe, and say of each finding whether it is fixed."""
    exam = Examination(bus, fix=fix, environment=environment)
    exam.looked_at.append("bus")
    handle = opened(exam)
    if handle is not None:
        with handle as root:
            for word, look in CHECKS:
                exam.guard(word, partial(look, exam, root))
    for word, around in [("this machine", machine), *host_checks(), *EXTRA]:
        exam.looked_at.append(word)
        exam.guard(word, partial(around, exam))
    left = [one for one in exam.findings if one["level"] == PROBLEM and not one["fixed"]]
    return {"path": bus.root, "ok": not left, "looked_at": exam.looked_at, "findings": exam.findings}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.core.environment import Environment
    from agentmail.core.layout import Bus
    from agentmail.verbs.outcomes import Diagnosis
