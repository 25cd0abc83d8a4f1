"""Starts test programs that fork processes on request: one line of JSON in, one line of JSON out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Self

from tests.support.cli import ROOT


class Server:
    """One such program; it ends with a `with` block."""

    def __init__(self, module: str) -> None:
        self.module = module

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [sys.executable, "-m", self.module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=60)

    def ask(self, order: object) -> Any:
        """Give an order, and wait for the answer."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(order) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())
