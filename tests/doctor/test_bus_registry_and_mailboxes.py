"""Doctor says what is wrong with a bus as a whole, its registry and its mailboxes, and fixes what is safe."""

from __future__ import annotations

import errno
import fcntl
import os
import shlex
import shutil
import socket
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.layout import Bus
from agentmail.doctor.findings import Examination
from agentmail.hosts.base import host_names, load_install
from agentmail.verbs import doctor as module
from agentmail.verbs.call import Call
from agentmail.verbs.doctor import doctor
from tests.doctor.examined_bus import OLD, ExaminedBus, age, others, put, the, unchanged
from tests.support.cli import Cli
from tests.support.faults import FaultyDisk, fails
from tests.support.reader import read_bus
from tests.support.trees import tree

TITLES = [load_install(name).title for name in host_names()]


def test_a_healthy_bus_has_no_problem_and_one_note_about_its_file_system(examined: ExaminedBus) -> None:
    examined.send()
    examined.archived("done")
    found = examined.doctor()
    assert found["ok"] is True
    assert found["path"] == str(examined.path)
    assert [one["subject"] for one in found["findings"]] == ["file system"]
    assert found["looked_at"] == [
        "bus",
        "file system",
        "registry",
        "2 mailboxes",
        "2 messages",
        "this machine",
        *TITLES,
    ]


def test_looking_changes_nothing(examined: ExaminedBus) -> None:
    examined.twice()
    age(put(examined.beta / "tmp" / f"{OLD}-died.md", b"half"), 40)
    (examined.beta / "archive").chmod(0o755)
    before = tree(examined.path)
    assert not examined.doctor()["ok"]
    assert tree(examined.path) == before


def test_fixing_a_healthy_bus_changes_nothing(examined: ExaminedBus) -> None:
    examined.send()
    before = tree(examined.path)
    assert examined.doctor(fix=True)["ok"]
    assert tree(examined.path) == before


def test_the_exit_code_is_0_with_notes_1_with_problems_and_0_once_they_are_fixed(run: Cli) -> None:
    assert run("register", "beta", "/nowhere", "takes", "part").code == 0
    ran = run("doctor")
    assert (ran.code, ran.err) == (0, "")
    assert "note: beta: its workdir /nowhere is not a directory here; " in ran.out
    (run.bus / "beta").chmod(0o755)
    ran = run("doctor")
    assert (ran.code, ran.err) == (1, "")
    assert ran.lines[-1].startswith(f"{run.bus}: 1 problem; looked at bus, file system, registry, 1 mailbox")
    ran = run("doctor", "--fix")
    assert (ran.code, ran.err) == (0, "")
    assert [
        line for line in ran.lines if line.startswith("problem: bus: 1 entry") and line.endswith("; fixed")
    ]
    assert run("doctor", "--json").json["ok"] is True


def test_a_missing_bus_is_one_problem_that_says_how_to_make_one(run: Cli) -> None:
    run.bus.rmdir()
    ran = run("doctor", "--fix")
    assert (ran.code, len(ran.lines)) == (1, 2)
    assert "there is no bus at" in ran.lines[0]
    assert "agentmail register" in ran.lines[0]
    assert not run.bus.exists()


def test_a_file_in_the_place_of_the_bus_is_a_problem(tmp_path: Path) -> None:
    found = doctor(Call(Bus(str(put(tmp_path / "bus", b"")))), fix=True)
    assert not found["ok"]
    assert "is not a directory" in found["findings"][0]["what"]


def test_an_empty_bus_has_nobody_registered_and_no_problem(bus_dir: Path) -> None:
    found = doctor(Call(Bus(str(bus_dir))), fix=False)
    assert found["ok"]
    assert "agentmail register" in the(found, "nobody is registered yet")["fix"]


def test_what_may_be_no_bus_at_all_is_never_fixed(run: Cli) -> None:
    for place, mode in (("docs/inbox", 0o755), ("projects", 0o750)):
        (run.bus / place).mkdir(parents=True)
        (run.bus / place).chmod(mode)
    (run.bus / "docs/inbox/page.txt").write_text("not mail")
    run.bus.chmod(0o755)
    before = tree(run.bus)
    ran = run("doctor", "--fix")
    assert ran.code == 1
    assert "there is no registry.md, so this may not be a bus, and nothing is fixed" in ran.out
    assert "; fixed" not in ran.out
    assert tree(run.bus) == before


# The registry


@pytest.mark.parametrize(
    "data, words",
    [
        (b"| id |\n|---|\n| \xff |\n", "is not valid UTF-8"),
        (b"x" * (1 << 20) + b"x", "is larger than 1 MiB"),
        (b"<<<<<<< ours\n| id |\n=======\n>>>>>>> theirs\n", "marks of a merge conflict"),
    ],
)
def test_a_registry_that_cannot_be_understood_is_a_problem_and_left_as_it_is(
    examined: ExaminedBus, data: bytes, words: str
) -> None:
    put(examined.registry, data)
    found = examined.doctor(fix=True)
    assert the(found, words, "registry.md")["level"] == "problem"
    assert len(others(found)) == 1, "a registry in doubt accuses no mailbox of having no row"
    assert examined.registry.read_bytes() == data


def test_a_registry_that_is_no_file_is_a_problem_and_never_waited_for(examined: ExaminedBus) -> None:
    examined.registry.unlink()
    os.mkfifo(examined.registry, 0o600)
    assert "is not a regular file" in the(examined.doctor(fix=True), "registry.md: ")["what"]
    examined.registry.unlink()
    examined.registry.mkdir(0o700)
    assert "not a regular file" in the(examined.doctor(fix=True), "registry.md: ")["what"]
    examined.registry.rmdir()
    examined.registry.symlink_to("nowhere")
    assert "is a symlink to nothing" in the(examined.doctor(), "registry.md: ")["what"]


def test_a_registry_kept_elsewhere_behind_a_symlink_is_read(examined: ExaminedBus, tmp_path: Path) -> None:
    examined.registry.rename(tmp_path / "dotfiles.md")
    examined.registry.symlink_to(tmp_path / "dotfiles.md")
    assert others(examined.doctor()) == []


def test_duplicate_rows_and_rows_of_no_identity_are_problems(examined: ExaminedBus) -> None:
    with examined.registry.open("a") as file:
        file.write("| beta | - | again |\n| ../evil | - | x |\n| My_Agent | - | x |\n")
    before = examined.registry.read_bytes()
    found = examined.doctor(fix=True)
    assert the(found, "several rows for beta; the first counts")["level"] == "problem"
    assert the(found, "'../evil', which is not an identity")["level"] == "problem"
    assert the(found, "'My_Agent', which is not an identity")["fix"] == "call it my-agent"
    assert examined.registry.read_bytes() == before


def test_a_row_without_a_mailbox_is_a_problem_that_fix_fixes(examined: ExaminedBus) -> None:
    with examined.registry.open("a") as file:
        file.write("| gamma | - | new |\n")
    assert not the(examined.doctor(), "gamma: has a row but no mailbox")["fixed"]
    assert the(examined.doctor(fix=True), "gamma: has a row but no mailbox")["fixed"]
    assert tree(examined.path / "gamma") == tree(examined.path / "alpha")
    assert unchanged(examined.doctor(fix=True)) == []


def test_a_mailbox_without_a_row_comes_with_the_command_that_fixes_it(run: Cli) -> None:
    assert run("register", "beta", "-", "takes", "part").code == 0
    (run.bus / "registry.md").unlink()
    (finding,) = [one for one in run("doctor", "--json").json["findings"] if one["level"] == "problem"]
    assert "beta: has a mailbox but no row" in f"{finding['subject']}: {finding['what']}"
    words = shlex.split(finding["fix"].strip("`").replace("<workdir>", "-").replace("<responsibility>", "x"))
    assert run(*words[1:]).code == 0
    assert run("doctor").code == 0


def test_workdirs_that_are_missing_or_too_wide_are_notes(examined: ExaminedBus, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for identity, workdir in (("gone", str(tmp_path / "gone")), ("top", "/"), ("home", str(home))):
        examined.register(identity, workdir)
    found = examined.doctor(HOME=str(home))
    assert found["ok"]
    assert "is not a directory here" in the(found, "gone: ")["what"]
    assert "agentmail register gone <workdir> 'what gone does'" in the(found, "gone: ")["fix"]
    assert "is very broad" in the(found, "top: ")["what"]
    assert "is very broad" in the(found, "home: ")["what"]


def test_mail_that_waits_for_a_workdir_that_is_gone_is_a_problem_and_the_fix_names_the_new_one(
    run: Cli, tmp_path: Path
) -> None:
    old, new = tmp_path / "desk" / "parser", tmp_path / "desk" / "parser-v2"
    old.mkdir(parents=True)
    assert run("register", "beta", str(old), "parses it all").code == 0
    old.rename(new)
    (tmp_path / "desk" / "unlike").mkdir()
    assert run("doctor").code == 0
    assert f"note: beta: its workdir {old} is not a directory here; if it was moved: " in run("doctor").out
    run("send", "alpha", "beta", "hello", stdin="text")
    (finding,) = [one for one in run("doctor", "--json").json["findings"] if one["level"] == "problem"]
    assert (
        finding["what"]
        == f"its workdir {old} is not a directory here, so no session is shown the 1 message that waits"
    )
    words = shlex.split(finding["fix"].removeprefix("if it was moved: ").strip("`"))
    assert words[1:4] == ["register", "beta", str(new)]
    assert run(*words[1:]).code == 0
    assert run("doctor").code == 0


def test_where_the_new_workdir_cannot_be_told_none_is_proposed(run: Cli, tmp_path: Path) -> None:
    for name in ("parser", "parser-2", "parser-3"):
        (tmp_path / name).mkdir()
    run("register", "beta", str(tmp_path / "parser"), "parses")
    run("send", "alpha", "beta", "hello", stdin="text")
    (tmp_path / "parser").rmdir()
    assert "register beta <workdir> parses" in run("doctor").out
    run("register", "gamma", str(tmp_path / "parser-2"), "other")
    assert f"register beta {tmp_path}/parser-3 parses" in run("doctor").out


def test_on_a_bus_that_git_carries_the_workdir_may_be_on_another_machine(run: Cli, tmp_path: Path) -> None:
    run("register", "beta", str(tmp_path / "gone"), "parses")
    run("send", "alpha", "beta", "hello", stdin="text")
    (run.bus / ".git").mkdir(mode=0o700)
    assert run("doctor").code == 0


def test_a_workdir_that_is_no_absolute_path_is_a_problem(examined: ExaminedBus) -> None:
    put(examined.registry, b"| id | workdir |\n|---|---|\n| alpha | ~/work |\n| beta | |\n")
    found = examined.doctor()
    assert not found["ok"]
    assert the(found, "'~/work' is not an absolute path")["subject"] == "alpha"
    assert the(found, "'' is not an absolute path")["subject"] == "beta"


def test_equal_workdirs_are_a_note_that_names_the_variable(examined: ExaminedBus, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "link").symlink_to("work")
    examined.register("alpha", str(tmp_path / "work"))
    examined.register("beta", str(tmp_path / "link"))
    found = examined.doctor()
    assert found["ok"]
    assert "AGENT_MAIL_SELF" in the(found, "alpha, beta have the same workdir")["fix"]


# Names in the bus


def test_what_is_neither_a_mailbox_nor_ours_is_a_note_and_left_alone(examined: ExaminedBus) -> None:
    put(examined.path / "README.md", b"")
    (examined.path / ".git").mkdir(0o755)
    put(examined.path / ".DS_Store", b"")
    before = tree(examined.path)
    found = examined.doctor(fix=True)
    assert found["ok"]
    assert others(found) == [
        the(found, "1 entry neither a mailbox nor a file of agentmail, left as found: README.md")
    ]
    assert tree(examined.path) == before


def test_a_mailbox_whose_name_no_identity_can_have_is_a_problem(examined: ExaminedBus) -> None:
    (examined.path / "Gamma" / "inbox").mkdir(parents=True)
    assert "Gamma" in the(examined.doctor(), "its mail is shown to nobody")["what"]


def test_a_symlink_or_a_file_in_the_place_of_a_mailbox_is_a_problem(
    examined: ExaminedBus, tmp_path: Path
) -> None:
    (examined.path / "gamma").symlink_to(tmp_path)
    put(examined.path / "delta", b"")
    before = tree(tmp_path)
    found = examined.doctor(fix=True)
    assert "is a symlink" in the(found, "gamma: ")["what"]
    assert "is not a directory" in the(found, "delta: ")["what"]
    assert tree(tmp_path) == before


# Mailboxes


def test_missing_folders_are_a_problem_that_fix_fixes(examined: ExaminedBus) -> None:
    for folder in ("tmp", "inbox", "archive"):
        (examined.beta / folder).rmdir()
    assert not the(examined.doctor(), "beta: has no tmp and inbox and archive")["fixed"]
    assert the(examined.doctor(fix=True), "beta: has no tmp and inbox and archive")["fixed"]
    assert tree(examined.beta) == tree(examined.path / "alpha")
    assert unchanged(examined.doctor(fix=True)) == []


@pytest.mark.parametrize("folder", ["tmp", "inbox", "archive"])
def test_a_symlinked_folder_is_a_problem_and_its_target_is_untouched(
    examined: ExaminedBus, tmp_path: Path, folder: str
) -> None:
    target = tmp_path / "target"
    target.mkdir(0o755)
    put(target / f"{OLD}-x.md", b"x").chmod(0o644)
    age(target / f"{OLD}-x.md", 9999)
    (examined.beta / folder).rmdir()
    (examined.beta / folder).symlink_to(target)
    before = tree(tmp_path)
    found = examined.doctor(fix=True)
    assert "is a symlink" in the(found, f"beta/{folder}: ")["what"]
    assert not found["ok"]
    assert tree(tmp_path) == before


def test_other_folders_in_a_mailbox_are_a_note_and_never_looked_into(examined: ExaminedBus) -> None:
    (examined.beta / "new").mkdir()
    put(examined.beta / "new" / f"{OLD}-x.md", b"").chmod(0o644)
    found = examined.doctor(fix=True)
    assert others(found) == [the(found, "1 entry that is not a folder of a mailbox, so never read: new")]


def test_staging_files_whose_writers_are_dead_are_a_note_and_reaped_by_fix(examined: ExaminedBus) -> None:
    dead = age(put(examined.beta / "tmp" / f"{OLD}-died.md", b"half"), 37)
    published = put(examined.beta / "tmp" / f"{OLD}-done.md", b"whole")
    os.link(published, examined.beta / "inbox" / published.name)
    fresh = put(examined.beta / "tmp" / f"{OLD}-writing.md", b"ha")
    found = examined.doctor()
    assert found["ok"]
    assert "2 staging files" in the(found, "of a writer that seems dead")["what"]
    assert the(examined.doctor(fix=True), "of a writer that seems dead")["fixed"]
    assert [dead.exists(), published.exists(), fresh.exists()] == [False, False, True]
    assert (examined.beta / "inbox" / published.name).read_bytes() == b"whole"


def test_a_staging_file_that_a_live_writer_holds_is_left_to_it(examined: ExaminedBus) -> None:
    held = age(put(examined.beta / "tmp" / f"{OLD}-slow.md", b"half"), 40)
    with held.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        finding = the(examined.doctor(fix=True), "seems dead")
    assert not finding["fixed"]
    assert "a live process may hold it" in finding["what"]
    assert held.exists()


def test_what_writes_that_died_left_in_the_bus_is_reaped_once_it_is_old(examined: ExaminedBus) -> None:
    old = [put(examined.path / name, b"x") for name in (".registry.md.tmp-0123", ".probe-1-0123")]
    for path in old:
        age(path, 37)
    fresh = put(examined.path / ".registry.md.tmp-4567", b"x")
    assert "2 files" in the(examined.doctor(), "left by an interrupted write")["what"]
    assert the(examined.doctor(fix=True), "left by an interrupted write")["fixed"]
    assert [path.exists() for path in (*old, fresh)] == [False, False, True]
    assert (examined.path / ".registry.lock").exists()


# Whatever happens


def test_a_socket_a_fifo_and_names_of_any_bytes_are_found_without_waiting(examined: ExaminedBus) -> None:
    for folder in ("inbox", "archive", "tmp"):
        os.mkfifo(examined.beta / folder / f"{OLD}-fifo.md")
        put(Path(os.fsdecode(os.fsencode(examined.beta / folder) + b"/\xff\x1b[2J.md")), b"x")
    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(examined.path)
        made.bind("beta/inbox/s")
        os.chdir(here)
        assert f"{OLD}-fifo.md" in the(examined.doctor(fix=True), "regular files", "beta/inbox")["what"]


def test_no_finding_puts_control_bytes_on_a_terminal_or_breaks_its_line(run: Cli) -> None:
    assert run("register", "beta", "-", "takes", "part").code == 0
    (run.bus / "evil\n\x1b]0;pwn\x07\u202e").mkdir()
    put(run.bus / "beta/inbox/\x9b31m\u2028.md", b"x")
    put(run.bus / "registry.md", b"| id | workdir |\n|---|---|\n| \x1b[2J | /\x1b[2J |\n")
    ran = run("doctor")
    assert (ran.code, ran.err) == (1, "")
    assert "\\u{1b}" in ran.out
    assert all(line.isprintable() and "; " in line for line in ran.lines), ran.lines
    assert run("doctor", "--json").stdout.isascii()


@pytest.mark.slow
@pytest.mark.parametrize("fix, code", [(False, errno.EACCES), (True, errno.EIO)])
def test_whatever_call_fails_doctor_ends_with_a_diagnosis_and_no_message_is_lost(
    examined: ExaminedBus, tmp_path: Path, fix: bool, code: int
) -> None:
    examined.archived("done")
    examined.send("waiting")
    examined.twice()
    before = read_bus(examined.path)["beta"].received
    counting = FaultyDisk()
    doctor(Call(Bus(str(shutil.copytree(examined.path, tmp_path / "counting")), counting)), fix=fix)
    assert len(counting.calls) > 100
    for at in range(len(counting.calls)):
        copy = shutil.copytree(examined.path, tmp_path / "copy")
        disk = FaultyDisk(fails(code), at)
        found = doctor(Call(Bus(str(copy), disk)), fix=fix)
        disk.bury()
        assert found["looked_at"][0] == "bus"
        assert read_bus(copy)["beta"].received == before
        shutil.rmtree(copy)


def test_a_check_that_others_add_runs_too_even_without_a_bus(tmp_path: Path) -> None:
    def wired(exam: Examination) -> None:
        exam.note("hooks", "were looked at")

    def broken(_exam: Examination) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "settings.json")

    added = [("wired", wired), ("firing", broken)]
    module.EXTRA.extend(added)
    try:
        found = doctor(Call(Bus(str(tmp_path / "nothing"))), fix=False)
    finally:
        del module.EXTRA[-len(added) :]
    assert found["looked_at"] == ["bus", "this machine", *TITLES, "wired", "firing"]
    assert the(found, "hooks: were looked at")["level"] == "note"
    assert "settings.json" in the(found, "firing: cannot be examined")["what"]


def test_a_machine_file_without_an_id_is_found_with_its_fix(examined: ExaminedBus, tmp_path: Path) -> None:
    file = tmp_path / ".agents" / "machine.json"
    file.parent.mkdir()
    for text, well in (('{"machine": "m1"}', True), ("{broken", False)):
        file.write_text(text)
        found = doctor(Call(Bus(str(examined.path)), Environment({"HOME": str(tmp_path)})), fix=True)
        assert found["ok"] is well
        assert file.read_text() == text, "only its owner may say that it can go"
    wrong = the(found, "this machine: ")
    assert "~/.agents/machine.json holds no machine id" in wrong["what"]
    assert "remove" in wrong["fix"]
