"""The machine id: opaque and random, created once, stored for the user in ~/.agents/machine.json.

Why random: it only tells that two facts come from one installation, and reveals no host, user or address.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused

FILE = "machine.json"
LIMIT = 4096


def machine_id(environment: Environment, disk: Disk) -> str:
    """AGENT_MAIL_MACHINE, else the stored id, created at the first call. OSError if it cannot be stored."""
    given = environment.variables.get("AGENT_MAIL_MACHINE", "")
    if given:
        if not names.is_session(given):
            raise Refused(
                f"AGENT_MAIL_MACHINE is {names.quoted(given)}",
                names.NOTHING_CHANGED,
                "use letters, digits, . _ -",
            )
        return given
    folder = os.path.join(environment.home(), ".agents")
    try:
        handle = disk.directory(folder, follow=True)
    except FileNotFoundError:
        disk.make_directory(folder, None)
        handle = disk.directory(folder, follow=True)
    with handle as fd:
        return kept(disk, fd) or _made(disk, fd)


def _made(disk: Disk, folder: int) -> str:
    """Create an id; if two processes do so at once, both use the one that is published first."""
    from agentmail.core.publishing import publish_new  # needed once per machine; every prompt would load it

    fresh = f"m{os.urandom(8).hex()}"  # a letter first: plain text to every YAML reader
    publish_new(disk, _written(fresh), FILE, folder)
    return kept(disk, folder) or fresh


def _written(machine: str) -> bytes:
    return f'{{"machine": "{machine}"}}\n'.encode()


def kept(disk: Disk, folder: int) -> str:
    """The id stored in that directory; empty if there is none yet, OSError if the file holds none."""
    try:
        with disk.file(FILE, folder) as fd:
            data = disk.read(fd, LIMIT)
    except FileNotFoundError:
        return ""
    text = data.decode("utf-8", "replace")
    # The form that we write needs no JSON parser, which would take longer than the rest.
    machine: object = text[13:-3]
    if data != _written(text[13:-3]):
        from agentmail.core.lean_json import loads

        found = loads(text)
        machine = found.get("machine") if isinstance(found, dict) else None
    if not isinstance(machine, str) or not names.is_session(machine):
        raise OSError(f"~/.agents/{FILE} holds no machine id")
    return machine


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk
