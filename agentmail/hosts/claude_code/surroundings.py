"""What beside our entries decides whether our hooks run, and which bus they look into: switches and variables."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.hosts.hooks_file.host import MANAGED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.hosts.hooks_file.host import Files

BUS = "AGENT_MAIL_DIR"


def stops(files: Files) -> list[tuple[str, str]]:
    """Why our hooks do not run, each with its fix: a switch in a file, or a rule of who manages this machine."""
    found = []
    for level, file in files:
        path = names.printable(file.path)
        if file.disabled:
            fix = "ask whoever manages this machine" if level == MANAGED else "remove that setting"
            found.append((f"{path} says disableAllHooks, so no hook runs", fix))
        elif level == MANAGED and file.only_managed and not file.ours and not file.plugin:
            what = f"{path} says allowManagedHooksOnly, so the hooks of your own settings do not run"
            found.append((what, "ask whoever manages this machine to add our entries there"))
    return found


def other_bus(environment: Environment, files: Files) -> list[str]:
    """Why a session may look into another bus than this shell; empty where both are the same.

    A session has the variables of the shell that started the host, and those in "env" of the settings. Nothing tells
    us the former.
    """
    try:
        here, usual = environment.bus_path(), os.path.join(environment.home(), ".agents", "mail")
    except Refused:
        return []
    given = [(file.path, value) for _, file in files if (value := file.variables.get(BUS)) is not None]
    if given:
        path, value = given[-1]
        same = isinstance(value, str) and value.rstrip("/") == here.rstrip("/")
        return [] if same else [f'"env" of {names.printable(path)} sets {BUS} to another bus than this shell']
    if here.rstrip("/") == usual:
        return []
    what = f"{BUS} is set in this shell: a session that starts without it looks into {names.printable(usual)}"
    return [f'{what}; set it where Claude Code starts, or in "env" of its settings']
