"""What a command over many messages prints where some of them failed: the failures are named, the others counted."""

from __future__ import annotations

from agentmail.cli.context import FAILURES_SHOWN


def done(messages: Sequence[Mapping[str, object]], tail: str = "") -> Iterator[str]:
    """A line for each message that is done; their numbers alone where they are many and others failed."""
    found = [one for one in messages if "error" not in one]
    words = [str(one["outcome"]).replace("-", " ") for one in found]
    if len(found) in (*range(FAILURES_SHOWN + 1), len(messages)):
        yield from (f"{word} {one['id']}{tail}" for word, one in zip(words, found, strict=True))
        return
    for word in dict.fromkeys(words):
        yield f"{word} {words.count(word)} messages{tail}"


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
