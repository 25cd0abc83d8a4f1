"""What a host hands to a hook: one JSON object on standard input, read with bounds; and what a hook hands back."""

from __future__ import annotations

import os

from agentmail.core.environment import occupy_standard_descriptors
from agentmail.core.lean_json import loads, quoted

LIMIT = 16 << 20
DEADLINE_SECONDS = 2
#: In the process where a guarded hook runs: its parent, and the pipe on which it says that its answer begins.
_in_child: list[int] = []


class Payload:
    """The fields of a hook's input; a field of another type than expected counts as missing."""

    __slots__ = ("fields",)

    def __init__(self, fields: dict[str, object]) -> None:
        self.fields = fields

    def text(self, name: str) -> str:
        """A text field, or an empty string. Half a character, which JSON can spell and no path can have, is a `?`."""
        found = self.fields.get(name)
        return found.encode("utf-8", "replace").decode() if isinstance(found, str) else ""

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
    for pipe in _in_child[1:]:
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
    occupy_standard_descriptors(os.O_RDONLY)  # for reading only, so that writing an answer still fails
    os.umask(0o077)
    began, begin = os.pipe()
    guard = _Guard(lambda: None if late is None or _has_begun(began) else late())
    try:
        guard.child = os.fork()
    except OSError:
        return _outcome(hook)
    if guard.child:
        os.close(begin)
        os.set_blocking(began, False)
        return guard.wait()
    guard.release()
    _in_child.extend((guard.parent, begin))
    os._exit(_outcome(hook))


def _outcome(hook: Callable[[], int]) -> int:
    try:
        return hook()
    except Exception as error:  # noqa: BLE001 - whatever it is, the host must not be stopped by its mail
        talk(f"{type(error).__name__}: {str(error)[:300]}")
        return 0


def _has_begun(began: int) -> bool:
    try:
        return bool(os.read(began, 1))
    except BlockingIOError:
        return False


class _Guard:
    """The process that the host waits for.

    It ends with 0 when the child takes too long, and when it is stopped itself, and takes the child with it.
    Why `_signal`: see cli/main.py.
    """

    def __init__(self, late: Callable[[], None]) -> None:
        import _signal  # type: ignore[import-not-found]

        self.child = 0
        self.parent = os.getpid()
        self._late = late
        self._signal = _signal
        self._numbers = (_signal.SIGALRM, _signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
        for number in self._numbers:
            _signal.signal(number, self._stop)

    def wait(self) -> int:
        """The exit code of the child."""
        self._signal.alarm(DEADLINE_SECONDS)
        _, status = os.waitpid(self.child, 0)
        for number in self._numbers:
            # All is said; a signal would only strike whoever has got the child's number by now.
            self._signal.signal(number, self._signal.SIG_IGN)
        return os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0

    def release(self) -> None:
        """Be an ordinary process again: what the child does."""
        for number in self._numbers:
            self._signal.signal(number, self._signal.SIG_DFL)

    def _stop(self, number: int, _frame: object) -> None:
        if self.child:
            os.kill(self.child, self._signal.SIGKILL)
        if number == self._signal.SIGALRM:
            talk(f"no answer within {DEADLINE_SECONDS} s")
            try:
                self._late()
            except OSError as error:
                talk(str(error))
        os._exit(0)


def nobody_listens() -> bool:
    """True in a guarded hook whose host has given it up: what it says may never be read."""
    return bool(_in_child) and os.getppid() != _in_child[0]


def talk(text: str) -> None:
    """Say one line on standard error, which no model reads."""
    from agentmail.core.names import printable

    try:
        write(2, f"agentmail: hook: {printable(text)}\n")
    except OSError:
        return


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
