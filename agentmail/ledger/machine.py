"""Which machine this is: an opaque random id, made once, kept for the user in ~/.agents/machine.json.

Not derived from a host name, a user or an address: it says only that two facts come from one installation.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused

FILE = "machine.json"
LIMIT = 4096


def machine_id(environment: Environment, disk: Disk) -> str:
    """AGENT_MAIL_MACHINE, else the id kept for the user, made at the first call. OSError where it cannot be kept."""
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
    """Two processes may both make one; the first to publish wins, and both use that."""
    from agentmail.core.staging import place  # needed once per machine, and loaded by every prompt otherwise

    fresh = f"m{os.urandom(8).hex()}"  # a letter first: plain text to every YAML reader
    place(disk, _written(fresh), FILE, folder)
    return kept(disk, folder) or fresh


def _written(machine: str) -> bytes:
    return f'{{"machine": "{machine}"}}\n'.encode()


def kept(disk: Disk, folder: int) -> str:
    """The id in that directory; empty where there is none yet, and OSError where the file holds none."""
    try:
        with disk.file(FILE, folder) as fd:
            data = disk.read(fd, LIMIT)
    except FileNotFoundError:
        return ""
    text = data.decode("utf-8", "replace")
    # As we write it, it is read without a reader of JSON, which costs more than the rest of this.
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
