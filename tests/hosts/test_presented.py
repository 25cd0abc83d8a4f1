"""A hook prints first and records afterwards: a fault in the record repeats a notice, and hides none."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.rig.waiting import wait_for
from tests.support.hooks import PROMPT, START, Bed, ids_in, needs_modes

FIRST, SECOND = "20260704-0930-beta-first", "20260704-0930-beta-second"


@pytest.fixture(autouse=True)
def at_every_prompt(bed):
    bed.variables["AGENT_MAIL_CHECK_INTERVAL"] = "0"


def test_what_was_printed_is_recorded_with_a_session_fact(bed):
    bed.put(FIRST)
    bed.start()
    [session] = bed.receipts("session")
    assert (session["session"], session["workdir"], session["wake"]) == (bed.session, str(bed.work), False)
    assert [fact["id"] for fact in bed.receipts()] == [FIRST]
    assert bed.record().stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("stdout", [">&-", ">/dev/full", ">/dev/null", "| true"])
@pytest.mark.parametrize("event", [START, PROMPT])
def test_a_notice_that_could_not_be_printed_is_not_recorded_and_the_next_prompt_repeats_it(
    bed, stdout, event
):
    bed.put(FIRST)
    if stdout == "| true":
        reader, writer = os.pipe()
        os.close(reader)
        done = bed.run(bed.command("mail-check", event), bed.payload(event), stdout=writer)
        os.close(writer)
    else:
        done = bed.run(
            ["sh", "-c", f'exec "$@" {stdout}', "sh", *bed.command("mail-check", event)], bed.payload(event)
        )
    assert done.code == 0
    assert bed.receipts() == []
    assert FIRST not in "".join(path.read_text() for path in bed.root.rglob("*.jsonl"))
    assert ids_in(bed.prompt()) == [FIRST]
    assert bed.prompt() == ""


def put_in_place(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


def a_huge_one(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 30)


def a_file_in_place_of_its_directory(path: Path) -> None:
    shutil.rmtree(path.parents[1])
    path.parents[1].touch()


def with_facts_of_2040(path: Path) -> None:
    path.write_text(
        path.read_text().replace('"time": "20', '"time": "2140-01-01T00:00:00.000000Z", "was": "20')
    )


#: What can stand in the record's place, and whether the record works again afterwards by itself.
BROKEN: dict[str, tuple[Callable[[Path], object], bool]] = {
    "gone": (lambda path: path.unlink(), True),
    "gone with its directory": (lambda path: shutil.rmtree(path.parents[1]), True),
    "empty": (lambda path: path.write_bytes(b""), True),
    "not text": (lambda path: path.write_bytes(os.urandom(4096)), True),
    "torn": (lambda path: path.write_bytes(path.read_bytes()[:-20]), True),
    "huge": (a_huge_one, True),
    "of the future": (with_facts_of_2040, True),
    "a directory": (lambda path: put_in_place(path, Path.mkdir), False),
    "a FIFO": (lambda path: put_in_place(path, os.mkfifo), False),
    "a link": (lambda path: put_in_place(path, lambda link: link.symlink_to("/etc/passwd")), False),
    "in a file's place": (a_file_in_place_of_its_directory, False),
}


@pytest.mark.parametrize("what", BROKEN)
def test_with_an_unusable_record_every_prompt_reports_everything(bed, what):
    break_it, fixes = BROKEN[what]
    bed.put(FIRST)
    bed.start()
    break_it(bed.record())
    bed.put(SECOND, old=True)
    bed.variables["AGENT_MAIL_SELF"] = "alpha"
    assert ids_in(bed.prompt()) == [FIRST, SECOND]
    for _ in range(2):
        assert ids_in(bed.prompt()) == ([] if fixes else [FIRST, SECOND])


@needs_modes
@pytest.mark.parametrize("what", ["file", "directory", "sessions"])
def test_with_a_record_that_cannot_be_written_every_prompt_reports_everything(bed, what):
    bed.put(FIRST)
    bed.start()
    path = {"file": bed.record(), "directory": bed.record().parent, "sessions": bed.record().parents[1]}[what]
    bed.put(SECOND, old=True)
    if what == "directory":
        bed.record().unlink()
    elif what == "sessions":
        shutil.rmtree(bed.record().parent)
    path.chmod(0o400 if what == "file" else 0o500)
    try:
        for _ in range(3):
            assert ids_in(bed.prompt(powerless=True))[-1] == SECOND
    finally:
        path.chmod(0o700)


@needs_modes
def test_without_a_home_for_a_machine_id_every_prompt_reports_everything(bed):
    bed.put(FIRST, old=True)
    bed.home.chmod(0o500)
    try:
        said = [ids_in(bed.check_text(event, powerless=True)) for event in (START, PROMPT, PROMPT)]
    finally:
        bed.home.chmod(0o700)
    assert said == [[FIRST]] * 3


def test_a_record_locked_by_another_process_delays_no_notice(bed):
    bed.put(FIRST)
    bed.start()
    bed.put(SECOND)
    with bed.record().open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert ids_in(bed.prompt()) == [SECOND]
    assert [fact["id"] for fact in bed.receipts()] == [FIRST, SECOND]


def test_a_full_disk_under_the_record_repeats_the_notice(bed):
    bed.put(FIRST)
    bed.start()
    bed.put(SECOND, old=True)
    limit = ["prlimit", f"--fsize={bed.record().stat().st_size}"]
    if shutil.which(limit[0]) is None:
        pytest.skip("prlimit is not installed")
    for _ in range(2):
        done = bed.run([*limit, *bed.command("mail-check", PROMPT)], bed.payload(PROMPT))
        assert done.code == 0
        assert done.stdout.count(b"\n") == 1
        assert SECOND in done.out


def test_concurrent_prompts_of_one_session_report_at_least_once_and_leave_a_readable_record(bed):
    bed.start()
    for number in range(20):
        bed.put(f"20260704-0930-beta-{number:02}")
    shutil.rmtree(bed.states)
    event = bed.root / "event"
    event.write_text(json.dumps(bed.payload(PROMPT)))
    hooks = []
    for _ in range(4):
        with event.open() as stdin:
            hooks.append(
                subprocess.Popen(
                    bed.command("mail-check", PROMPT),
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    env=bed.environment(),
                    cwd=bed.work,
                )
            )
    said = [hook.communicate(timeout=30)[0] for hook in hooks]
    assert [hook.returncode for hook in hooks] == [0] * 4
    assert any(said)
    assert len({fact["id"] for fact in bed.receipts()}) == 20
    assert bed.prompt() == ""


# --- a mailbox that cannot be read -----------------------------------------------------------------------


@needs_modes
@pytest.mark.parametrize("mode", [0o000, 0o300])
def test_an_unreadable_inbox_is_reported_each_time_and_never_as_empty(bed, mode):
    bed.put(FIRST)
    bed.start()
    bed.inbox().chmod(mode)
    try:
        for event in (START, PROMPT, PROMPT):
            said = bed.check_text(event, powerless=True)
            assert said.startswith("agentmail: could not read the inbox of alpha (Permission denied)")
            assert said.count("\n") == 0
    finally:
        bed.inbox().chmod(0o700)
    assert "Permission denied" in (bed.own / "hook.log").read_text()
    assert ids_in(bed.start()) == [FIRST]


@pytest.mark.parametrize("what", ["a file", "a link to an inbox", "a dangling link", "a FIFO"])
def test_a_file_or_link_in_place_of_an_inbox_is_reported(bed, what):
    inbox = bed.inbox()
    inbox.rename(bed.root / "elsewhere")
    {
        "a file": inbox.touch,
        "a link to an inbox": lambda: inbox.symlink_to(bed.root / "elsewhere"),
        "a dangling link": lambda: inbox.symlink_to("nowhere"),
        "a FIFO": lambda: os.mkfifo(inbox),
    }[what]()
    for event in (START, PROMPT):
        assert bed.check_text(event).startswith("agentmail: could not read the inbox of alpha (")


def test_a_missing_inbox_is_created_without_an_error(bed):
    bed.inbox().rmdir()
    assert (bed.start(), bed.prompt()) == ("", "")
    assert bed.inbox().is_dir()


@needs_modes
def test_an_unreadable_bus_is_reported_when_a_session_starts(bed):
    bed.put(FIRST)
    for path in (bed.bus, bed.bus.parent):
        path.chmod(0o600)
        try:
            assert "agentmail: could not read the bus (Permission denied" in bed.start(
                powerless=True, env={"CLAUDE_PROJECT_DIR": None}, cwd=Path("/")
            )
        finally:
            path.chmod(0o700)


@needs_modes
def test_an_unreadable_registry_is_reported_and_not_taken_for_no_identity(bed):
    table = bed.bus / "registry.md"
    bed.put(FIRST)
    table.chmod(0o200)
    said = bed.start(powerless=True)
    assert said.startswith("agentmail: registry.md cannot be read; the identity of this session is not known")
    assert [bed.prompt(powerless=True) for _ in range(3)] == [said, "", ""]
    table.chmod(0o600)
    assert ids_in(bed.prompt()) == [FIRST]


def test_a_registry_that_is_not_text_is_reported(bed):
    (bed.bus / "registry.md").write_bytes(b"| id | workdir |\n|---|---|\n| alpha | \xff |\n")
    assert bed.start().startswith("agentmail: registry.md cannot be read; the identity of this session")


def test_the_log_of_a_mailbox_is_capped(bed):
    bed.start()
    log = bed.own / "hook.log"
    log.write_bytes(b"x" * (64 << 10))
    bed.inbox().rename(bed.root / "elsewhere")
    bed.inbox().touch()
    bed.prompt()
    assert log.stat().st_size == 64 << 10


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("event", [START, pytest.param(PROMPT, marks=pytest.mark.slow)])
def test_a_hung_file_system_is_abandoned_at_the_deadline_and_reported(bed, tmp_path, event):
    bed.put(FIRST)
    # -D: the hook is our child, and strace, which holds back the listing of the inbox, is not.
    hang = ["strace", "-D", "-f", "-qq", "-o", str(tmp_path / "strace"), "-P", str(bed.inbox())]
    hang += ["-e", "trace=getdents64", "-e", "inject=getdents64:delay_enter=10s"]
    with (tmp_path / "out").open("w+b") as out:
        before = time.monotonic()
        done = bed.run([*hang, *bed.command("mail-check", event)], bed.payload(event), stdout=out, stderr=out)
        assert time.monotonic() - before < 9
    answers = [line for line in (tmp_path / "out").read_text().splitlines() if line.startswith("{")]
    assert done.code == 0
    assert len(answers) == 1
    assert "no answer from the bus within 2 s" in answers[0]
    wait_for((tmp_path / "strace").read_text, "the end of the listing")
    assert bed.receipts() == []
    assert ids_in(bed.prompt()) == [FIRST]


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="only Linux tells a process's children this way")
def test_a_terminated_hook_exits_with_0_and_records_nothing(bed):
    """Else a message would be recorded as shown to a host that no longer listens."""
    bed.put(FIRST)
    hook, child = waiting_for_its_input(bed)
    hook.terminate()
    assert hook.wait(30) == 0
    wait_for(lambda: not is_there(child), "the end of the child, which still waits")
    hook.communicate()
    hook, child = waiting_for_its_input(bed)
    hook.kill()
    assert hook.wait(30) == -9
    hook.communicate(json.dumps(bed.payload(PROMPT)).encode())
    wait_for(lambda: not is_there(child), "the end of the child, which nobody could stop")
    assert FIRST in (bed.root / "out").read_text()
    assert bed.receipts() == []


def test_a_signal_after_the_child_has_ended_ends_the_hook_with_0():
    """Ctrl-C goes to both processes, and the child may end of it before its parent answers it."""
    program = (
        "import os, signal\n"
        "from agentmail.hosts.runtime.process import _Guard\n"
        "guard = _Guard(lambda: None)\n"
        "child = os.fork()\n"
        "if not child: os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "guard.child = child\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "signal.pause()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def waiting_for_its_input(bed: Bed) -> tuple[subprocess.Popen[bytes], str]:
    """A hook that runs, and its child."""
    with (bed.root / "out").open("w") as out:
        hook = subprocess.Popen(
            bed.command("mail-check", PROMPT),
            stdin=subprocess.PIPE,
            stdout=out,
            env=bed.environment(),
            cwd=bed.work,
        )
    return hook, wait_for(lambda: children_of(hook.pid), "the child")


def is_there(pid: str) -> bool:
    """True for a process that runs; one that has ended and that nobody has asked about does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid: int) -> str:
    """The first child of a process, if it has one."""
    done = subprocess.run(
        ["ps", "--no-headers", "-o", "pid", "--ppid", str(pid)], capture_output=True, text=True
    )
    return done.stdout.strip()
