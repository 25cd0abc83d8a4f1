"""No documented fix makes a receipt untrue: what a session was shown under an id stays the message of that id."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.clones import Machine, content, two_clones
from tests.support.in_process import run_in_process
from tests.support.reader import read_box, read_bus
from tests.support.worlds import World

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def text_of(data: bytes) -> bytes:
    return data.rpartition(b"---\n")[2]


def recorded(bus: Path, agent: str, session: str) -> set[str]:
    """The ids that a session's record names."""
    facts = [
        json.loads(line)
        for path in (bus / agent / "sessions").glob(f"*/{session}.jsonl")
        for line in path.read_text().splitlines()
        if line
    ]
    return {fact["id"] for fact in facts if "id" in fact}


def texts_recorded(machine: Machine, agent: str, session: str) -> set[bytes]:
    """The texts that, by its record, a session was shown."""
    received = read_box(machine.bus / agent).received
    return {text_of(received[id]) for id in recorded(machine.bus, agent, session)}


def see(machine: Machine, agent: str, session: str) -> None:
    for id in machine.waiting(agent):
        machine.ok("read", agent, id, "--session", session, "--as", agent)
        machine.ok("ack", agent, id, "--session", session, "--as", agent)


class Clash:
    """Two machines that send a message of one id at once; a session of each is shown its own. Then the first publishes."""

    def __init__(self, place: Path, to: str = "beta") -> None:
        self.one, self.other = two_clones(place, minutes=0)
        self.id = self.one.ok("send", "alpha", "beta", "x")
        assert self.other.ok("send", "alpha", to, "x") == self.id
        for machine in (self.one, self.other):
            for agent in ("beta", "gamma"):
                see(machine, agent, f"s-{machine.name}")

    def settle(self) -> str:
        """Both carry, the second runs the fix, and both have the same bus."""
        self.one.sync()
        self.other.pull(check=False)
        said = self.other.keep_both()
        assert self.other.keep_both() == ""
        self.other.sync()
        self.one.sync()
        assert content(self.one) == content(self.other)
        for machine in (self.one, self.other):
            machine.ok("doctor", "--fix")
            machine.ok("doctor")
        return said

    def judge(self, agent: str = "beta") -> None:
        """The published message kept its bytes, the other has its own id, and each session's record is true."""
        for machine in (self.one, self.other):
            box = read_bus(machine.bus)[agent]
            assert not box.broken
            assert {id: text_of(data) for id, data in box.received.items()} == {
                self.id: b"text of one",
                f"{self.id}-2": b"text of other",
            }
            assert all(data.startswith(f"---\nid: {id}\n".encode()) for id, data in box.received.items())
            assert texts_recorded(machine, agent, "s-one") == {b"text of one"}
            assert texts_recorded(machine, agent, "s-other") == {b"text of other"}


@needs_git
@pytest.mark.parametrize("archived", [(), ("one",), ("other",), ("one", "other")], ids="-".join)
@pytest.mark.parametrize("copies", [True, False], ids=["with copies in sent", "with none"])
def test_two_messages_of_one_id_on_two_machines(
    quick_path: Path, archived: tuple[str, ...], copies: bool
) -> None:
    clash = Clash(quick_path)
    for machine in (clash.one, clash.other):
        if not copies:
            (machine.bus / "alpha" / "sent" / f"{clash.id}.md").unlink()
        if machine.name in archived:
            machine.ok("archive", "beta", clash.id)
    assert clash.settle() == (
        f"{clash.id} of this machine is {clash.id}-2 now: another message of that id was published\n"
    )
    clash.judge()
    for machine in (clash.one, clash.other):
        assert set(read_box(machine.bus / "alpha").sent) == ({clash.id, f"{clash.id}-2"} if copies else set())
        names = {*machine.names("beta", "inbox"), *machine.names("beta", "archive")}
        first, second = (".md.gz" if name in archived else ".md" for name in ("one", "other"))
        assert names == {f"{clash.id}{first}", f"{clash.id}-2{second}"}
        assert "already-archived" not in machine.ok("check", "beta")


@needs_git
def test_a_message_to_several_has_one_new_id_in_all_mailboxes(quick_path: Path) -> None:
    clash = Clash(quick_path, to="beta,gamma")
    clash.settle()
    clash.judge()
    for machine in (clash.one, clash.other):
        assert set(read_box(machine.bus / "gamma").received) == {f"{clash.id}-2"}
        assert texts_recorded(machine, "gamma", "s-other") == {b"text of other"}


@needs_git
@pytest.mark.parametrize("who", [("one",), ("other",), ("one", "other")], ids="-".join)
def test_whom_a_message_did_not_reach_is_recorded_under_its_own_id(
    quick_path: Path, who: tuple[str, ...]
) -> None:
    one, other = two_clones(quick_path, minutes=0)
    for machine in (one, other):
        inbox = machine.bus / "gamma" / "inbox"
        if machine.name in who:
            inbox.rmdir()
            inbox.write_text("no directory")
        id = machine("send", "alpha", "beta,gamma", "x").out.strip()
        if machine.name in who:
            inbox.unlink()
    one.sync()
    other.pull(check=False)
    other.keep_both()
    assert other.keep_both() == ""
    other.sync()
    one.sync()
    assert content(one) == content(other)
    ids = {"one": id, "other": f"{id}-2"}
    for machine in (one, other):
        listed = json.loads(machine.ok("receipts", "alpha", "--json"))["messages"]
        missed = {each["id"]: [lack["identity"] for lack in each["missed"]] for each in listed}
        assert missed == {ids[name]: ["gamma"] if name in who else [] for name in ids}
    for name in who:
        other.ok("send", "alpha", "--retry", ids[name])
    gamma = read_box(other.bus / "gamma").received
    assert {each: text_of(data) for each, data in gamma.items()} == {
        ids[name]: f"text of {name}".encode() for name in ids
    }


@needs_git
def test_a_session_that_records_while_another_machine_renames_its_identity_loses_no_receipt(
    quick_path: Path,
) -> None:
    one, other = two_clones(quick_path)
    id = other.ok("send", "alpha", "beta", "x")
    other.ok("read", "beta", id, "--session", "s1", "--as", "beta")
    other.sync()
    one.sync()
    one.ok("rename", "beta", "delta")
    one.sync()
    other.ok("ack", "beta", id, "--session", "s1", "--as", "beta")
    late = other.ok("send", "alpha", "beta", "late")
    other.pull(check=False)
    assert other.keep_both() == ""
    other.ok("rename", "beta", "delta")
    other.sync()
    one.sync()
    assert content(one) == content(other)
    for machine in (one, other):
        assert set(machine.waiting("delta")) == {id, late}
        assert recorded(machine.bus, "delta", "s1") == {id}
        (session,) = json.loads(machine.ok("sessions", "delta", "--json"))["sessions"]
        assert (session["presented"], session["acknowledged"]) == (1, 1)


@needs_git
def test_an_answer_follows_the_message_that_it_answers(quick_path: Path) -> None:
    clash = Clash(quick_path)
    answers = {machine.name: machine.ok("reply", "beta", clash.id) for machine in (clash.one, clash.other)}
    clash.settle()
    clash.judge()
    for machine in (clash.one, clash.other):
        headers = {
            text_of(data): data.partition(b"\n---\n")[0].splitlines()
            for data in read_box(machine.bus / "alpha").received.values()
        }
        assert f"re: {clash.id}".encode() in headers[b"text of one"]
        assert f"thread: {clash.id}".encode() in headers[b"text of one"]
        assert f"re: {clash.id}-2".encode() in headers[b"text of other"]
        assert f"thread: {clash.id}-2".encode() in headers[b"text of other"]
    assert answers["one"] == answers["other"], "the answers clash too"


@needs_git
def test_our_second_message_of_the_minute_keeps_its_id_and_the_free_one_after_it_is_taken(
    quick_path: Path,
) -> None:
    clash = Clash(quick_path)
    assert clash.other.ok("send", "alpha", "beta", "x") == f"{clash.id}-2"
    clash.settle()
    for machine in (clash.one, clash.other):
        assert set(read_box(machine.bus / "beta").received) == {
            clash.id,
            f"{clash.id}-2",
            f"{clash.id}-3",
        }
        assert recorded(machine.bus, "beta", "s-other") == {f"{clash.id}-3"}


@pytest.mark.slow
@needs_git
def test_a_run_that_was_stopped_at_any_command_is_completed_by_the_next(quick_path: Path) -> None:
    """The program ends at its n-th change, as by a kill."""
    for number in range(1, 30):
        clash = Clash(quick_path / f"{number}")
        clash.other.ok("reply", "beta", clash.id)
        clash.one.sync()
        clash.other.pull(check=False)
        program = clash.other.bus / ".git" / "agentmail-keep-both"
        whole = program.read_text()
        count = clash.other.bus / ".git" / "count"
        stop = f'echo >>"{count}"; test $(wc -l <"{count}") -lt {number} || kill -9 $$\n'
        program.write_text(
            whole.replace("    mv -f ", f"    {stop}    mv -f ").replace(
                "    git add -f ", f"    {stop}    git add -f "
            )
        )
        stopped = clash.other.git("keep-both", check=False)
        program.write_text(whole)
        clash.settle()
        clash.judge()
        if stopped.returncode == 0:
            break
    else:
        raise AssertionError("it never ran to its end")
    assert number > 8


@needs_git
def test_nothing_is_renamed_where_no_id_is_taken(quick_path: Path) -> None:
    one, other = two_clones(quick_path)
    first = one.ok("send", "alpha", "beta", "x")
    one.ok("archive", "beta", first)
    one.sync()
    other.sync()
    other.ok("unarchive", "beta", first)
    second = other.ok("send", "alpha", "beta", "y")
    (other.bus / "beta" / "inbox" / 'a "quoted\n name.md').write_text("no message")
    head = other.git("rev-parse", "HEAD").stdout
    assert other.keep_both() == ""
    assert other.git("rev-parse", "HEAD").stdout == head
    other.sync()
    assert {first, second} <= set(read_box(other.bus / "beta").inbox)


@needs_git
def test_a_file_that_cannot_be_read_stops_the_program_and_nothing_is_pushed_as_done(quick_path: Path) -> None:
    clash = Clash(quick_path)
    clash.one.sync()
    clash.other.pull(check=False)
    waiting = clash.other.bus / "beta" / "inbox" / f"{clash.id}.md"
    data = waiting.read_bytes()
    waiting.unlink()
    waiting.mkdir()
    assert clash.other.git("keep-both", check=False).returncode != 0
    waiting.rmdir()
    waiting.write_bytes(data)
    clash.settle()
    clash.judge()


#: What doctor --fix may find of a message that a session was shown, by the place of the message.
DAMAGES = ["archived twice", "set aside", "set aside, archived", "wide modes"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_doctor_fixes_no_record_into_a_lie(world: World, damage: str) -> None:
    box = world.path / "beta"
    known = world.path.parent / "home" / ".agents" / "machine.json"
    known.parent.mkdir(parents=True, exist_ok=True)
    known.write_text('{"machine": "desk"}')
    (box / "archive" / f"{world.expired}.md.gz").unlink()  # archiving would prune it
    shown = {id: text_of(data) for id, data in read_box(box).received.items()}
    for id in shown:
        assert run_in_process(("read", "beta", id, "--session", "s", "--as", "beta"), world.path).code == 0
    waiting = box / "inbox" / f"{world.waiting}.md"
    data = waiting.read_bytes()
    aside = waiting.with_name(f".removing-0123abcd-{waiting.name}")
    if damage.endswith(("twice", "archived")):
        assert run_in_process(("archive", "beta", world.waiting), world.path).code == 0
        (waiting if damage.endswith("twice") else aside).write_bytes(data)
    elif damage.startswith("set aside"):
        waiting.rename(aside)
    if damage == "wide modes":
        os.chmod(waiting, 0o666)
    assert run_in_process(("doctor", "--fix"), world.path).code in (0, 1)
    received = read_box(box).received
    assert recorded(world.path, "beta", "s") == set(shown)
    assert {id: text_of(received[id]) for id in shown} == shown
    assert not read_box(box).hidden
