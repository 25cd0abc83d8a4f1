"""The text of the file that forwards a host's events: what `wire` knows, what all hosts share, and the host's own part."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.lean_json import loads, quoted
from agentmail.hosts.forwarding.dialect import WAKE_CODE
from agentmail.hosts.hooks_file.command import around_version, successor
from agentmail.hosts.settings_file.read import read_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.core.fs import Disk
    from agentmail.hosts.forwarding.dialect import ForwardingHost

#: The first line, with which the file is known again.
BEGIN = "// Reports new mail of agentmail to the model, in "
COMMON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "common.js")


class WiredFile:
    """A file of ours as it is: the program that it runs, with which Python, and whether it wakes idle sessions."""

    def __init__(self, known: dict[str, object]) -> None:
        self.program = str(known["PROGRAM"])
        self.python = str(known.get("PYTHON", ""))
        self.wakes = known.get("WAKE") is True

    def program_here(self) -> str:
        """The program, also under another version of Python; empty where it is gone."""
        return self.program if os.path.exists(self.program) else successor(self.program)


def read_wired(disk: Disk, path: str) -> WiredFile | None:
    """What the file at this path is; None where there is none, or it is not ours."""
    data = read_settings(disk, path)
    first, *lines = (data or b"").decode("utf-8", "replace").split("\n")
    if not first.startswith(BEGIN):
        return None
    known: dict[str, object] = {}
    for line in lines:
        name, equals, value = line.removeprefix("const ").partition(" = ")
        if not equals:
            break
        known[name] = loads(value)
    return WiredFile(known) if isinstance(known.get("PROGRAM"), str) else None


def text_of(host: ForwardingHost, part: str, root: str, python: str, *, wake: bool) -> str:
    """The whole text, for this installation; `part` is the path of the host's own part."""
    program = os.path.join(root, "hooks", "run")
    known = {
        "PROGRAM": _literal(program),
        "OTHER_VERSIONS": _versions(program),
        "PYTHON": _literal(python),
        "DIALECT": _literal(f"hosts.{host.name}.dialect"),
        "WAKE": "true" if wake else "false",
        "WAKE_CODE": str(WAKE_CODE),
    }
    lines = [f"const {name} = {value}" for name, value in known.items()]
    return "\n".join(
        [
            f"{BEGIN}{host.name}.",
            *lines,
            "",
            _read(COMMON),
            _read(part),
        ]
    )


def _versions(program: str) -> str:
    """The parts of the path around the version of Python in it, as a literal."""
    parts = around_version(program)
    return "[" + ", ".join(map(_literal, parts)) + "]" if parts else "undefined"


def _literal(path: str) -> str:
    """A path as a string of JavaScript. Refused where it is not Unicode."""
    if path.encode("utf-8", "replace") != os.fsencode(path):
        raise Refused(
            f"a path such as {names.quoted(path)} cannot stand in a program",
            names.NOTHING_CHANGED,
            "install under another path",
        )
    return quoted(path)


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
