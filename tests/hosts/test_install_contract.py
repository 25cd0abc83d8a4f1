"""What the installer of every host promises, tried on each of them in the same way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentmail import hosts
from agentmail.core.environment import Environment
from agentmail.core.fs import Disk
from agentmail.core.layout import Bus
from agentmail.hosts.base import load_install
from agentmail.hosts.own_file import SEAL
from agentmail.verbs.wire import each_once
from tests.support.cli import Ran
from tests.support.in_process import run_with
from tests.support.trees import tree

#: Settings as people have them: with a layout of their own, other programs' hooks, and nothing of ours.
THEIRS = b'{\n\t"theme" : "dark",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}\n}\n'
LONG_AGO = (1_000_000_000, 1_000_000_000)
#: The folder of each host, by which it is found.
FOLDERS = {
    "claude-code": ".claude",
    "codex": ".codex",
    "gemini": ".gemini",
    "opencode": ".config/opencode",
    "pi": ".pi/agent",
}


class Machine:
    """A home in which one host is found, and the command line in it."""

    def __init__(self, root: Path, host: str) -> None:
        self.host = host
        self.home, self.project, self.elsewhere = (root / name for name in ("home", "project", "elsewhere"))
        for folder in (self.home, self.project, self.elsewhere):
            folder.mkdir()
        self.folder = self.home / FOLDERS[host]
        self.folder.mkdir(parents=True)
        #: A system's own programs, and no agent program.
        self.variables = {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}

    def __call__(self, *words: str, disk: Disk | None = None) -> Ran:
        environment = Environment(self.variables, str(self.project))
        bus = Bus(environment.bus_path(), disk) if disk is not None else None
        return run_with(words, environment, bus)

    def done(self, *words: str, code: int = 0, **how: Any) -> dict[str, Any]:
        """What the JSON answer of wire or unwire says of the host."""
        ran = self(words[0], self.host, "--json", *words[1:], **how)
        assert ran.code == code, ran
        (found,) = ran.json["hosts"]
        assert found["host"] == self.host
        return dict(found)

    @property
    def path(self) -> Path:
        """The file that starts our hooks, whether or not it is there."""
        return Path(self.done("wire", "--dry-run")["path"])

    @property
    def is_settings(self) -> bool:
        """Is that file the host's own settings, and not a file that is ours as a whole?"""
        return self.path.suffix == ".json"

    def put(self, data: bytes) -> Path:
        """Give the file these bytes, as somebody did long ago."""
        path = self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, LONG_AGO)
        return path

    def owned(self) -> list[Path]:
        """The files that are ours as a whole."""
        files = [path for path in self.home.rglob("*") if path.is_file() and not path.is_symlink()]
        return [path for path in files if SEAL.encode() in path.read_bytes()]


@pytest.fixture(params=[name for name, _, _ in hosts.HOSTS])
def machine(request: pytest.FixtureRequest, quick_path: Path) -> Machine:
    return Machine(quick_path, request.param)


def times(path: Path) -> dict[Path, tuple[int, int]]:
    return {one: (one.stat().st_ino, one.stat().st_mtime_ns) for one in path.rglob("*") if one.is_file()}


# --- there and back ----------------------------------------------------------------------------------------


def test_wire_then_unwire_leaves_every_byte_as_it_was(machine: Machine) -> None:
    (machine.folder / "theirs.txt").write_text("theirs")
    before = tree(machine.home)
    assert machine.done("wire")["outcome"] == "wired"
    assert tree(machine.home) != before
    assert machine.done("unwire")["outcome"] == "restored"
    assert tree(machine.home) == before
    assert machine.done("unwire")["outcome"] == "not-wired"
    assert tree(machine.home) == before


def test_a_missing_folder_is_made_and_removed_again(machine: Machine) -> None:
    shutil.rmtree(machine.home)
    machine.home.mkdir()
    before = tree(machine.home)
    machine.done("wire")
    machine.done("unwire")
    assert tree(machine.home) == before


def test_settings_that_were_there_are_restored_and_the_entries_of_others_stay_in_place(
    machine: Machine,
) -> None:
    if not machine.is_settings:
        pytest.skip("its file is ours as a whole")
    path = machine.put(THEIRS)
    before = tree(machine.home)
    machine.done("wire")
    assert path.read_bytes().startswith(THEIRS.partition(b"}]}")[0])
    assert json.loads(path.read_bytes())["hooks"]["Stop"] == json.loads(THEIRS)["hooks"]["Stop"]
    machine.done("unwire")
    assert tree(machine.home) == before


def test_what_others_changed_since_stays_and_only_our_entries_go(machine: Machine) -> None:
    if not machine.is_settings:
        pytest.skip("its file is ours as a whole")
    path = machine.put(THEIRS)
    machine.done("wire")
    path.write_bytes(path.read_bytes().replace(b'"dark"', b'"light"'))
    os.utime(path, LONG_AGO)
    assert machine.done("unwire")["outcome"] == "unwired"
    assert path.read_bytes() == THEIRS.replace(b'"dark"', b'"light"')


def test_wiring_again_writes_nothing(machine: Machine) -> None:
    machine.done("wire")
    once = times(machine.home)
    assert machine.done("wire")["outcome"] == "already-wired"
    assert times(machine.home) == once


def test_a_dry_run_changes_nothing_and_its_diff_is_what_is_done(machine: Machine) -> None:
    before = tree(machine.home)
    planned = machine.done("wire", "--dry-run")
    assert (planned["outcome"], tree(machine.home)) == ("would-wire", before)
    machine.done("wire")
    files = [path for path in machine.home.rglob("*") if path.is_file() and path.name[0] != "."]
    for path in files:
        assert str(path) in planned["diff"]
    added = [line[1:] for line in planned["diff"].split("\n") if line[:1] == "+" and line[:3] != "+++"]
    assert sorted(added) == sorted(line for path in files for line in path.read_text().splitlines())
    assert machine.done("wire", "--dry-run")["diff"] == ""


# --- what is not changed -----------------------------------------------------------------------------------


def test_a_file_that_is_not_understood_is_refused_and_untouched(machine: Machine) -> None:
    machine.put(b"// theirs\n{ not ours }\n")
    before = tree(machine.home)
    for words in (("wire",), ("wire", "--dry-run")):
        ran = machine(words[0], machine.host, *words[1:])
        assert (ran.code, str(machine.folder) in ran.err) == (2, True)
        assert "nothing was changed" in ran.err
    assert tree(machine.home) == before


def test_a_file_made_read_only_is_not_changed(machine: Machine) -> None:
    if machine.is_settings:
        path = machine.put(THEIRS)
    else:
        machine.done("wire")
        (path,) = machine.owned()
        machine.done("unwire")
        machine.put(earlier(machine))
    path.chmod(0o400)
    before = tree(machine.home)
    ran = machine("wire", machine.host)
    assert (ran.code, "read-only" in ran.err) == (75, True)
    assert tree(machine.home) == before


def earlier(machine: Machine) -> bytes:
    """The file of ours as an earlier version wrote it."""
    from agentmail.hosts.own_file import seal

    return seal("an earlier text\n", 0, "//")


def test_a_symlink_stays_and_its_target_is_changed_and_restored(machine: Machine) -> None:
    target = machine.elsewhere / "theirs"
    shutil.move(machine.folder, target)
    machine.folder.symlink_to(target)
    path = machine.put(THEIRS) if machine.is_settings else machine.path
    before = (tree(machine.home), tree(machine.elsewhere))
    machine.done("wire")
    assert machine.folder.is_symlink()
    assert path.resolve().is_relative_to(target)
    machine.done("unwire")
    assert (tree(machine.home), tree(machine.elsewhere)) == before


def test_a_settings_file_that_is_a_symlink_stays_one(machine: Machine) -> None:
    if not machine.is_settings:
        pytest.skip("its file is ours as a whole")
    path, target = machine.put(THEIRS), machine.elsewhere / "settings"
    shutil.move(path, target)
    path.symlink_to(target)
    before = (tree(machine.home), tree(machine.elsewhere))
    machine.done("wire")
    assert (path.is_symlink(), target.read_bytes() != THEIRS) == (True, True)
    machine.done("unwire")
    assert (tree(machine.home), tree(machine.elsewhere)) == before


class Meanwhile(Disk):
    """A disk on which somebody saves a file right before the first call of one kind."""

    def __init__(self, op: str, save: Callable[[], object]) -> None:
        super().__init__()
        self.op, self.save = op, save

    def invoke(self, op: str, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        if op == self.op:
            self.op = ""
            self.save()
        return super().invoke(op, function, *args, **kwargs)


def test_what_another_program_saves_meanwhile_is_kept(machine: Machine) -> None:
    if not machine.is_settings:
        pytest.skip("its file is ours as a whole")
    path = machine.put(THEIRS)
    saved = THEIRS.replace(b'"dark"', b'"saved meanwhile"')
    machine.done("wire", disk=Meanwhile("exchange", lambda: path.write_bytes(saved)))
    assert json.loads(path.read_bytes())["theme"] == "saved meanwhile"
    assert len(json.loads(path.read_bytes())["hooks"]) > 1
    machine.done("unwire")
    assert path.read_bytes() == saved


def test_a_file_that_is_half_written_is_read_again(machine: Machine) -> None:
    if not machine.is_settings:
        pytest.skip("its file is ours as a whole")
    path = machine.put(THEIRS)
    path.write_bytes(THEIRS[:20])
    machine.done("wire", disk=Meanwhile("close", lambda: path.write_bytes(THEIRS)))
    machine.done("unwire")
    assert path.read_bytes() == THEIRS


def test_a_file_of_ours_that_was_changed_is_kept_and_named(machine: Machine) -> None:
    machine.done("wire")
    owned = machine.owned()
    for path in owned:
        *lines, last = path.read_text().splitlines(keepends=True)
        path.write_text("".join([*lines, "changed\n", last]))
        os.utime(path, LONG_AGO)
    assert machine.done("unwire")["kept"] == [str(path) for path in owned]
    assert all("\nchanged\n" in path.read_text() for path in owned)


# --- the entry that starts our server of tools ---------------------------------------------------------------

#: The text before our entry, with a comment where the format has comments, and an entry of another's under our name.
SERVERS = {
    "claude-code": (
        b'{\n\t"numStartups" : 3,\n\t"mcpServers": {"theirs": {"command": "x"}}\n}\n',
        b'"mcpServers": {',
    ),
    "codex": (b'# mine\nmodel = "x"  # this one\n\n[mcp_servers.theirs]\ncommand = "x"\n# last\n', b""),
    "gemini": (
        b'{\n\t"theme" : "dark",\n\t"mcpServers": {"theirs": {"command": "x"}}\n}\n',
        b'"mcpServers": {',
    ),
    "opencode": (
        b'{\n  "mcp": {\n    "theirs": {"type": "local", "command": ["x"]}\n  }\n}\n',
        b'"mcp": {\n',
    ),
    "pi": (b'{"mcpServers": {"theirs": {"command": "x"}}}', b'"mcpServers": {'),
}
FOREIGN = {
    "codex": b'\n[mcp_servers.agentmail]\ncommand = "other"\n',
    "opencode": b'"agentmail": {"type": "local", "command": ["other"]},',
}
BY_HAND = {
    "codex": b'\n[mcp_servers.agentmail]\ncommand = "/x/agentmail"\nargs = ["mcp"]\n',
    "opencode": b'"agentmail": {"type": "local", "command": ["/x/agentmail", "mcp"]},',
}


def server_file(machine: Machine, data: bytes | None = None) -> Path:
    """The file of the entry, with these bytes as somebody wrote them long ago."""
    path = Path(machine.done("wire", "--mcp", "--dry-run")["server"])
    if data is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, LONG_AGO)
    return path


def with_entry(host: str, entries: dict[str, bytes]) -> bytes:
    data, section = SERVERS[host]
    if host == "codex":
        return data + entries[host]
    entry = entries.get(host) or (
        b'"agentmail": {"command": "other"},'
        if entries is FOREIGN
        else b'"agentmail": {"command": "/x/agentmail", "args": ["mcp"]},'
    )
    return data.replace(section, section + entry)


def entry_in(path: Path) -> Any:
    data = path.read_bytes()
    if path.suffix == ".toml":
        return tomllib.loads(data.decode())["mcp_servers"]["agentmail"]
    found = json.loads(data)
    return (found.get("mcpServers") or found["mcp"])["agentmail"]


def words_of(path: Path) -> list[str]:
    entry = entry_in(path)
    command = entry["command"]
    return [str(word) for word in (command if isinstance(command, list) else [command, *entry["args"]])]


def test_the_server_is_added_to_the_settings_of_others_and_removed_to_the_byte(machine: Machine) -> None:
    path = server_file(machine, SERVERS[machine.host][0])
    before = tree(machine.home)
    found = machine.done("wire", "--mcp")
    assert found["server"] == str(path)
    assert words_of(path)[-2:][0].endswith("hooks/run")
    assert machine.done("wire", "--mcp")["outcome"] == "already-wired"
    assert machine.done("unwire")["outcome"] == "restored"
    assert tree(machine.home) == before


def test_a_file_made_for_the_server_is_removed_with_its_folder(machine: Machine) -> None:
    shutil.rmtree(machine.home)
    machine.home.mkdir()
    before = tree(machine.home)
    machine.done("wire", "--mcp")
    assert machine.done("unwire")["outcome"] == "restored"
    assert tree(machine.home) == before


def test_a_dry_run_shows_the_server_and_adds_nothing(machine: Machine) -> None:
    path = server_file(machine, SERVERS[machine.host][0])
    before = tree(machine.home)
    planned = machine.done("wire", "--mcp", "--dry-run")
    assert (planned["outcome"], tree(machine.home)) == ("would-wire", before)
    machine.done("wire", "--mcp")
    added = [line[1:] for line in planned["diff"].split("\n") if line[:1] == "+"]
    assert [line for line in path.read_text().splitlines() if "agentmail-mcp" in line] == [
        line for line in added if "agentmail-mcp" in line
    ]


def test_what_others_changed_beside_the_server_stays(machine: Machine) -> None:
    data = SERVERS[machine.host][0]
    path = server_file(machine, data)
    machine.done("wire", "--mcp")
    path.write_bytes(path.read_bytes().replace(b'"x"', b'"changed"'))
    os.utime(path, LONG_AGO)
    machine.done("unwire")
    assert path.read_bytes() == data.replace(b'"x"', b'"changed"')


def test_only_codex_gets_the_server_unasked_and_once_it_is_there_it_is_kept_up(machine: Machine) -> None:
    path = server_file(machine)
    found = machine.done("wire")
    assert bool(found["server"]) == (machine.host == "codex")
    machine.done("wire", "--mcp")
    old = path.read_bytes().replace(b"hooks/run", b"earlier/run")
    path.write_bytes(old)
    os.utime(path, LONG_AGO)
    assert machine.done("wire")["server"] == str(path)
    assert "earlier" not in path.read_text()


def test_a_server_of_others_under_our_name_is_refused_and_stays(machine: Machine) -> None:
    path = server_file(machine, with_entry(machine.host, FOREIGN))
    before = tree(machine.home)
    for words in (("wire", "--mcp"), ("wire", "--mcp", "--dry-run")):
        ran = machine(words[0], machine.host, *words[1:])
        assert (ran.code, "another server called agentmail" in ran.err) == (2, True), ran
        assert str(path) in ran.err
        assert "agentmail-mcp" in ran.out  # what to add by hand, under another name
    assert tree(machine.home) == before
    wired = machine("wire", machine.host)
    assert wired.code == 0
    assert ("the tools of mail are not added" in wired.err) == (machine.host == "codex")
    machine.done("unwire")
    assert tree(machine.home) == before


def test_a_server_of_ours_that_was_added_by_hand_stays_as_it_is(machine: Machine) -> None:
    path = server_file(machine, with_entry(machine.host, BY_HAND))
    before = tree(machine.home)
    entry = entry_in(path)
    machine.done("wire", "--mcp")
    assert entry_in(path) == entry
    machine.done("unwire")
    assert tree(machine.home) == before


def test_settings_of_servers_that_are_not_understood_are_refused_and_untouched(machine: Machine) -> None:
    server_file(machine, b"{ not ours }")
    before = tree(machine.home)
    ran = machine("wire", machine.host, "--mcp")
    assert (ran.code, "nothing was changed" in ran.err) == (2, True)
    assert tree(machine.home) == before


def test_doctor_shows_the_server_and_where_it_is_gone(machine: Machine) -> None:
    path = server_file(machine)

    def said() -> list[tuple[str, str]]:
        found = machine("doctor", "--json").json["findings"]
        return [
            (one["level"], one["what"])
            for one in found
            if str(path) in one["what"] and "serv" in one["what"] + "server"
        ]

    machine.done("wire", "--mcp")
    assert any("has mail as tools" in what for _, what in said())
    path.write_bytes(path.read_bytes().replace(b"/hooks/run", b"/gone/run"))
    assert ("problem", True) in [(level, "as a server, which is gone" in what) for level, what in said()]
    machine.done("wire", "--mcp")
    assert not [one for one in said() if one[0] == "problem"]


def test_the_entry_serves_the_tools_and_without_the_package_it_serves_none(machine: Machine) -> None:
    path = server_file(machine)
    machine.done("wire", "--mcp")
    words = words_of(path)
    assert {"mail_send", "mail_check"} <= set(tools_of(words, machine.variables))
    gone = [word.replace("/hooks/run", "/gone/run") for word in words]
    assert tools_of(gone, machine.variables) == []


def tools_of(words: list[str], variables: dict[str, str]) -> list[str]:
    """The tools that a client is told of by a server that these words start. Nothing else is said, and no error."""
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    }
    messages = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"method": "tools/list", "jsonrpc": "2.0", "id": 1},
    ]
    lines = "".join(json.dumps(one, separators=(",", ":")) + "\n" for one in messages)
    done = subprocess.run(words, input=lines, capture_output=True, text=True, env=variables, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert (first["id"], first["result"]["serverInfo"]["name"], second["id"]) == (0, "agentmail", 1)
    return [one["name"] for one in second["result"]["tools"]]


def test_the_server_is_for_all_projects(machine: Machine) -> None:
    before = tree(machine.home)
    ran = machine("wire", machine.host, "--mcp", "--project", ".")
    assert (ran.code, "for all projects" in ran.err) == (2, True)
    assert tree(machine.home) == before


# --- several levels, several hosts ---------------------------------------------------------------------------


def test_a_project_is_refused_where_every_session_is_wired(machine: Machine) -> None:
    machine.done("wire")
    before = tree(machine.project)
    ran = machine("wire", machine.host, "--project", ".")
    assert (ran.code, "twice" in ran.err or "run once" in ran.err) == (2, True)
    assert tree(machine.project) == before


def test_without_a_host_named_every_host_found_is_wired_and_named(machine: Machine) -> None:
    other = "gemini" if machine.host != "gemini" else "codex"
    program = machine.elsewhere / other
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    machine.variables["PATH"] += f":{machine.elsewhere}"
    before = tree(machine.home)
    ran = machine("wire")
    titles = {load_install(machine.host).title, load_install(other).title}
    assert {line.partition(": ")[0] for line in ran.lines} == titles
    assert {one["host"] for one in machine("wire", "--json").json["hosts"]} == {machine.host, other}
    machine("unwire")
    assert tree(machine.home) == before


def test_a_warning_about_every_host_is_printed_once() -> None:
    warnings = {"it is temporary": ["Codex", "Pi"], "it has no guard": ["Pi"]}
    assert each_once(warnings, 2) == ["it is temporary", "Pi: it has no guard"]
    assert each_once(warnings, 3) == ["Codex, Pi: it is temporary", "Pi: it has no guard"]


def test_a_host_that_cannot_be_wired_does_not_keep_another_from_it(machine: Machine) -> None:
    other = "gemini" if machine.host != "gemini" else "codex"
    machine.put(b"// theirs\n{ not ours }\n")
    ran = machine("wire", machine.host, other, "--json")
    first, second = ran.json["hosts"]
    assert (ran.code, first["outcome"], second["outcome"]) == (1, "refused", "wired")
    assert "nothing was changed" in first["error"]


def test_doctor_says_where_a_host_is_wired_and_that_it_answers(machine: Machine) -> None:
    title = load_install(machine.host).title

    def findings() -> list[tuple[str, str]]:
        found = machine("doctor", "--json").json["findings"]
        return [(one["level"], one["what"]) for one in found if one["subject"] == title]

    [(level, said)] = findings()
    assert (level, said.endswith("wired, so sessions are not told of mail")) == ("note", True)
    machine.done("wire")
    levels, texts = zip(*findings(), strict=True)
    assert "problem" not in levels
    assert any(str(machine.path) in text and "wired" in text for text in texts), texts


def test_what_a_host_does_not_have_is_said_and_the_rest_is_done(machine: Machine) -> None:
    ran = machine("wire", machine.host, "--wake", "--strict", "--trust")
    assert ran.code == 0
    capabilities = load_install(machine.host).capabilities
    for option in ("wake", "strict"):
        said = f"--{option} does nothing there" in ran.err or f"warning: {option}: no" in ran.err
        assert said == capabilities[option].startswith("no"), option
