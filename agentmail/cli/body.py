"""Reads the body of a message from standard input or from a file, with a bound."""

from __future__ import annotations

from agentmail.core import names, system
from agentmail.core.errors import Refused
from agentmail.core.fs import reason

#: One byte more than a body may have is enough to know that it is too large.
LIMIT = 8192 + 1


#: Seconds after which a pipe that stays open is spoken of.
PATIENCE = 2.0
AWAITED = (
    "waiting for the text of the message: standard input is open and not at its end; pass the text to it "
    "(<<'EOF' ...), or close it (</dev/null)"
)


def read_body(path: str | None, say: Callable[[str], None], *, needed: bool = True) -> bytes:
    """The text on standard input (empty at a terminal, without waiting) or in a file; bounded.

    Where it is not `needed`, only one that was given to this very call is taken.
    """
    if path is not None and path != "-":
        data = _file(path)
        refuse_text("--body-file names the text")
        return data
    try:
        if system.isatty(0) or not (needed or path or _is_for_this_call()):
            return b""
        return _read_aloud(say)
    except OSError as error:
        raise Refused(
            f"standard input cannot be read: {reason(error)}",
            names.NOTHING_CHANGED,
            "give the text again",
        ) from error


def refuse_text(why: str) -> None:
    """Refused where this call was given a text on standard input, which nothing would read. Waits for nothing.

    Why not where the caller's own standard input is the same: a script that a shell reads from there, or the list of a
    `while read` loop, is no text for us.
    """
    try:
        info = system.fstat(0)
        given = _is_unread_file(info) or (_is_stream(info) and not _is_inherited(info) and _has_more())
    except OSError:
        return
    if given:
        raise Refused(
            f"standard input carries a text, but {why}",
            names.NOTHING_CHANGED,
            "send, reply and delegate take a text; to make this call without one, add </dev/null",
        )


def _is_for_this_call() -> bool:
    """True for a text, or a pipe that may bring one; refused where it cannot be told whose a pipe's text is.

    Why: sh redirects itself before it starts a command, so that its <<EOF looks as the list of a loop does. It keeps
    its own standard input meanwhile, which a shell that reads its script from there does not.
    """
    info = system.fstat(0)
    if not _is_stream(info):
        return _is_unread_file(info)
    if not _is_inherited(info):
        return True
    if _caller_keeps_another() and _has_more():
        raise Refused(
            "standard input carries a text, which may be meant for this call or for others",
            names.NOTHING_CHANGED,
            "let that text be the whole task, without --task; to make this call without it, add </dev/null",
        )
    return False


def _is_unread_file(info: system.stat_result) -> bool:
    """True for a file with bytes of which nobody has read any: what others have begun to read is theirs."""
    return system.S_ISREG(info.st_mode) and info.st_size > 0 and system.lseek(0, 0, system.SEEK_CUR) == 0


def _is_stream(info: system.stat_result) -> bool:
    return system.S_ISFIFO(info.st_mode) or system.S_ISSOCK(info.st_mode)


def _is_inherited(info: system.stat_result) -> bool:
    """True where the process that called has the same standard input; False where the system does not say."""
    try:
        theirs = system.stat(f"/proc/{system.getppid()}/fd/0")
    except OSError:
        return False
    return (theirs.st_dev, theirs.st_ino) == (info.st_dev, info.st_ino)


def _caller_keeps_another() -> bool:
    """True where the calling shell holds a descriptor where shells keep a redirected one."""
    return any(10 <= int(fd) < 255 for fd in system.listdir(f"/proc/{system.getppid()}/fd"))


def _has_more() -> bool:
    """True where bytes wait to be read. Takes none of them."""
    from fcntl import ioctl
    from termios import FIONREAD

    return any(ioctl(0, FIONREAD, bytes(4)))


def _read_aloud(say: Callable[[str], None]) -> bytes:
    """Read to the end, and say so where that takes long. Why a signal: a look before each read would cost every send."""
    if not _is_stream(system.fstat(0)):
        return _read(0)
    import _signal  # type: ignore[import-not-found]

    try:
        before = _signal.signal(_signal.SIGALRM, lambda *_: say(AWAITED))
    except ValueError:  # not the main thread
        return _read(0)
    _signal.setitimer(_signal.ITIMER_REAL, PATIENCE)
    try:
        return _read(0)
    finally:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.signal(_signal.SIGALRM, before)


def _file(path: str) -> bytes:
    try:
        fd = system.open(path, system.O_RDONLY | system.O_CLOEXEC | system.O_NONBLOCK)
        try:
            # Opened without waiting, but read with: a command may still be writing into a pipe.
            system.set_blocking(fd, True)
            data = _read(fd)
            if not data and system.S_ISFIFO(system.fstat(fd).st_mode):
                raise ValueError("it is a pipe, and nothing came out of it")
            return data
        finally:
            system.close(fd)
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise Refused(
            f"the body file cannot be read: {why}", names.NOTHING_CHANGED, "give a file's path"
        ) from error


def _read(fd: int) -> bytes:
    data = b""
    while len(data) < LIMIT:
        try:
            chunk = system.read(fd, LIMIT - len(data))
        except BlockingIOError:
            # The pipe is set to non-blocking; its writer may still be writing.
            from select import select

            select([fd], [], [])
            continue
        if not chunk:
            break
        data += chunk
    return data


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
