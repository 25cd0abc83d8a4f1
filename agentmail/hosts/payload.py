"""What a host hands to a hook: one JSON object on standard input, read with bounds; and what a hook hands back."""

from __future__ import annotations

import os

from agentmail.core.lean_json import flat, loads, quoted

LIMIT = 16 << 20
DEADLINE_SECONDS = 2


class Payload:
    """The fields of a hook's input; a field of another type than expected counts as missing."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, object]) -> None:
        self.fields = fields

    def text(self, name: str) -> str:
        """A text field, or an empty string."""
        found = self.fields.get(name)
        return found if isinstance(found, str) else ""

    def object(self, name: str) -> Payload:
        """An object field, or an empty one."""
        found = self.fields.get(name)
        return Payload(found if isinstance(found, dict) else {})


def read_payload(fd: int = 0) -> Payload | None:
    """The object on standard input; None for anything else, or for more of it than the limit."""
    parts = []
    size = 0
    try:
        while chunk := os.read(fd, 1 << 20):
            parts.append(chunk)
            size += len(chunk)
            if size > LIMIT:
                return None
    except OSError:
        return None
    found = loads(b"".join(parts).decode("utf-8", "replace"))
    return Payload(found) if isinstance(found, dict) else None


def answer(event: str, fields: Mapping[str, str | list[str]]) -> None:
    """Print the one object that a host takes as an answer; OSError where it could not be written."""
    inner = [f'"hookEventName": {quoted(event)}']
    for name, value in fields.items():
        shown = quoted(value) if isinstance(value, str) else f"[{', '.join(map(quoted, value))}]"
        inner.append(f"{quoted(name)}: {shown}")
    write(1, f'{{"hookSpecificOutput": {{{", ".join(inner)}}}}}\n')


def write(fd: int, text: str) -> None:
    """Write all of a text."""
    view = memoryview(text.encode("utf-8", "backslashreplace"))
    while view:
        view = view[os.write(fd, view) :]


def guarded(hook: Callable[[], int]) -> int:
    """Run a hook so that nothing it meets can stop the host: a deadline, and every error is talk and exit 0."""
    _deadline()
    os.umask(0o077)
    try:
        return hook()
    except Exception as error:  # noqa: BLE001 - whatever it is, the host must not be stopped by its mail
        try:
            write(2, f"agentmail: hook: {type(error).__name__}: {flat({'error': str(error)[:300]})}\n")
        except OSError:
            return 0
    return 0


def _deadline() -> None:
    """End with 0 when a file system hangs: a host waits for its hooks. Why `_signal`: see cli/main.py."""
    import _signal  # type: ignore[import-not-found]

    _signal.signal(_signal.SIGALRM, lambda *_: os._exit(0))
    _signal.alarm(DEADLINE_SECONDS)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
