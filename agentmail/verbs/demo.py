"""The demo: two identities, a message, an answer and the tree, as real calls on a temporary bus."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

from agentmail.core.errors import TryAgain
from agentmail.core.fs import Disk
from agentmail.hosts import session_variables
from agentmail.verbs.call import TypedDict

MESSAGE = """The parser rejects a header without a subject; the format allows it.
1. Please decide which of the two is right.
Evidence: /srv/parser/tests/test_header.py:41
"""
ANSWER = "The format is right. Fixed in the parser, with a test.\n"


class Story:
    """The steps so far, on one temporary bus."""

    def __init__(self, bus: str, variables: Mapping[str, str]) -> None:
        self.bus = bus
        self.steps: list[Step] = []
        self.surroundings = surroundings(bus, variables)

    def tell(self, *words: str, body: str = "") -> str:
        """Run one command as a person would, and keep what it printed."""
        done = subprocess.run(  # noqa: S603 - our own program, no shell
            [sys.executable, "-m", "agentmail", *words],
            input=body.encode(),
            env=self.surroundings,
            cwd=os.path.dirname(self.bus),
            capture_output=True,
            check=False,
        )
        output = (done.stderr + done.stdout).decode()
        if done.returncode:
            said = output.strip().removeprefix("agentmail: ").replace("\n", " | ")
            raise TryAgain(
                f"in the temporary bus `agentmail {words[0]}` failed: {said}",
                "that bus was removed; your own bus was not touched",
                "fix that, or set TMPDIR to another directory, then run `agentmail demo` again",
            )
        self.steps.append({"command": shell(words), "input": body, "output": output})
        return done.stdout.decode().strip()


class Step(TypedDict):
    """One command of the demo, its standard input, and what it printed."""

    command: str
    input: str
    output: str


class Demo(TypedDict):
    """`demo`: the steps, and the files of the temporary bus after them."""

    steps: list[Step]
    tree: list[str]


def demo(call: Call) -> Demo:
    """Run an example in a temporary bus: two identities, a message, an answer, the files."""
    place = tempfile.mkdtemp(prefix="agentmail-demo-")
    try:
        bus = os.path.join(place, "mail")
        for name in ("parser", "format"):
            Disk().make_directory(os.path.join(place, name), None)
        story = Story(bus, call.environment.variables)
        story.tell("register", "parser", os.path.join(place, "parser"), "reads messages")
        story.tell("register", "format", os.path.join(place, "format"), "owns the message format")
        id = story.tell("send", "parser", "format", "empty-subject", "May a subject be empty?", body=MESSAGE)
        story.tell("check", "format")
        story.tell("read", "format", id)
        answer = story.tell("reply", "format", id, body=ANSWER)
        story.tell("archive", "format", id)
        story.tell("check", "parser")
        story.tell("archive", "parser", answer)
        story.tell("check", "parser")
        return {"steps": story.steps, "tree": tree(bus)}
    finally:
        shutil.rmtree(place)


def surroundings(bus: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Ours without what is set for the user's own bus and session; and nothing is left behind in the user's home."""
    set_for_another = ("AGENT_MAIL_", *session_variables())
    kept = {name: text for name, text in variables.items() if not name.startswith(set_for_another)}
    return {**kept, "AGENT_MAIL_DIR": bus, "AGENT_MAIL_MACHINE": f"m{os.urandom(8).hex()}"}


def shell(words: tuple[str, ...]) -> str:
    """The words as a person would type them."""
    from shlex import join

    return join(("agentmail", *words))


def tree(bus: str) -> list[str]:
    """The paths of the bus, as `find` would print them, sorted; hidden names are ours and left out."""
    found = []
    for folder, folders, files in os.walk(bus):
        folders[:] = sorted(name for name in folders if name[0] != ".")
        for name in [*folders, *files]:
            if name[0] != ".":
                path = os.path.relpath(os.path.join(folder, name), bus)
                found.append(path + ("/" if name in folders else ""))
    return sorted(found)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.verbs.call import Call
