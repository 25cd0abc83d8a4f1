"""install.sh, as far as it goes without a network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .clients import CLIENTS, HERE, ClientMissing

CLAUDE = CLIENTS["claude-code"]
VERSION = CLAUDE.version
CLIENT = Path("agentmail-hosts", f"claude-code-{VERSION}", "node_modules", ".bin", "claude")
NPM = """#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
[ ! -e "$BREAK" ] || exit 1
mkdir -p "$2/node_modules/.bin"
printf '#!/bin/sh\\necho "%s (Claude Code)"\\n' "$ANSWERS" >"$2/node_modules/.bin/claude"
chmod +x "$2/node_modules/.bin/claude"
"""


def install(cache: Path, path: str, *hosts: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the script for these hosts, else Claude Code, with this cache and PATH and nothing else."""
    hosts = hosts or ("claude-code",)
    return subprocess.run(
        ["/bin/sh", str(HERE / "install.sh"), *hosts],
        env={"HOME": str(cache / "home"), "XDG_CACHE_HOME": str(cache), "PATH": path, **env},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def tools(tmp_path: Path) -> str:
    """A PATH of the system's tools, without node and npm."""
    directory = tmp_path / "tools"
    directory.mkdir()
    for name in ("cat", "dirname", "env", "mkdir", "mktemp", "mv", "rm", "tail", "chmod", "grep", "uname"):
        found = next(p for d in ("/usr/bin", "/bin") if (p := Path(d, name)).exists())
        (directory / name).symlink_to(found)
    return str(directory)


def give_npm(tools: str) -> None:
    """Put an npm and a node there that need no network."""
    for name, body in (("npm", NPM), ("node", '#!/bin/sh\nshift 2\nmv "$1" "$2"\n')):
        program = Path(tools, name)
        program.write_text(body)
        program.chmod(0o755)


def test_without_node_it_exits_3_with_one_line_and_leaves_nothing(tmp_path: Path, tools: str) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    done = install(cache, tools)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1
    assert "node is missing" in done.stderr
    assert list(cache.iterdir()) == []


def test_a_client_that_is_there_is_left_alone_even_without_node(tmp_path: Path, tools: str) -> None:
    client = tmp_path / CLIENT
    client.parent.mkdir(parents=True)
    client.write_text("mine")
    client.chmod(0o755)
    done = install(tmp_path, tools)
    assert done.returncode == 0
    assert done.stdout.count("\n") == 1
    assert client.read_text() == "mine"


def test_it_puts_the_whole_client_in_its_place_and_nothing_beside_it(tmp_path: Path, tools: str) -> None:
    give_npm(tools)
    done = install(tmp_path, tools, ANSWERS=VERSION)
    assert done.returncode == 0, done.stderr
    assert os.access(tmp_path / CLIENT, os.X_OK)
    assert [entry.name for entry in (tmp_path / "agentmail-hosts").iterdir()] == [f"claude-code-{VERSION}"]


@pytest.mark.parametrize("answers", ["1.0.0", ""])
def test_a_client_of_another_version_is_not_installed(tmp_path: Path, tools: str, answers: str) -> None:
    give_npm(tools)
    done = install(tmp_path, tools, ANSWERS=answers)
    assert done.returncode == 1
    assert list((tmp_path / "agentmail-hosts").iterdir()) == []


def test_a_failed_installation_leaves_nothing_behind(tmp_path: Path, tools: str) -> None:
    give_npm(tools)
    (tmp_path / "broken").touch()
    done = install(tmp_path, tools, ANSWERS=VERSION, BREAK=str(tmp_path / "broken"))
    assert done.returncode == 1
    assert "npm failed" in done.stderr
    assert list((tmp_path / "agentmail-hosts").iterdir()) == []


def test_half_a_client_left_by_hand_is_replaced(tmp_path: Path, tools: str) -> None:
    give_npm(tools)
    (tmp_path / CLIENT).parent.mkdir(parents=True)
    assert install(tmp_path, tools, ANSWERS=VERSION).returncode == 0
    assert os.access(tmp_path / CLIENT, os.X_OK)


def test_a_host_that_is_not_listed_is_refused_and_the_others_are_installed(
    tmp_path: Path, tools: str
) -> None:
    give_npm(tools)
    done = install(tmp_path, tools, "parrot", "claude-code", ANSWERS=VERSION)
    assert done.returncode == 2
    assert "parrot" in done.stderr
    assert os.access(tmp_path / CLIENT, os.X_OK)


def test_without_a_name_every_client_is_installed(tmp_path: Path, tools: str) -> None:
    done = subprocess.run(
        ["/bin/sh", str(HERE / "install.sh")],
        env={"XDG_CACHE_HOME": str(tmp_path), "PATH": tools},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 3
    assert [line.split()[0] for line in done.stderr.splitlines()] == list(CLIENTS)


def test_the_client_is_looked_for_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(CLAUDE.variable, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert CLAUDE.cached() == tmp_path / CLIENT
    assert CLAUDE.find() is None


def test_a_named_client_that_is_not_there_is_an_error_not_a_skip(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CLAUDE.variable == "AGENTMAIL_TEST_CLAUDE"
    monkeypatch.setenv(CLAUDE.variable, "/nowhere/claude")
    with pytest.raises(ClientMissing):
        CLAUDE.find()
