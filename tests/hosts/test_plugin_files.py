"""The plugin files agree with the package, and the skill stays small."""

from __future__ import annotations

import json
import os
import re

import pytest

import agentmail
from tests.support.cli import ROOT

PLUGIN = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())
MARKET = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())
SKILL = (ROOT / "skills" / "agent-mail" / "SKILL.md").read_text()
#: A word or a mark is a token and a half at most, on the average of English prose with code in it.
TOKENS_A_WORD = 1.5


def test_the_plugin_has_the_version_of_the_package():
    assert PLUGIN["version"] == agentmail.__version__


def test_the_plugin_uses_hooks_json():
    assert PLUGIN["hooks"] == "./hooks.json"
    assert not (ROOT / "hooks" / "hooks.json").exists()


def test_the_repository_is_its_own_marketplace():
    [entry] = MARKET["plugins"]
    assert (entry["name"], entry["source"]) == (PLUGIN["name"], "./")


@pytest.mark.parametrize("name", ["hooks.json", "hooks/wake.json"])
def test_every_entry_runs_a_program_of_ours_in_quotes_with_a_time_limit(name):
    for event, groups in json.loads((ROOT / name).read_text())["hooks"].items():
        for entry in [entry for group in groups for entry in group["hooks"]]:
            found = re.fullmatch(
                r'exec "\$\{CLAUDE_PLUGIN_ROOT\}/hooks/(mail-[a-z]+)"(?: (\w+))?', entry["command"]
            )
            assert found, entry
            assert os.access(ROOT / "hooks" / found[1], os.X_OK)
            assert found[2] in (event, None)
            assert (entry["type"], entry["timeout"]) == ("command", 5)


def test_the_skill_states_when_to_use_it_and_fits_in_700_tokens():
    front, _, text = SKILL.removeprefix("---\n").partition("---\n")
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert fields.keys() == {"name", "description"}
    assert fields["name"] == "agent-mail"
    assert "Use it when" in fields["description"]
    assert "Not for human e-mail" in fields["description"]
    assert len(fields["description"]) < 1024
    assert len(SKILL.split()) * TOKENS_A_WORD < 700
    assert len(SKILL) / 4 < 700
    assert text


def test_the_skill_names_only_existing_commands():
    from agentmail.verbs.catalogue import VERBS

    assert set(re.findall(r"agentmail ([a-z]+)", SKILL)) <= set(VERBS)
