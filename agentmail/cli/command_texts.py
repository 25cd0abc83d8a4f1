"""What a command prints for an outcome or an error, as lines, for an interface whose callers read text too."""

from __future__ import annotations

from agentmail.cli.commands import Command
from agentmail.cli.context import Context, Output
from agentmail.cli.json_answer import is_ok
from agentmail.cli.main import as_error_of_ours
from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.names import printable


class Collected(Output):
    """Keeps the diagnostics in the place of printing them."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def say(self, text: str) -> None:
        """Keep one line of diagnostics."""
        self.said.append(printable(text))


class CommandTexts:
    """The texts of the command line: the answer, then the diagnostics."""

    def of_outcome(self, verb: str, outcome: dict[str, Any], notes: Sequence[str]) -> tuple[list[str], bool]:
        """The lines for an outcome, and whether a part of it failed."""
        rendering = Command(verb).rendering
        output = Collected()
        context = Context(Environment({}), output)
        lines = list(rendering.lines(outcome))
        context.warn(outcome)
        context.say_unreadable(outcome)
        finish = getattr(rendering, "finish", None)
        if finish is not None:
            try:
                finish(context, outcome)
            except AgentMailError as error:
                output.say(str(error))
        for note in notes:
            output.say(f"note: {note}")
        return [*lines, *output.said], not is_ok(outcome)

    def of_error(self, error: Exception) -> AgentMailError:
        """The one line that an error is."""
        return as_error_of_ours(error)


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any
