"""What a host hands to a hook: one JSON object on standard input, read with bounds; and what a hook hands back."""

from __future__ import annotations

import os

from agentmail.core.lean_json import loads, quoted

LIMIT = 16 << 20
DEADLINE_SECONDS = 2
#: Where a guarded hook says that its answer begins.
_about_to_answer: list[int] = []


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

    def is_of_subagent(self) -> bool:
        """True for an event inside a subagent: only those carry an `agent_id`."""
        return bool(self.fields.get("agent_id"))


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
    text = f'{{"hookSpecificOutput": {{{", ".join(inner)}}}}}\n'
    for pipe in _about_to_answer:
        os.write(pipe, b".")
    write(1, text)


def write(fd: int, text: str) -> None:
    """Write all of a text."""
    view = memoryview(text.encode("utf-8", "backslashreplace"))
    while view:
        view = view[os.write(fd, view) :]


def guarded(hook: Callable[[], int], *, late: Callable[[], None] | None = None) -> int:
    """Run a hook so that nothing it meets can stop the host: a deadline, and every error is talk and exit 0.

    The hook runs in a child. Why: a process that waits for a hung file system cannot end itself, whatever
    signal it gets; the one that the host waits for must never touch one. `late` says what went wrong where
    the child was stopped before it began to answer.
    """
    _occupy_standard_descriptors()
    os.umask(0o077)
    began, begin = os.pipe()
    try:
        child = os.fork()
    except OSError:
        return _outcome(hook)
    if child == 0:
        _about_to_answer.append(begin)
        os._exit(_outcome(hook))
    os.close(begin)
    os.set_blocking(began, False)
    return _within_the_deadline(child, lambda: late() if late and not _has_begun(began) else None)


def _has_begun(began: int) -> bool:
    try:
        return bool(os.read(began, 1))
    except BlockingIOError:
        return False


def _outcome(hook: Callable[[], int]) -> int:
    try:
        return hook()
    except Exception as error:  # noqa: BLE001 - whatever it is, the host must not be stopped by its mail
        talk(f"{type(error).__name__}: {str(error)[:300]}")
        return 0


def _within_the_deadline(child: int, late: Callable[[], None]) -> int:
    """Wait for the child; stop it when it takes too long, or when we are stopped: it must not go on and
    record as shown what nobody reads any more. Why `_signal`: see cli/main.py.
    """
    import _signal  # type: ignore[import-not-found]

    def stop(number: int, _frame: object) -> None:
        os.kill(child, _signal.SIGKILL)
        if number == _signal.SIGALRM:
            talk(f"no answer within {DEADLINE_SECONDS} s")
            try:
                late()
            except OSError as error:
                talk(str(error))
        os._exit(0)

    for number in (_signal.SIGALRM, _signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
        _signal.signal(number, stop)
    _signal.alarm(DEADLINE_SECONDS)
    _, status = os.waitpid(child, 0)
    _signal.alarm(0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0


def talk(text: str) -> None:
    """Say one line on standard error, which no model reads."""
    from agentmail.core.names import printable

    try:
        write(2, f"agentmail: hook: {printable(text)}\n")
    except OSError:
        return


def _occupy_standard_descriptors() -> None:
    """Fill standard descriptors that came closed. Why: the next file opened would get the free number, and
    an answer would land in it. Opened for reading only, so that an answer fails as it did before.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
