"""Every message that docs/claude-code.md quotes in its table of symptoms is a text of the program."""

from __future__ import annotations

import ast
import re

from tests.support.cli import ROOT


def quoted() -> list[str]:
    """The messages in the first column of the table."""
    page = (ROOT / "docs" / "claude-code.md").read_text(encoding="utf-8")
    table = page.split("| you see | cause and fix |")[1].split("\n\n")[0]
    return [text for row in table.splitlines()[2:] for text in re.findall(r"`([^`]+)`", row.split("|")[1])]


def program_texts() -> str:
    """Every piece of text in the program's source, one in each line."""
    modules = (
        ast.parse(file.read_text(encoding="utf-8")) for file in sorted((ROOT / "agentmail").rglob("*.py"))
    )
    nodes = (node for module in modules for node in ast.walk(module) if isinstance(node, ast.Constant))
    return "\n".join(node.value for node in nodes if isinstance(node.value, str))


def test_each_quoted_message_is_a_text_of_the_program() -> None:
    texts = program_texts()
    messages = quoted()
    assert len(messages) >= 7
    parts = [part.strip(" ,") for message in messages for part in message.split("...")]
    assert [part for part in parts if part not in texts] == []
