"""Our hooks in the settings of each host, as the host's installer examines them."""

from __future__ import annotations

from functools import partial

from agentmail.hosts.base import PROBLEM, host_names, load_install


def host_checks() -> list[tuple[str, Callable[[Examination], None]]]:
    """One check for each host: the name that people know, and the check."""
    installs = [load_install(name) for name in host_names()]
    return [(install.title, partial(_look, install)) for install in installs]


def _look(install: Install, exam: Examination) -> None:
    """Examine the settings that a session in the current directory reads."""
    if exam.environment is None or not exam.home:
        return
    for remark in install.look(exam.disk, exam.environment):
        if remark.level == PROBLEM:
            exam.problem(install.title, remark.what, remark.fix)
        elif remark.fix:
            exam.note(install.title, remark.what, remark.fix)
        else:
            exam.note(install.title, remark.what)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.doctor.findings import Examination
    from agentmail.hosts.base import Install
