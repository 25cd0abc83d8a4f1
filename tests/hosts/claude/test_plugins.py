"""What our plugin relies on in the client."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.hosts.rig.script import text

from .probes import hooks
from .rig import Rig

pytestmark = pytest.mark.hosts


def plugin(rig: Rig, directory: str) -> Path:
    """A plugin that is its own marketplace, with its hooks in hooks.json at the top."""
    root = rig.root / directory
    (root / ".claude-plugin").mkdir(parents=True)
    hook = root / "hook"
    entry = rig.probe("--context", "plugin's words")
    command = " ".join(shlex.quote(word) for word in [entry["command"], *entry["args"]])
    hook.write_text(
        f'#!/bin/sh\necho "$CLAUDE_PLUGIN_ROOT" >>{shlex.quote(str(rig.root / "roots"))}\nexec {command}\n'
    )
    hook.chmod(0o755)
    quoted = {"type": "command", "command": '"${CLAUDE_PLUGIN_ROOT}/hook"'}
    (root / "hooks.json").write_text(json.dumps(hooks(UserPromptSubmit=quoted)))
    about = {"name": "sample", "description": "a sample", "version": "0.1.0"}
    owner = {"name": "somebody"}
    manifest = {**about, "author": owner, "hooks": "./hooks.json"}
    market = {"name": "samples", "owner": owner, "plugins": [{**about, "source": "./"}]}
    (root / ".claude-plugin" / "plugin.json").write_text(json.dumps(manifest))
    (root / ".claude-plugin" / "marketplace.json").write_text(json.dumps(market))
    return root


WORDS = "UserPromptSubmit hook additional context: plugin's words"


def test_validate_accepts_a_plugin_that_is_its_own_marketplace(claude_rig: Rig) -> None:
    done = claude_rig.plugins.validate(plugin(claude_rig, "sample"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_validate_refuses_hooks_without_the_wrapper(claude_rig: Rig) -> None:
    root = plugin(claude_rig, "sample")
    (root / "hooks.json").write_text(json.dumps({"UserPromptSubmit": []}))
    done = claude_rig.plugins.validate(root)
    assert done.returncode != 0
    assert "hooks.json" in done.stdout + done.stderr


def test_a_plugin_directory_given_on_the_command_line_runs_its_hooks(claude_rig: Rig) -> None:
    root = plugin(claude_rig, "a place with spaces")
    run = claude_rig.run("hello", [text("done")], plugins=[root])
    assert WORDS in run.injected()
    assert (claude_rig.root / "roots").read_text() == f"{root}\n"


def test_a_plugin_installed_from_a_directory_runs_where_it_stands(claude_rig: Rig) -> None:
    root = plugin(claude_rig, "a place with spaces")
    added = claude_rig.plugins.add_marketplace(root)
    assert added.returncode == 0, added.stdout + added.stderr
    installed = claude_rig.plugins.install("sample@samples")
    assert installed.returncode == 0, installed.stdout + installed.stderr
    run = claude_rig.run("hello", [text("done")])
    assert run.injected().count(WORDS) == 1
    assert (claude_rig.root / "roots").read_text() == f"{root}\n"


def test_the_same_hook_in_settings_and_in_a_plugin_runs_twice(claude_rig: Rig) -> None:
    root = plugin(claude_rig, "sample")
    claude_rig.settings(hooks(UserPromptSubmit={"type": "command", "command": f'"{root}/hook"'}))
    run = claude_rig.run("hello", [text("done")], plugins=[root])
    assert run.injected().count(WORDS) == 2
