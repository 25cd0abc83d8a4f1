"""What `wire` writes besides our entries, and what `unwire` restores."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes.disks import command, mounted
from tests.support.cli import Cli
from tests.support.hooks import POWERLESS, STRANGER, needs_modes
from tests.support.trees import tree
from tests.support.wiring import EVENTS, NOTES, Home

ONLY_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")


@pytest.fixture
def home(quick_path: Path) -> Home:
    return Home(quick_path)


def same(path: Path) -> tuple[int, int, bytes]:
    """A file that was not even written anew."""
    info = path.stat()
    return info.st_ino, info.st_mtime_ns, path.read_bytes()


# --- what unwire puts back -------------------------------------------------------------------------------------


def test_later_changes_of_others_stay_and_only_ours_are_removed(home: Home) -> None:
    home.put('{\n\t"a": 1\n}\n')
    home.wire()
    home.settings.write_text(home.settings.read_text().replace('"a": 1', '"a": 2'))
    assert home.unwire().lines[0] == f"unwired {home.settings} ({', '.join(EVENTS)})"
    assert home.settings.read_text() == '{\n\t"a": 2\n}\n'
    assert set(os.listdir(home.config)) == {"settings.json"}


def test_a_file_that_wire_made_and_others_edited_stays(home: Home) -> None:
    home.wire()
    home.settings.write_text(json.dumps({**home.load(), "model": "x"}))
    home.unwire()
    assert home.load() == {"model": "x"}


def test_the_file_from_before_the_first_of_several_wirings_is_restored(home: Home) -> None:
    home.put(b"")
    home.wire()
    home.wire("--wake")
    assert home.unwire().lines == [f"{home.settings} is as it was before wire"]
    assert home.settings.read_bytes() == b""


def test_the_backup_is_a_plain_copy_for_its_owner_alone_made_once(home: Home) -> None:
    data = b'{"a": 1}'
    home.put(data).chmod(0o644)
    home.wire()
    home.wire("--wake")
    assert set(os.listdir(home.config)) == {"settings.json", *NOTES}
    backup = home.config / ".settings.json.before-agentmail"
    assert backup.read_bytes() == data
    assert {stat.S_IMODE((home.config / note).stat().st_mode) for note in NOTES} == {0o600}


@pytest.mark.parametrize("spoil", ["before", "agentmail"])
def test_a_changed_backup_is_not_used(home: Home, spoil: str) -> None:
    home.put(b"")
    home.wire()
    note = home.config / f".settings.json.{spoil if spoil == 'agentmail' else 'before-agentmail'}"
    note.write_bytes(b'{"evil": 1}')
    home.unwire()
    assert home.load() == {}


def test_unwiring_what_is_not_wired_writes_nothing(home: Home) -> None:
    assert home.unwire().lines == [f"not wired {home.settings}"]
    assert list(home.home.iterdir()) == []
    file = home.put(b'{ "a" :1}')
    before = same(file)
    assert home.unwire().lines == [f"not wired {home.settings}"]
    assert same(file) == before


# --- the file on the disk --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o640, 0o644, 0o600, 0o666])
def test_the_mode_is_kept(home: Home, mode: int) -> None:
    home.put(b"{}").chmod(mode)
    for step in (home.wire, home.unwire):
        step()
        assert stat.S_IMODE(home.settings.stat().st_mode) == mode


def test_the_target_of_a_symlink_is_replaced_and_the_link_stays(home: Home) -> None:
    dotfiles = home.root / "dot files"
    dotfiles.mkdir()
    target = home.put(b'{"a": 1}\n', dotfiles / "claude.json")
    home.config.mkdir()
    home.settings.symlink_to(target)
    home.wire()
    assert home.settings.readlink() == target
    assert [event for event, _ in home.commands(target)] == EVENTS
    assert os.listdir(dotfiles) == ["claude.json"]
    home.unwire()
    assert (home.settings.readlink(), target.read_bytes()) == (target, b'{"a": 1}\n')
    assert os.listdir(dotfiles) == ["claude.json"]


def test_a_symlink_to_nothing_is_refused(home: Home) -> None:
    home.config.mkdir()
    home.settings.symlink_to(home.root / "nothing")
    before = tree(home.root)
    for words in (("wire",), ("wire", "--dry-run"), ("unwire",)):
        assert home(*words).code == 2
    assert tree(home.root) == before


def test_a_read_only_file_is_a_temporary_failure(home: Home) -> None:
    home.put(b'{"a": 1}').chmod(0o444)
    before = tree(home.home)
    for words in (("wire",), ("wire", "--dry-run")):
        ran = home(*words)
        assert (ran.code, "is read-only; nothing was changed" in ran.err) == (75, True)
        assert set(json.loads(ran.out)["hooks"]) == set(EVENTS)
    assert tree(home.home) == before


@ONLY_ROOT
def test_a_file_or_a_directory_of_another_user_is_refused(home: Home) -> None:
    file = home.put(b'{"a": 1}')
    os.chown(file, STRANGER, STRANGER)
    ran = home("wire")
    assert (ran.code, f"belongs to another user (uid {STRANGER})" in ran.err) == (2, True)
    assert file.stat().st_uid == STRANGER
    file.unlink()
    os.chown(home.config, STRANGER, STRANGER)
    assert home("wire").code == 2
    assert list(home.config.iterdir()) == []


@needs_modes
def test_a_read_only_directory_is_a_temporary_failure(home: Home) -> None:
    home.put(b"{}")
    home.config.chmod(0o500)
    before = tree(home.home)
    cli = Cli(home.bus, home.home, AGENT_MAIL_DIR=None)
    done = subprocess.run(
        [*POWERLESS, *cli.command("wire", "claude-code")],
        env=cli.environment(),
        cwd=home.project,
        capture_output=True,
        text=True,
    )
    home.config.chmod(0o700)
    assert (done.returncode, "cannot be changed: Permission denied" in done.stderr) == (75, True)
    assert set(json.loads(done.stdout)["hooks"]) == set(EVENTS)
    home.config.chmod(0o500)
    assert tree(home.home) == before


@contextmanager
def read_only(place: Path) -> Iterator[None]:
    with mounted(place, "--bind", place):
        command("mount", "-o", "remount,bind,ro", place)
        yield


@pytest.mark.parametrize("words", [("wire",), ("wire", "--dry-run"), ("wire", "--wake")], ids=" ".join)
def test_on_a_read_only_file_system_nothing_is_tried_and_the_entries_are_printed(
    home: Home, words: tuple[str, ...]
) -> None:
    home.put(b'{"a": 1}')
    before = tree(home.home)
    with read_only(home.config):
        ran = home(*words)
    what = (
        "is on a read-only file system; nothing was changed; add or remove the entries where the file is made"
    )
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert ran.err.startswith(f"agentmail: {home.settings} {what}")
    assert set(EVENTS) <= set(json.loads(ran.out)["hooks"])
    assert tree(home.home) == before


def test_on_a_read_only_file_system_unwire_changes_nothing_and_what_is_wired_is_wired(home: Home) -> None:
    home.wire()
    before = tree(home.home)
    with read_only(home.config):
        wired = [home("wire"), home("wire", "--dry-run")]
        ran = home("unwire")
    assert [one.code for one in wired] == [0, 0]
    assert all(one.out.startswith("already wired ") for one in wired)
    assert (ran.code, "is on a read-only file system; nothing was changed" in ran.err) == (2, True)
    assert tree(home.home) == before


@needs_modes
def test_an_error_names_no_file_of_ours_that_never_came_to_be(home: Home) -> None:
    home.put(b"{}")
    home.config.chmod(0o500)
    cli = Cli(home.bus, home.home, AGENT_MAIL_DIR=None)
    words = [*POWERLESS, *cli.command("wire", "claude-code")]
    done = subprocess.run(words, env=cli.environment(), cwd=home.project, capture_output=True, text=True)
    home.config.chmod(0o700)
    assert done.stderr == (
        f"agentmail: {home.settings} cannot be changed: Permission denied; nothing was changed; "
        "give yourself the right to write in its directory, then try again\n"
    )
