"""What a session gets at its start besides the notice; and a dry run changes nothing."""

from __future__ import annotations

import os
import shutil
import time

import pytest

from agentmail.core.fs import Disk
from agentmail.hosts.runtime.throttle import FORGET_NS, forget_old
from tests.support.cli import ROOT
from tests.support.hooks import HOOKS, PROMPT, START, ids_in

FIRST = "20260704-0930-beta-first"


@pytest.mark.parametrize("bus", ["nowhere", "nowhere/deeper"])
def test_without_a_bus_nothing_is_printed_and_nothing_created(bed, tree, bus):
    before = tree(bed.root)
    for event in (START, PROMPT):
        done = bed.check(event, env={"AGENT_MAIL_DIR": str(bed.root / bus), "AGENT_MAIL_SELF": "alpha"})
        assert (done.out, done.err) == ("", "")
    assert tree(bed.root) == before


@pytest.mark.parametrize("bus", ["relative", "", "a\nb"])
def test_an_invalid_bus_path_is_reported_in_one_line(bed, bus):
    said = bed.start(env={"AGENT_MAIL_DIR": bus})
    assert said.startswith("agentmail: AGENT_MAIL_DIR is ")
    assert "\n" not in said


def test_the_identity_and_session_are_exported_to_the_commands_of_the_session(bed):
    file = bed.root / "env file"
    file.write_text("export OTHER=1\n")
    bed.start(env={"CLAUDE_ENV_FILE": str(file)})
    assert file.read_text() == (
        f"export OTHER=1\nexport AGENT_MAIL_SELF=alpha\nexport AGENT_MAIL_SESSION={bed.session}\n"
    )


def test_a_prompt_and_a_session_without_an_identity_export_nothing(bed):
    file = bed.root / "env"
    bed.prompt(env={"CLAUDE_ENV_FILE": str(file)})
    bed.start(
        env={"CLAUDE_ENV_FILE": str(file), "CLAUDE_PROJECT_DIR": "/"}, fields={"cwd": "/", "session_id": "n"}
    )
    assert not file.exists()


@pytest.mark.parametrize("path", ["", "relative", "/nowhere/at/all", "/proc/self/nothing"])
def test_an_env_file_that_cannot_be_written_does_not_matter(bed, path):
    bed.put(FIRST)
    assert ids_in(bed.start(env={"CLAUDE_ENV_FILE": path})) == [FIRST]


def test_the_command_is_linked_into_an_existing_bin_directory(bed):
    place = bed.home / ".local" / "bin"
    place.mkdir(parents=True)
    bed.start()
    assert os.readlink(place / "agentmail") == str(ROOT / "bin" / "agentmail")
    assert os.access(place / "agentmail", os.X_OK)


def test_no_bin_directory_is_created_for_the_command(bed):
    bed.start()
    assert not (bed.home / ".local").exists()


@pytest.mark.parametrize("what", ["a file", "a link", "a dangling link", "a directory"])
def test_an_existing_name_on_path_stays(bed, tree, what):
    place = bed.home / ".local" / "bin"
    place.mkdir(parents=True)
    name = place / "agentmail"
    {
        "a file": lambda: name.write_text("mine"),
        "a link": lambda: name.symlink_to("/bin/true"),
        "a dangling link": lambda: name.symlink_to("/nowhere"),
        "a directory": name.mkdir,
    }[what]()
    before = tree(place)
    bed.start()
    assert tree(place) == before


def test_an_installation_without_the_launcher_makes_no_link(bed):
    (bed.home / ".local" / "bin").mkdir(parents=True)
    site = bed.root / "site-packages"
    shutil.copytree(ROOT / "agentmail", site / "agentmail", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HOOKS, site / "agentmail" / "hooks")
    bed.hooks = site / "agentmail" / "hooks"
    bed.put(FIRST)
    assert ids_in(bed.start()) == [FIRST]
    assert list((bed.home / ".local" / "bin").iterdir()) == []


@pytest.mark.parametrize("state", ["fresh", "used", "a row alone"])
def test_a_dry_run_prints_the_same_and_changes_nothing(bed, tree, state):
    bed.put(FIRST)
    (bed.home / ".local" / "bin").mkdir(parents=True)
    env_file = bed.root / "env"
    if state == "used":
        bed.start()
    elif state == "a row alone":
        shutil.rmtree(bed.bus / "alpha")
    before = tree(bed.root)
    dry_run = {"AGENT_MAIL_DRY_RUN": "1", "CLAUDE_ENV_FILE": str(env_file), "AGENT_MAIL_CHECK_INTERVAL": "0"}
    for event in (START, PROMPT, PROMPT):
        assert ids_in(bed.check_text(event, env=dry_run)) == ([] if state == "a row alone" else [FIRST])
    for event, fields in (("SessionStart", {}), ("CwdChanged", {}), ("FileChanged", {"event": "add"})):
        done = bed.run(bed.command("mail-wake", event), bed.payload(event, **fields), env=dry_run)
        assert done.code == 0
    assert tree(bed.root) == before


def test_a_dry_run_records_nothing_of_a_mailbox_that_cannot_be_read(bed, tree):
    bed.inbox().rmdir()
    bed.inbox().touch()
    before = tree(bed.root)
    assert "could not read" in bed.start(env={"AGENT_MAIL_DRY_RUN": "1"})
    assert tree(bed.root) == before


def test_state_under_another_session_id_than_the_payloads_is_removed(bed):
    bed.start()
    assert (bed.states / bed.session).is_dir()
    bed.start(fields={"session_id": "another"})
    assert not (bed.states / bed.session).exists()
    assert [path.name for path in (bed.states / "another").iterdir()] == ["bound"]


def test_the_state_of_sessions_idle_for_a_month_is_removed(bed):
    hooks = bed.states
    hooks.mkdir(parents=True, mode=0o700)
    old = time.time_ns() - FORGET_NS - 10**9
    for name in ("old", "old-too", "young", "not-ours"):
        (hooks / name).mkdir()
        (hooks / name / "due").touch()
    (hooks / "not-ours" / "else").touch()
    (hooks / "a-file").touch()
    for name in ("old", "old-too", "not-ours", "a-file"):
        os.utime(hooks / name, ns=(old, old))
    forget_old(Disk(), str(bed.home), str(bed.bus), time.time_ns())
    assert {"young", "a-file"} <= {path.name for path in hooks.iterdir()} <= {"young", "a-file", "not-ours"}


def test_old_state_among_hundreds_of_sessions_is_found_within_200_starts(bed):
    hooks = bed.states
    hooks.mkdir(parents=True, mode=0o700)
    for number in range(200):
        (hooks / f"s{number}").mkdir()
    old = time.time_ns() - FORGET_NS - 10**9
    os.utime(hooks / "s77", ns=(old, old))
    for _ in range(200):
        forget_old(Disk(), str(bed.home), str(bed.bus), time.time_ns())
        if not (hooks / "s77").exists():
            return
    pytest.fail("200 starts did not come upon it")
