"""What a session gets once, at its start: its variables, and a link to the command on PATH."""

from __future__ import annotations

import os

from agentmail.core import stamps
from agentmail.core.errors import AgentMailError
from agentmail.hosts.runtime.throttle import forget_old

NAME = "agentmail"


def set_up(session: HookSession, identity: str) -> None:
    """Tell the commands of the session who they act for, offer the link, and remove the state of old sessions."""
    _export(session, identity)
    offer_link(session.bus.disk, session.environment)
    try:
        forget_old(session.bus.disk, session.home, session.bus.root, session.bus.clock.now_ns())
    except (OSError, AgentMailError):
        return


def _export(session: HookSession, identity: str) -> None:
    path = session.host.env_file(session.environment.variables)
    if not os.path.isabs(path):
        return
    lines = [f"export AGENT_MAIL_SELF={identity}\n"]
    if session.session:
        lines.append(f"export AGENT_MAIL_SESSION={session.session}\n")
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError:
        return


def offer_link(disk: Disk, environment: Environment) -> None:
    """Make a link ~/.local/bin/agentmail to our command if that directory exists and the name is free."""
    command = own_command()
    try:
        if os.access(command, os.X_OK):
            with disk.directory(_folder(environment), follow=True) as folder:
                stamps.symlink(disk, command, NAME, folder)
    except (OSError, AgentMailError):
        return


def remove_link(disk: Disk, environment: Environment, roots: Iterable[str]) -> str:
    """Remove the link if it leads to the command of one of these installations; its path, or an empty string.

    A link that an installer made leads elsewhere, and stays.
    """
    folder = _folder(environment)
    try:
        target = os.readlink(os.path.join(folder, NAME))
    except OSError:
        return ""
    if target not in {command_of(root) for root in roots}:
        return ""
    with disk.directory(folder, follow=True) as fd:
        return os.path.join(folder, NAME) if disk.unlink(NAME, fd) else ""


def own_command() -> str:
    """The path of our command in a checkout or a plugin; in an installation by pip there is no such file."""
    return command_of(
        os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    )


def command_of(root: str) -> str:
    """The command of an installation that is a checkout or a plugin."""
    return os.path.join(root, "bin", NAME)


def _folder(environment: Environment) -> str:
    return os.path.join(environment.home(), ".local", "bin")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
    from agentmail.hosts.runtime.session import HookSession
