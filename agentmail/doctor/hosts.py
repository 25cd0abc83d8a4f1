"""Our hooks in the settings of each host, as the host's installer examines them."""

from __future__ import annotations

from functools import partial

from agentmail.hosts.base import PROBLEM, host_names, load_install


def hosts(exam: Examination) -> None:
    """Ask each host's installer about the settings that a session in the current directory reads."""
    environment = exam.environment
    if environment is None or not exam.home:
        return
    for name in host_names():
        install = load_install(name)
        exam.looked_at.append(install.title)
        exam.guard(install.title, partial(_host, exam, environment, install))


def _host(exam: Examination, environment: Environment, install: Install) -> None:
    for remark in install.look(exam.disk, environment):
        if remark.level == PROBLEM:
            exam.problem(install.title, remark.what, remark.fix)
        elif remark.fix:
            exam.note(install.title, remark.what, remark.fix)
        else:
            exam.note(install.title, remark.what)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.doctor.findings import Examination
    from agentmail.hosts.base import Install
