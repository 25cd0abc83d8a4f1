"""What belongs to this machine and not to a bus: its id, and a directory of its own for each bus.

The id is opaque and random, created once, stored in ~/.agents/machine.json. Why random: it only tells that two
facts come from one installation, and reveals no host, user or address.

The directory of the bus /home/me/mail is ~/.agents/machine/_home/_me/_mail. Why it is not in the bus: a bus can
travel by git, and whoever shares it could put state, or symlinks, in place of ours. Why this name: a POSIX shell
can build it without another process, and with the `_` no name of the bus can be `..` or meet a name of ours.
"""

from __future__ import annotations

import errno

from agentmail.core import names, system
from agentmail.core.errors import Refused

FILE = "machine.json"
LIMIT = 4096
#: The directory of all that is kept here for buses, beside the id.
LOCAL = "machine"


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
    folder = system.join(environment.home(), ".agents")
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

    fresh = f"m{system.urandom(8).hex()}"  # a letter first: plain text to every YAML reader
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


def local_path(home: str, bus: str, *below: str) -> str:
    """The path of this machine's directory for a bus, or of something in it."""
    return system.join(home, ".agents", LOCAL, *local_parts(bus), *below)


def local_directory(disk: Disk, home: str, bus: str, *below: str, make: bool = False) -> Handle:
    """Open this machine's directory for a bus, or one below it; with `make` it is created.

    An empty path stands for a bus whose path cannot be used.

    OSError where it is missing, where a part of the path is a symlink, or where others could have written in it.
    """
    agents = system.join(home, ".agents")
    if holds_machine_files(bus, agents):
        raise OSError(errno.EPERM, "the bus holds the machine's own files, which must not travel with it")
    if make:
        disk.make_directory(agents, None)
    handle = disk.directory(agents, follow=True)
    for name in (LOCAL, *local_parts(bus), *below):
        with handle as parent:
            handle = _below(disk, name, parent, make=make)
    return handle


def local_parts(bus: str) -> list[str]:
    """The names of the directories below `machine` that lead to that of a bus."""
    return [f"_{part}" for part in bus.split("/") if part]


def holds_machine_files(bus: str, path: str) -> bool:
    """True where the bus is this directory or one above it: then what is in it would travel with the bus."""
    if not bus:
        return False
    try:
        wanted, found = system.stat(bus), system.stat(path)
        while (found.st_dev, found.st_ino) != (wanted.st_dev, wanted.st_ino):
            path, below = f"{path}/..", found
            found = system.stat(path)
            if (found.st_dev, found.st_ino) == (below.st_dev, below.st_ino):
                return False  # the root is above itself
        return True
    except OSError:  # one of them is not there yet
        from os.path import realpath

        return f"{realpath(path)}/".startswith(f"{realpath(bus).rstrip('/')}/")


def _below(disk: Disk, name: str, parent: int, *, make: bool) -> Handle:
    try:
        handle = disk.directory(name, parent)
    except FileNotFoundError:
        if not make:
            raise
        disk.make_directory(name, parent)
        handle = disk.directory(name, parent)
    try:
        info = disk.fstat(handle.fd)
        if info.st_uid != system.geteuid() or info.st_mode & 0o022:
            raise PermissionError(errno.EACCES, "others may write there", name)
    except OSError:
        disk.close(handle.fd)
        raise
    return handle


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.environment import Environment
    from agentmail.core.fs import Disk, Handle
