"""Codex's own answers and changes: its app server, asked over standard input and output, for a moment.

Why: which hooks the user trusts, and the file that says so, are Codex's. It states the hashes that it computes, and
changes its configuration in the layout that its user chose; we keep no TOML editor and no copy of its hash.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import TryAgain
from agentmail.core.lean_json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen
    from typing import Any

    from agentmail.core.environment import Environment

SECONDS = 20


class AppServer:
    """A running app server; a context manager. Errors are TryAgain."""

    def __init__(self, program: str, environment: Environment) -> None:
        from subprocess import DEVNULL, PIPE, Popen
        from threading import Timer

        try:
            self._process: Popen[bytes] = Popen(  # noqa: S603 - the host's own program
                [program, "app-server"],
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
                env=dict(environment.variables),
                cwd=environment.directory(),
            )
        except OSError as error:
            raise _failed(f"it cannot be run: {error}") from error
        self._timer = Timer(SECONDS, self._process.kill)
        self._timer.start()
        self._number = 0

    def __enter__(self) -> AppServer:
        try:
            self.call(
                "initialize",
                {
                    "clientInfo": {"name": "agentmail", "title": "agentmail", "version": "1"},
                    "capabilities": {"experimentalApi": True},
                },
            )
            self._send({"method": "initialized"})
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        self._timer.cancel()
        self._process.kill()
        self._process.communicate()

    def call(self, method: str, params: Mapping[str, object]) -> Any:
        """The result of one method."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        output = self._process.stdout
        for line in output or ():
            found = loads(line.decode("utf-8", "replace"))
            if isinstance(found, dict) and found.get("id") == self._number and "method" not in found:
                if "error" in found:
                    raise _failed(f"{method}: {found['error']}")
                return found.get("result")
        raise _failed(f"no answer to {method}")

    def _send(self, message: Mapping[str, object]) -> None:
        from json import dumps

        stdin = self._process.stdin
        try:
            if stdin is not None:
                stdin.write(f"{dumps(message)}\n".encode())
                stdin.flush()
        except OSError as error:
            raise _failed(str(error)) from error


def _failed(why: str) -> TryAgain:
    return TryAgain(
        f"Codex does not answer: {names.printable(why)[:300]}",
        "its configuration is as Codex left it",
        "try `codex doctor`",
    )


def program_of(environment: Environment) -> str:
    """The path of Codex on PATH; empty where it is not there."""
    from agentmail.hosts.base import found_here

    return found_here(environment, "codex", os.devnull)
