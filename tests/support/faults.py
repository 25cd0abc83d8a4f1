"""A disk that counts its calls and goes wrong at one of them, as a machine or a kill would.

The calls are real, on a real directory; only syncing is left out, because what it protects from (a power
cut) is not simulated here, and the orders of syncing are another test's.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import Any

from agentmail.core.fs import Disk

OPENING = frozenset({"open", "create"})
SYNCING = frozenset({"fsync", "fsyncdir"})
#: The calls that change something on the disk.
CHANGING = frozenset(
    "create mkdir write fsync fsyncdir link rename rename_new exchange unlink fchmod utime".split()
)


class Crashed(BaseException):
    """The process is gone. No `except OSError` catches it, and the clean-up that meets it can do nothing."""


class NotApplicable(BaseException):
    """This fault has no meaning at this call."""


Fault = Callable[["FaultyDisk", str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class FaultyDisk(Disk):
    """A disk that meets `fault` at call number `at`; `watch` looks on before each call."""

    def __init__(
        self,
        fault: Fault | None = None,
        at: int = -1,
        *,
        watch: Callable[[int, str], None] | None = None,
    ) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.dead = False
        self.broken: Callable[[str], OSError | None] = lambda op: None
        self._fault = fault
        self._at = at
        self._watch = watch
        self.open: set[int] = set()

    def invoke(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """One system call, or what goes wrong in its place."""
        if self.dead:
            raise Crashed
        number = len(self.calls)
        self.calls.append(op)
        if self._watch:
            self._watch(number, op)
        if number == self._at and self._fault:
            return self._fault(self, op, function, args, kwargs)
        error = self.broken(op)
        if error is not None:
            raise error
        return self.real(op, function, *args, **kwargs)

    def real(self, op: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Make the call; remember what is open, which a process that dies would close."""
        if op in SYNCING:
            return None
        result = function(*args, **kwargs)
        if op in OPENING:
            self.open.add(result)
        elif op == "close":
            self.open.discard(args[0])
        return result

    def bury(self) -> None:
        """Close what is still open, with its locks, as the end of the process does."""
        for fd in self.open:
            os.close(fd)


def fails(code: int) -> Fault:
    """The call is not made and reports an error."""

    def fault(_disk: FaultyDisk, _op: str, _function: Any, _args: Any, _kwargs: Any) -> Any:
        raise OSError(code, os.strerror(code))

    return fault


def succeeds_but_reports(code: int) -> Fault:
    """The call is made, and its success is lost on the way back."""

    def fault(disk: FaultyDisk, op: str, function: Any, args: Any, kwargs: Any) -> Any:
        disk.real(op, function, *args, **kwargs)
        raise OSError(code, os.strerror(code))

    return fault


def stays_broken(code: int) -> Fault:
    """From this call on, every call that would change something fails."""

    def fault(disk: FaultyDisk, op: str, function: Any, args: Any, kwargs: Any) -> Any:
        if op not in CHANGING:
            raise NotApplicable
        disk.broken = lambda op: OSError(code, os.strerror(code)) if op in CHANGING else None
        raise OSError(code, os.strerror(code))

    return fault


def is_short(disk: FaultyDisk, op: str, function: Any, args: Any, kwargs: Any) -> Any:
    """A read or a write that does less than it was asked for."""
    fd, what = args if op in ("read", "write") else (None, None)
    if isinstance(what, int):
        return disk.real(op, function, fd, min(what, 7), **kwargs)
    if what is None or len(what) < 2:
        raise NotApplicable
    return disk.real(op, function, fd, what[: len(what) // 2], **kwargs)


def crashes(disk: FaultyDisk, _op: str, _function: Any, _args: Any, _kwargs: Any) -> Any:
    """The process dies before the call."""
    disk.dead = True
    raise Crashed


def crashes_halfway(disk: FaultyDisk, op: str, function: Any, args: Any, kwargs: Any) -> Any:
    """The process dies in the middle of a write."""
    if op != "write":
        raise NotApplicable
    is_short(disk, op, function, args, kwargs)
    disk.dead = True
    raise Crashed


FAULTS: dict[str, Fault] = {
    **{
        f"fails with {name}": fails(getattr(errno, name))
        for name in ("ENOSPC", "EIO", "EINTR", "EACCES", "EDQUOT")
    },
    "succeeds but reports EIO": succeeds_but_reports(errno.EIO),
    "stays broken with EIO": stays_broken(errno.EIO),
    "stays broken with ENOSPC": stays_broken(errno.ENOSPC),
    "is short": is_short,
    "crashes": crashes,
    "crashes halfway": crashes_halfway,
}
