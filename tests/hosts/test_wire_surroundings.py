"""What beside our entries decides whether our hooks run: managed settings, and the bus that a session looks into."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.processes.within import need, need_root
from tests.support.cli import Cli, Ran
from tests.support.wiring import Home, for_claude_code, group

#: In a mount namespace of its own: files of the test in /etc/claude-code, and everything else as it is.
NAMESPACE = """
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$1/upper,workdir=$1/work" /etc
cp -R "$2" /etc/claude-code
shift 2
exec "$@"
"""


@pytest.fixture
def home(quick_path: Path) -> Home:
    return Home(quick_path)


class Managed:
    """A machine on which somebody else has a say: the command line, with managed settings in their place."""

    def __init__(self, home: Home) -> None:
        need_root()
        need("unshare")
        self.home = home
        self.folder = home.root / "managed"
        self.mount = home.root / "mount"
        for folder in (self.folder / "managed-settings.d", self.mount):
            folder.mkdir(parents=True)
        self.prefix = ["unshare", "-m", "sh", "-c", NAMESPACE, "sh", str(self.mount), str(self.folder)]
        probe = subprocess.run([*self.prefix, "true"], capture_output=True, text=True)
        if probe.returncode:
            pytest.skip(f"unshare is not possible here: {probe.stderr.strip()}")

    def put(self, name: str, data: dict[str, Any]) -> None:
        (self.folder / name).write_text(json.dumps(data))

    def __call__(self, *words: str) -> Ran:
        cli = Cli(self.home.bus, self.home.home, AGENT_MAIL_DIR=None)
        command = [*self.prefix, *cli.command(*for_claude_code(words))]
        done = subprocess.run(command, env=cli.environment(), cwd=self.home.project, capture_output=True)
        return Ran(done.returncode, done.stdout, done.stderr)

    def findings(self) -> list[tuple[str, str]]:
        found = self("doctor", "--json").json["findings"]
        return [(one["level"], one["what"]) for one in found if one["subject"] == "Claude Code"]


@pytest.fixture
def managed(home: Home) -> Managed:
    return Managed(home)


PLACES = ["managed-settings.json", "managed-settings.d/10-hooks.json"]
SAYS = {
    "disableAllHooks": "so no hook runs",
    "allowManagedHooksOnly": "so the hooks of your own settings do not run",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("key", SAYS)
def test_managed_settings_that_stop_our_hooks_are_said_by_wire_and_doctor(
    home: Home, managed: Managed, key: str, place: str
) -> None:
    managed.put(place, {key: True})
    what = f"/etc/claude-code/{place} says {key}, {SAYS[key]}"
    ran = managed("wire")
    assert (ran.code, f"warning: {what}" in ran.err) == (0, True)
    assert ("problem", what) in managed.findings()
    assert not any("fires" in what for _, what in managed.findings())
    managed.put(place, {key: False})
    assert key not in managed("wire").err
    assert [level for level, _ in managed.findings()] == ["note"]
    assert "and fires" in managed.findings()[0][1]


def test_managed_settings_with_our_entries_are_enough(home: Home, managed: Managed) -> None:
    home.wire()
    managed.put(PLACES[0], {**home.load(), "allowManagedHooksOnly": True})
    home.unwire()
    ran = managed("wire")
    assert ran.code == 2
    assert "/etc/claude-code/managed-settings.json is wired already, for every directory" in ran.err
    assert [level for level, _ in managed.findings()] == ["note"]


def test_managed_settings_that_are_not_understood_stop_nothing(home: Home, managed: Managed) -> None:
    (managed.folder / PLACES[0]).write_text("{")
    ran = managed("wire")
    assert (ran.code, "/etc/claude-code/managed-settings.json is not taken into account" in ran.err) == (
        0,
        True,
    )


def test_allowing_managed_hooks_only_counts_in_managed_settings_alone(home: Home) -> None:
    home.put({"allowManagedHooksOnly": True})
    assert "allowManagedHooksOnly" not in home.wire().err


# --- the bus that a session looks into --------------------------------------------------------------------


def bus_warnings(home: Home, **variables: Any) -> list[str]:
    """What wire and doctor both say about AGENT_MAIL_DIR."""
    said = [line for line in home.wire(**variables).err.splitlines() if "AGENT_MAIL_DIR" in line]
    doctor = home("doctor", "--json", **variables).json["findings"]
    noted = [
        one["what"] for one in doctor if "AGENT_MAIL_DIR" in one["what"] and one["subject"] == "Claude Code"
    ]
    assert [line.removeprefix("agentmail: warning: ") for line in said] == noted
    return noted


def test_a_bus_that_only_this_shell_knows_is_a_warning(home: Home) -> None:
    (said,) = bus_warnings(home, AGENT_MAIL_DIR=str(home.root / "elsewhere"))
    assert said.startswith("AGENT_MAIL_DIR is set in this shell: a session that starts without it looks into")
    assert bus_warnings(home) == []
    assert bus_warnings(home, AGENT_MAIL_DIR=f"{home.bus}/") == []


@pytest.mark.parametrize("level", ["user", "project"])
def test_a_bus_that_the_settings_name_is_no_warning_where_it_is_that_of_this_shell(
    home: Home, level: str
) -> None:
    elsewhere = str(home.root / "elsewhere")
    path = home.settings if level == "user" else home.project_settings
    home.put({"env": {"AGENT_MAIL_DIR": elsewhere}}, path)
    assert bus_warnings(home, AGENT_MAIL_DIR=elsewhere) == []
    for other in (None, str(home.root / "third")):
        (said,) = bus_warnings(home, AGENT_MAIL_DIR=other)
        assert said == f'"env" of {path} sets AGENT_MAIL_DIR to another bus than this shell'


@pytest.mark.parametrize("value", ["", "relative", 7, ["/x"]])
def test_a_value_of_the_wrong_kind_in_the_settings_is_another_bus(home: Home, value: object) -> None:
    home.put({"env": {"AGENT_MAIL_DIR": value}, "hooks": {"Stop": [group("x")]}})
    assert len(bus_warnings(home)) == 1
