"""What can go wrong, as types; each class knows its exit code and its word.

    AgentMailError
    ├── NotFound         1   no such message, or not one that can be handled
    ├── SomeFailed       1   some of several failed; each was named
    ├── Refused          2   bad input or over a limit; nothing changed
    ├── UnknownIdentity  3   nobody of that name; nothing changed
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
    """The thing named is not there, or is not a thing that can be handled."""

    exit_code = 1
    word = "not-found"


class SomeFailed(AgentMailError):
    """Of several, some failed; each has been named already."""

    exit_code = 1
    word = "some-failed"


class Refused(AgentMailError):
    """Bad input, or over a limit. Nothing changed."""

    exit_code = 2
    word = "refused"


class UnknownIdentity(AgentMailError):
    """Nobody of that name is registered here. Nothing changed."""

    exit_code = 3
    word = "unknown-identity"


class Unconfirmed(AgentMailError):
    """Done, but durability or the report of it could not be confirmed."""

    exit_code = 4
    word = "unconfirmed"


class TryAgain(AgentMailError):
    """A temporary failure of the machine. Nothing was delivered; trying again is safe."""

    exit_code = 75
    word = "temporary-failure"


def worst_of(codes: list[int]) -> int:
    """The exit code of several outcomes: theirs where they agree or are only unconfirmed, else 1."""
    failed = {code for code in codes if code}
    if not failed:
        return 0
    if failed == {Unconfirmed.exit_code} or (len(failed) == 1 and all(codes)):
        return failed.pop()
    return SomeFailed.exit_code
