"""The process of a hook: it reads standard input with a limit, has a deadline, and never stops its host."""

from __future__ import annotations

from agentmail.core import system
from agentmail.core.environment import occupy_standard_descriptors

LIMIT = 16 << 20
DEADLINE_SECONDS = 2
#: In the child process in which a guarded hook runs: its parent, and the pipe on which it reports how far it is.
_in_child: list[int] = []
READ, ANSWERED = b"r", b"a"


def read_input(fd: int = 0) -> bytes:
    """The bytes on standard input; none where they cannot be read or exceed the limit."""
    parts = []
    size = 0
    try:
        while chunk := system.read(fd, 1 << 20):
            parts.append(chunk)
            size += len(chunk)
            if size > LIMIT:
                _report(READ)
                return b""
    except OSError:
        return b""
    _report(READ)
    return b"".join(parts)


def _report(stage: bytes) -> None:
    for pipe in _in_child[1:]:
        system.write(pipe, stage)


def answer(data: bytes) -> None:
    """Print the answer for the host; OSError where it could not be written."""
    _report(ANSWERED)
    write_all(1, data)


def write_all(fd: int, data: bytes) -> None:
    """Write all of the data."""
    view = memoryview(data)
    while view:
        view = view[system.write(fd, view) :]


def guarded(hook: Callable[[], int], *, late: Callable[[bool], None] | None = None) -> int:
    """Run a hook so that nothing that happens to it stops the host: it has a deadline, and an error becomes a
    line of diagnostics and exit 0.

    The hook runs in a child process. Why: a process that waits for a hung file system cannot end itself,
    whatever signal it gets; so the process that the host waits for must never touch a file system. `late`
    reports the failure where the child was stopped before it began to answer; it is told whether the child had
    read its input by then.
    """
    occupy_standard_descriptors(system.O_RDONLY)  # for reading only, so that writing an answer still fails
    system.umask(0o077)
    began, begin = system.pipe()
    guard = _Guard(lambda: _say_late(late, _stages(began)))
    try:
        guard.child = system.fork()
    except OSError:
        return _outcome(hook)
    if guard.child:
        system.close(begin)
        system.set_blocking(began, False)
        return guard.wait()
    guard.release()
    _in_child.extend((guard.parent, begin))
    return system.exit_at_once(_outcome(hook))


def _outcome(hook: Callable[[], int]) -> int:
    try:
        return hook()
    except Exception as error:  # noqa: BLE001 - whatever it is, mail must not stop the host
        diagnose(f"{type(error).__name__}: {str(error)[:300]}")
        return 0


def _stages(began: int) -> bytes:
    try:
        return system.read(began, 16)
    except BlockingIOError:
        return b""


def _say_late(late: Callable[[bool], None] | None, stages: bytes) -> None:
    has_read = READ in stages
    diagnose(
        f"no answer within {DEADLINE_SECONDS} s"
        if has_read
        else f"standard input did not end within {DEADLINE_SECONDS} s, and nothing was looked at"
    )
    if late is not None and ANSWERED not in stages:
        late(has_read)


class _Guard:
    """The process that the host waits for.

    It ends with 0 when the child exceeds the deadline and when it gets a signal itself, and kills the child.
    Why `_signal`: see cli/main.py.
    """

    def __init__(self, late: Callable[[], None]) -> None:
        import _signal  # type: ignore[import-not-found]

        self.child = 0
        self.parent = system.getpid()
        self._late = late
        self._signal = _signal
        self._numbers = (_signal.SIGALRM, _signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
        for number in self._numbers:
            _signal.signal(number, self._stop)

    def wait(self) -> int:
        """The exit code of the child."""
        self._signal.alarm(DEADLINE_SECONDS)
        _, status = system.waitpid(self.child, 0)
        for number in self._numbers:
            # The child has ended; a signal now would kill whatever process has its number next.
            self._signal.signal(number, self._signal.SIG_IGN)
        return system.WEXITSTATUS(status) if system.WIFEXITED(status) else 0

    def release(self) -> None:
        """Restore the default signal handlers, in the child."""
        for number in self._numbers:
            self._signal.signal(number, self._signal.SIG_DFL)

    def _stop(self, number: int, _frame: object) -> None:
        if self.child:
            system.kill(self.child, self._signal.SIGKILL)
        if number == self._signal.SIGALRM:
            try:
                self._late()
            except OSError as error:
                diagnose(str(error))
        system.exit_at_once(0)


def is_abandoned() -> bool:
    """True in a guarded hook whose parent has ended: its answer may never be read."""
    return bool(_in_child) and system.getppid() != _in_child[0]


def diagnose(text: str) -> None:
    """Write one line to standard error, which no model reads."""
    from agentmail.core.names import printable

    line = f"agentmail: hook: {printable(text)}\n"
    try:
        write_all(2, line.encode("utf-8", "backslashreplace"))
    except OSError:
        return


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
