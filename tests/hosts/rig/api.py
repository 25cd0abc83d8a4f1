"""What an API is to the scripted model: which paths it serves, what a request says, and how an answer looks."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from .script import Json, Step


class Reply(NamedTuple):
    """An answer: one JSON object, or the events of a stream as (name, data); an empty name is not sent."""

    body: Json
    status: int = 200
    events: tuple[tuple[str, str], ...] = ()


class Api(Protocol):
    """One API of a model."""

    def serves(self, path: str) -> bool:
        """Is this the path of a request for an answer?"""

    def offers_tools(self, body: Json) -> bool:
        """Does the request offer tools? Requests of the main loop do; those for titles and summaries do not."""

    def messages(self, body: Json) -> list[Json]:
        """The request's messages, each with a role and a content: a text, or blocks as of the Messages API."""

    def reply(self, path: str, body: Json, step: Step, number: int) -> Reply:
        """The answer that a step asks for; `number` differs between any two."""
