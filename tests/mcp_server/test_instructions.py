"""The instructions: the rules of the skill, in no more words than each session can pay for."""

from __future__ import annotations

import json
import re

from agentmail.mcp.instructions import INSTRUCTIONS, RULES
from agentmail.mcp.tools import PREFIX, TOOLS, all_tools
from tests.mcp_server.raw_client import RawClient
from tests.support.cli import ROOT

SKILL = ROOT / "skills" / "agent-mail" / "SKILL.md"
#: How the skill says it -> how a client without a shell is told.
REPLACED = {
    "with `reply`": "with mail_reply",
    "run `agentmail check`": "call mail_check",
    "that runs `agentmail` acts": "that calls these tools acts",
}
#: The instructions are English; a token of any current model has no fewer than three characters of that on average.
CHARACTERS_PER_TOKEN = 3.5


def test_the_rules_are_those_of_the_skill() -> None:
    rules = " ".join(SKILL.read_text(encoding="utf-8").split("## Rules\n")[1].split())
    for here, there in REPLACED.items():
        assert here in rules
        rules = rules.replace(here, there)
    assert " ".join(RULES.split()) == rules


def test_they_are_short_and_name_only_tools_that_exist() -> None:
    assert len(INSTRUCTIONS) / CHARACTERS_PER_TOKEN < 700
    assert set(re.findall(rf"{PREFIX}([a-z]+)", INSTRUCTIONS)) <= set(TOOLS)


def test_the_page_says_what_a_session_costs() -> None:
    shown = [
        {key: tool.description[key] for key in ("name", "description", "inputSchema")} for tool in all_tools()
    ]
    page = " ".join((ROOT / "docs" / "mcp.md").read_text(encoding="utf-8").split())
    said = re.search(r"([\d,]+) characters about the tools, and ([\d,]+) of instructions", page)
    assert said
    for figure, size in zip(said.groups(), (len(json.dumps(shown)), len(INSTRUCTIONS)), strict=True):
        assert abs(int(figure.replace(",", "")) - size) <= 0.05 * size, size


def test_the_client_gets_them(beta: RawClient) -> None:
    assert beta.initialize()["instructions"] == INSTRUCTIONS
