"""The text of the file that forwards a host's events: what `wire` knows, what all hosts share, and the host's own part."""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.core.lean_json import quoted
from agentmail.hosts.claude_code.entries import around_version
from agentmail.hosts.forwarding.dialect import WAKE_CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.hosts.base import Host

COMMON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "common.js")


def text_of(host: Host, part: str, root: str, python: str, *, wake: bool) -> str:
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
            f"// agentmail in {host.name}: new mail is reported to the model.",
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
