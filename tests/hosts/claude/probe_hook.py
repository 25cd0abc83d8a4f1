"""A hook that records how it was called, then answers as its command line says.

Run as a program by the client (see probes.py), never imported by a test.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("log", help="one JSON object a call is appended here")
    parser.add_argument("--tag", default="", help="a word for the record")
    parser.add_argument("--once", help="answer only if this file does not exist yet, and create it")
    parser.add_argument("--context", help="print this as additionalContext of the event that called")
    parser.add_argument(
        "--size", type=int, default=0, help="pad --context to so many characters, ending in -END"
    )
    parser.add_argument("--watch", action="append", help="print this path among the event's watchPaths")
    parser.add_argument("--deny", help="print a permission decision: deny, for this reason")
    parser.add_argument("--out", default="", help="print this as it is")
    parser.add_argument("--err", default="", help="print this to stderr")
    parser.add_argument("--export", help="append `export <this>` to the client's environment file")
    parser.add_argument("--exit", type=int, default=0, help="exit with this code")
    return parser.parse_args()


def record(options: argparse.Namespace, told: dict[str, Any]) -> None:
    """Append how we were called, in one write, since several hooks may do so at once."""
    call = {
        "tag": options.tag,
        "event": told.get("hook_event_name"),
        "cwd": os.getcwd(),
        "stdin": told,
        "env": dict(os.environ),
        "at": time.time(),
    }
    log = os.open(options.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(log, json.dumps(call).encode() + b"\n")
    os.close(log)


def answer(options: argparse.Namespace, event: str) -> str:
    """What to print: one JSON object, or the plain text asked for, or nothing."""
    said: dict[str, Any] = {}
    if options.context is not None:
        said["additionalContext"] = padded(options.context, options.size)
    if options.watch:
        said["watchPaths"] = options.watch
    if options.deny is not None:
        said |= {"permissionDecision": "deny", "permissionDecisionReason": options.deny}
    if not said:
        return str(options.out)
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, **said}})


def padded(words: str, size: int) -> str:
    """The words, made `size` characters long if shorter."""
    return words if len(words) >= size else f"{words} {'.' * size}"[: size - 4] + "-END"


def first(marker: str | None) -> bool:
    """True for the first of all calls that name this marker, and always without one."""
    if marker is None:
        return True
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def main() -> int:
    """Record, answer, exit as told."""
    options = arguments()
    told = json.loads(sys.stdin.buffer.read() or b"{}")
    record(options, told)
    if not first(options.once):
        return 0
    if options.export:
        with open(os.environ["CLAUDE_ENV_FILE"], "a", encoding="utf-8") as exports:
            exports.write(f"export {options.export}\n")
    sys.stdout.write(answer(options, told["hook_event_name"]))
    sys.stderr.write(options.err)
    return int(options.exit)


if __name__ == "__main__":
    sys.exit(main())
