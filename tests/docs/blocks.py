"""Find the code blocks of a document and run them in one shell, in order, as a reader would."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "=-= end of command"


class Command:
    """One command of a block, and the output that the document shows for it (None: the document shows none)."""

    def __init__(self, text: str, shown: str | None) -> None:
        self.text = text
        self.shown = shown


def commands(document: str) -> list[Command]:
    """The commands of all `sh` and `console` blocks, in order; other blocks are not run."""
    found: list[Command] = []
    for kind, body in FENCE.findall(document):
        if kind == "sh":
            found.append(Command(f"(set -e\n{body})", None))
        elif kind == "console":
            found += _of_console(body)
    return found


def _of_console(body: str) -> list[Command]:
    found: list[Command] = []
    lines = body.splitlines()
    while lines:
        line = lines.pop(0)
        assert line.startswith("$ "), f"a console block starts a command with a dollar: {line!r}"
        text = line[2:]
        if heredoc := re.search(r"<<'(\w+)'", text):
            while lines:
                text += "\n" + (line := lines.pop(0))
                if line == heredoc[1]:
                    break
        shown = []
        while lines and not lines[0].startswith("$ "):
            shown.append(lines.pop(0))
        found.append(Command(text, "\n".join(shown)))
    return found


def run(found: list[Command], home: Path, path: str) -> list[tuple[int, str]]:
    """Exit code and output (both streams) of each command, in one bash with an empty home."""
    (home / ".claude").mkdir(exist_ok=True)  # a host that `wire` finds
    script = "".join(f"{one.text}\nprintf '%s %s\\n' '{MARK}' $?\n" for one in found)
    done = subprocess.run(
        ["bash"],
        input=script.encode(),
        env={"HOME": str(home), "PATH": path, "TZ": "UTC", "LANG": "C.UTF-8"},
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    parts = re.split(rf"{MARK} (\d+)\n", done.stdout.decode())
    return [(int(code), output) for output, code in zip(parts[::2], parts[1::2], strict=False)]


def comparable(text: str, home: Path | None = None) -> str:
    """The output with fixed values for what differs between runs: stamps, times, marks, ages, the home."""
    if home is not None:
        text = text.replace(str(home), "/home/me")
    # `wire` prints a warning if the checkout is in a temporary directory.
    text = re.sub(r"^agentmail: warning: this runs from .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\b\d{8}-\d{4}\b", "20260704-0930", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", "2026-07-04T09:30:12.345678Z", text)
    text = re.sub(r"\bm[0-9a-f]{16}\b", "m5f0c6d1e9a2708b4", text)
    text = re.sub(r"\b[0-9a-f]{12}\b", "5f0c6d1e9a27", text)
    text = re.sub(r"(?<= )\d+[smhd](?= )", "0s", text)
    return text.strip("\n")
