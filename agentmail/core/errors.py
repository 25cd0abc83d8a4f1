"""The errors, as one tree; each class has its exit code and its word.

    AgentMailError
    ├── NotFound         1   no such message, or not one that can be handled
    ├── SomeFailed       1   some of several failed; each was named
    ├── Refused          2   bad input or over a limit; nothing changed
    ├── UnknownIdentity  3   no identity of that name; nothing changed
    ├── UnknownThread    3   an address names a thread that does not exist; nothing changed
    ├── Unconfirmed      4   done, but not confirmed; the text says what is now true
    └── TryAgain        75   temporary failure; nothing delivered; safe to retry

Every message is one line: what happened; what is now true; what to do next.
"""

from __future__ import annotations


class AgentMailError(Exception):
    """An outcome other than done. `details` are JSON values that belong to the outcome, such as the id."""

    exit_code = 1
    word = "failed"

    def __init__(self, what: str, now: str, next_step: str, **details: object) -> None:
        super().__init__(what, now, next_step)
        self.what = what
        self.now = now
        self.next_step = next_step
        self.details = details

    def __str__(self) -> str:
        return "; ".join(part for part in (self.what, self.now, self.next_step) if part)


class NotFound(AgentMailError):
    """The named thing does not exist, or cannot be handled."""

    exit_code = 1
    word = "not-found"


class SomeFailed(AgentMailError):
    """Some of several failed; each failure has been reported."""

    exit_code = 1
    word = "some-failed"


class Refused(AgentMailError):
    """Bad input, or over a limit. Nothing changed."""

    exit_code = 2
    word = "refused"


class UnknownIdentity(AgentMailError):
    """No identity of that name is registered here. Nothing changed."""

    exit_code = 3
    word = "unknown-identity"


class UnknownThread(AgentMailError):
    """The session of an address is no thread with that recipient there. Nothing changed."""

    exit_code = 3
    word = "unknown-thread"


class Unconfirmed(AgentMailError):
    """Done, but not confirmed to be durable or reported."""

    exit_code = 4
    word = "unconfirmed"


class TryAgain(AgentMailError):
    """A temporary failure of the machine. Nothing was delivered; trying again is safe."""

    exit_code = 75
    word = "temporary-failure"


def worst_of(codes: list[int]) -> int:
    """The exit code of several outcomes: their common code if all agree, 4 if some are only unconfirmed, else 1."""
    failed = {code for code in codes if code}
    if not failed:
        return 0
    if failed == {Unconfirmed.exit_code} or (len(failed) == 1 and all(codes)):
        return failed.pop()
    return SomeFailed.exit_code
