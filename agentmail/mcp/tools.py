"""The tools: verbs of the catalogue, one line each. All else about a tool is read from its verb.

To add one: a line in TOOLS.
"""

from __future__ import annotations

import inspect
from functools import cached_property
from typing import Any

from agentmail.mcp.schemas import Parameter, input_schema, output_schema, parameters_of
from agentmail.verbs.catalogue import load_verb

PREFIX = "mail_"
#: What a tool does to the mail, in the words with which hosts decide whether they ask first.
LOOKS = {"readOnlyHint": True, "openWorldHint": False}
ADDS = {"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False}
AGAIN_IS_NO_CHANGE = {**ADDS, "idempotentHint": True}
#: Verb -> what its tool does. A receipt is no change of the mail: it says that the answer was given.
TOOLS = {
    "check": LOOKS,
    "read": LOOKS,
    "send": ADDS,
    "reply": ADDS,
    "archive": AGAIN_IS_NO_CHANGE,
    "thread": LOOKS,
    "search": LOOKS,
    "wait": LOOKS,
    "ack": AGAIN_IS_NO_CHANGE,
    "roster": LOOKS,
    "delegate": ADDS,
}


class Tool:
    """One tool: a verb, and what a client is told about it."""

    def __init__(self, verb: str) -> None:
        self.verb = verb
        self.name = PREFIX + verb
        self.function = load_verb(verb)

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """Its arguments by name."""
        return parameters_of(self.function)

    @cached_property
    def description(self) -> dict[str, Any]:
        """The tool as `tools/list` shows it."""
        return {
            "name": self.name,
            "title": f"Mail: {self.verb}",
            "description": (inspect.getdoc(self.function) or "").splitlines()[0],
            "inputSchema": input_schema(self.verb, self.parameters.values()),
            "outputSchema": output_schema(self.verb),
            "annotations": TOOLS[self.verb],
        }

    @property
    def shows_messages(self) -> bool:
        """True where a result may have texts of others."""
        return TOOLS[self.verb] is LOOKS and "identity" in self.parameters

    @property
    def shown_files(self) -> Any:
        """The function that names the messages of an outcome, where an outcome shows any."""
        return self.function.__globals__.get("shown_files")


_loaded: dict[str, Tool] = {}


def find_tool(name: str) -> Tool | None:
    """The tool of that name, loaded once."""
    verb = name.removeprefix(PREFIX)
    if verb not in TOOLS or not name.startswith(PREFIX):
        return None
    if verb not in _loaded:
        _loaded[verb] = Tool(verb)
    return _loaded[verb]


def all_tools() -> list[Tool]:
    """All tools, in the order of TOOLS."""
    return [tool for tool in (find_tool(PREFIX + verb) for verb in TOOLS) if tool is not None]
