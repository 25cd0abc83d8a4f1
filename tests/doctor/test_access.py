"""Doctor sees who may use a bus, and looks as far as the system lets it."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.doctor import doctor
from tests.doctor.examined_bus import OLD, ExaminedBus, message, others, put, the, unchanged
from tests.processes.within import NOBODY, Within, as_nobody, need, need_root
from tests.support.cli import Cli
from tests.support.trees import tree

DOCTOR = """
import json, os, sys
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.doctor import doctor
os.umask(0o077)
print(json.dumps(doctor(Call(Bus(os.environ["AGENT_MAIL_DIR"])), fix="--fix" in sys.argv)))
"""


def mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.lstat().st_mode):04o}"


def test_a_clone_with_the_modes_of_a_umask_is_narrowed_by_fix(examined: ExaminedBus) -> None:
    examined.send()
    examined.archived("done")
    receipts = examined.beta / "sessions" / "m1"
    receipts.mkdir(parents=True)
    put(receipts / "s1.jsonl", b"\n{}")
    put(examined.beta / "tmp" / f"{OLD}-x.md", b"x")
    paths = [examined.path, *examined.path.rglob("*")]
    for path in paths:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert not examined.doctor()["ok"]
    assert mode(examined.path) == "0755"
    found = examined.doctor(fix=True)
    assert found["ok"]
    assert {one["subject"] for one in others(found)} == {
        *("bus", "alpha", "beta", "beta/tmp", "beta/inbox", "beta/archive", "beta/sessions"),
        "beta/sessions/m1",
    }
    assert {mode(path) for path in paths if path.is_dir()} == {"0700"}
    assert {mode(path) for path in paths if path.is_file()} == {"0600"}
    assert unchanged(examined.doctor(fix=True)) == []


def test_on_a_bus_that_git_carries_wide_modes_are_notes_under_a_closed_directory(
    examined: ExaminedBus,
) -> None:
    examined.send()
    (examined.path / ".git").mkdir()
    for path in [*examined.path.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    found = examined.doctor()
    assert found["ok"]
    assert "in a bus that nobody else can enter" in the(found, "bus: ")["what"]
    assert examined.doctor(fix=True)["ok"]
    assert mode(examined.registry) == "0600"
    examined.registry.chmod(0o644)
    examined.path.chmod(0o755)
    assert not examined.doctor()["ok"]


def test_fix_narrows_and_never_widens(examined: ExaminedBus) -> None:
    path = examined.waits(f"{OLD}-x.md")
    path.chmod(0o444)
    (examined.beta / "archive").chmod(0o2577)
    examined.doctor(fix=True)
    assert (mode(path), mode(examined.beta / "archive")) == ("0400", "0500")


def test_fix_narrows_nothing_behind_a_symlink_or_under_another_s_name(
    examined: ExaminedBus, tmp_path: Path
) -> None:
    outside = put(tmp_path / "outside", b"x")
    outside.chmod(0o644)
    (examined.beta / "inbox" / f"{OLD}-link.md").symlink_to(outside)
    (examined.path / ".link").symlink_to(outside)
    repository = examined.path / ".git"
    repository.mkdir()
    repository.chmod(0o755)
    put(repository / "config", b"x").chmod(0o644)
    put(examined.path / "README.md", b"x").chmod(0o644)
    before = tree(tmp_path)
    examined.doctor(fix=True)
    assert tree(tmp_path) == before


def test_a_directory_that_its_owner_may_not_use_is_a_problem_that_fix_leaves(examined: ExaminedBus) -> None:
    (examined.beta / "inbox").chmod(0o500)
    found = examined.doctor(fix=True)
    assert "closed to its own owner: inbox 0500" in the(found, "closed to its own owner", "beta")["what"]
    assert "chmod u+rwx" in the(found, "closed to its own owner", "beta")["fix"]
    assert mode(examined.beta / "inbox") == "0500"
    examined.path.chmod(0o500)
    assert "mode 0500" in the(examined.doctor(fix=True), "closed to its own owner", "bus")["what"]


def test_a_file_that_is_written_in_place_and_that_its_owner_may_not_write_is_a_problem(
    examined: ExaminedBus,
) -> None:
    record = examined.beta / "sessions" / "m1" / "s1.jsonl"
    record.parent.mkdir(parents=True)
    sent = examined.path / "alpha" / "sent"
    sent.mkdir(exist_ok=True)
    facts = sent / f"{OLD}-x.jsonl"
    for path, subject in (
        (record, "beta/sessions/m1"),
        (facts, "alpha/sent"),
        (examined.path / ".registry.lock", "bus"),
    ):
        put(path, b"\n").chmod(0o400)
        found = the(examined.doctor(fix=True), "closed to its own owner", subject)
        assert f"{path.name} 0400" in found["what"]
        assert "`chmod u+rw`" in found["fix"]
        path.chmod(0o600)
        assert not [one for one in others(examined.doctor()) if "owner" in one["what"]]


def test_a_directory_above_that_others_may_write_in_is_a_note(examined: ExaminedBus) -> None:
    above = examined.path.parent
    above.chmod(0o777)
    assert "chmod go-w" in the(examined.doctor(), f"others may write in {above}")["fix"]
    above.chmod(0o1777)
    assert others(examined.doctor()) == []


# Without the rights of root: each of these looks as another user


@pytest.fixture
def nobody() -> Iterator[Within]:
    """The command line as a user who is not root, on a bus of that user's own, with a message for beta."""
    place = Path(tempfile.mkdtemp(prefix="agentmail-doctor-", dir="/tmp"))
    try:
        place.chmod(0o755)
        home = place / "home"
        home.mkdir()
        cli = as_nobody(Cli(home / "bus", home), place)
        os.chown(home, NOBODY, NOBODY)
        for identity in ("alpha", "beta"):
            assert cli("register", identity, "-", "takes", "part").code == 0
        path = put(cli.bus / "beta" / "inbox" / f"{OLD}-hello.md", message(f"{OLD}-hello"))
        os.chown(path, NOBODY, NOBODY)
        yield cli
    finally:
        shutil.rmtree(place)


def diagnosis(cli: Within, *options: str) -> Any:
    """What doctor returns as that user; without typer, which that user may not have."""
    command = [*cli.prefix, cli.python, "-c", DOCTOR, *options]
    done = subprocess.run(command, env=cli.environment(), cwd=cli.home, capture_output=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def test_a_user_s_own_bus_is_healthy(nobody: Within) -> None:
    ran = nobody("doctor")
    assert (ran.code, len(ran.lines), ran.err) == (0, 2, "")


def test_a_bus_of_another_user_is_one_problem(nobody: Within) -> None:
    for permissions in (0o755, 0o700):
        nobody.bus.chmod(permissions)
        os.chown(nobody.bus, 0, 0)
        before = tree(nobody.bus)
        ran = nobody("doctor")
        assert (ran.code, len(ran.lines), ran.err) == (1, 2, "")
        assert "belongs to another user (uid 0)" in ran.lines[0]
        assert tree(nobody.bus) == before


def test_a_closed_bus_of_one_s_own_is_one_problem(nobody: Within) -> None:
    nobody.bus.chmod(0)
    ran = nobody("doctor")
    assert (ran.code, len(ran.lines), ran.err) == (1, 2, "")
    assert "cannot be opened: Permission denied; " in ran.lines[0]
    assert "chmod u+rwX" in ran.lines[0]


def test_a_bus_that_its_owner_may_not_write_in_is_looked_at_all_the_same(nobody: Within) -> None:
    nobody.bus.chmod(0o500)
    found = diagnosis(nobody, "--fix")
    assert (
        "the file system was not tried"
        in the(found, "file system: nothing can be written in the bus")["what"]
    )
    assert the(found, "closed to its own owner", "bus")["level"] == "problem"
    assert "1 message" in found["looked_at"]


def test_a_mailbox_or_a_folder_that_cannot_be_read_stops_nothing_else(nobody: Within) -> None:
    (nobody.bus / "alpha").chmod(0)
    found = diagnosis(nobody, "--fix")
    assert the(found, "alpha: cannot be examined: Permission denied")["level"] == "problem"
    assert "1 message" in found["looked_at"]
    (nobody.bus / "alpha").chmod(0o700)
    (nobody.bus / "beta/inbox").chmod(0)
    put(nobody.bus / "beta/archive" / f"{OLD}-bad.md.gz", b"x")
    os.chown(nobody.bus / "beta/archive" / f"{OLD}-bad.md.gz", NOBODY, NOBODY)
    found = diagnosis(nobody)
    assert the(found, "beta/inbox: cannot be examined: Permission denied")["level"] == "problem"
    assert the(found, "beta/archive: 1 file damaged")["level"] == "problem"


def test_a_message_that_cannot_be_read_is_a_problem(nobody: Within) -> None:
    (path,) = (nobody.bus / "beta/inbox").iterdir()
    path.chmod(0)
    assert "(Permission denied" in the(diagnosis(nobody), "1 message that cannot be read")["what"]


def test_a_registry_that_cannot_be_read_is_a_problem_and_accuses_nobody(nobody: Within) -> None:
    (nobody.bus / "registry.md").chmod(0)
    found = diagnosis(nobody, "--fix")
    assert "cannot be read: Permission denied" in the(found, "registry.md: ")["what"]
    assert len(others(found)) == 1


def test_files_and_mailboxes_of_another_user_are_problems_and_not_touched(nobody: Within) -> None:
    (waiting,) = (nobody.bus / "beta/inbox").iterdir()
    for path in (waiting, nobody.bus / "alpha", nobody.bus / "beta/archive"):
        os.chown(path, 0, 0)
        path.chmod(0o777)
    before = tree(nobody.bus)
    found = diagnosis(nobody, "--fix")
    assert "alpha (uid 0)" in the(found, "with another owner", "bus")["what"]
    assert "archive (uid 0)" in the(found, "with another owner", "beta")["what"]
    assert f"{waiting.name} (uid 0)" in the(found, "with another owner", "beta/inbox")["what"]
    assert "chown" in the(found, "with another owner", "bus")["fix"]
    assert tree(nobody.bus) == before


def test_fix_fixes_as_the_owner_what_a_clone_lost(nobody: Within) -> None:
    for path in (nobody.bus, *nobody.bus.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (nobody.bus / "alpha/tmp").rmdir()
    assert diagnosis(nobody, "--fix")["ok"]
    assert unchanged(diagnosis(nobody, "--fix")) == []
    assert {path.stat().st_uid for path in nobody.bus.rglob("*")} == {NOBODY}


def test_root_looks_at_a_user_s_bus_and_fixes_nothing_that_would_then_be_root_s(nobody: Within) -> None:
    (nobody.bus / "alpha/tmp").rmdir()
    (nobody.bus / "beta").chmod(0o755)
    os.chown(nobody.bus / "registry.md", 0, 0)
    before = tree(nobody.bus)
    found = doctor(Call(Bus(str(nobody.bus))), fix=True)
    assert "agentmail doctor --fix" in the(found, "nothing is fixed as root")["fix"]
    assert "registry.md (uid 0)" in the(found, "with another owner", "bus")["what"]
    assert not the(found, "alpha: has no tmp")["fixed"]
    assert tree(nobody.bus) == before


# A bus on a disk that takes no writes


def test_a_read_only_bus_is_examined_and_its_file_system_is_not_tried(run: Cli) -> None:
    need_root()
    need("unshare", "mount")
    for identity in ("alpha", "beta"):
        assert run("register", identity, "-", "takes", "part").code == 0
    put(run.bus / "beta" / "inbox" / f"{OLD}-hello.md", message(f"{OLD}-hello"))
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    within = ("unshare", "--mount", "sh", "-c", script, str(run.bus))
    probe = subprocess.run([*within, "true"], capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"no read-only mount can be made here: {probe.stderr.strip()}")
    read_only = Within(run, *within)
    ran = read_only("doctor")
    assert (ran.code, ran.err) == (1, "")
    assert "problem: file system: nothing can be written in the bus (Read-only file system" in ran.out
    assert len([line for line in ran.lines if line.startswith("problem")]) == 1
    assert "2 mailboxes, 1 message, this machine, Claude Code" in ran.lines[-1]
    (run.bus / "beta").chmod(0o755)
    (run.bus / "alpha" / "tmp").rmdir()
    before = tree(run.bus)
    ran = read_only("doctor", "--fix")
    assert (ran.code, ran.err) == (1, "")
    assert "beta 0755 (Read-only file system" in ran.out
    assert "alpha: has no tmp (git keeps no empty directories); not created: Read-only file system" in ran.out
    assert tree(run.bus) == before
