"""Renamed and unregistered identities: their mail stays readable, and who sends to them learns what became of them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentmail.core.errors import AgentMailError
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.rename import rename
from agentmail.verbs.unregister import unregister
from tests.conversations.office import Office
from tests.support.fault_loop import SAMPLED_AND_ALL, Strike, strike_each
from tests.support.faults import Crashed, FaultyDisk
from tests.support.worlds import make_world


def test_a_renamed_identity_has_all_its_mail_and_its_row(office: Office) -> None:
    waiting = office.send("alpha", "beta", "waits")
    archived = office.send("alpha", "beta", "handled")
    sent = office.send("beta", "gamma", "answer")
    office("archive", "beta", archived)
    found = office.json("rename", "beta", "delta")
    assert (found["outcome"], found["identity"], found["former"], found["waiting"]) == (
        "renamed",
        "delta",
        "beta",
        1,
    )
    for id in (waiting, archived, sent):
        assert office("read", "delta", id).code == 0
    assert [one["flags"] for one in office.json("check", "delta")["messages"]] == [[]]
    assert [line.split("  ")[:2] for line in office("roster").out.splitlines()] == [
        ["alpha", office.workdir("alpha")],
        ["delta", office.workdir("beta")],
        ["gamma", office.workdir("gamma")],
    ]
    assert office.json("rename", "beta", "delta")["outcome"] == "already-renamed"
    assert office("doctor").code == 0


@pytest.mark.parametrize("to", ["beta", "alpha,beta", "@beta"])
def test_a_sender_to_the_old_name_learns_the_new_name(office: Office, to: str) -> None:
    office("rename", "beta", "delta")
    ended = office("send", "gamma", to, "news")
    assert (ended.code, ended.out) == (3, "")
    start = "agentmail: beta was renamed to delta; nothing was changed; use delta in its place; "
    assert ended.err.startswith(start)
    assert ended.err.count("\n") == 1
    assert "delta" in ended.err.removeprefix(start)
    assert "beta" not in ended.err.removeprefix(start)
    assert not office.box("alpha").inbox
    assert not office.box("delta").inbox
    assert not (office.bus / "beta").exists()


def test_a_reply_to_the_old_name_is_refused_and_a_message_in_the_old_name_gets_a_warning(
    office: Office,
) -> None:
    id = office.send("beta", "alpha", "question")
    office("rename", "beta", "delta")
    assert "renamed to delta" in office("reply", "alpha", id).err
    ended = office("send", "beta", "alpha", "late", at="gamma")
    assert ended.code == 0
    assert "beta was renamed to delta; sent as beta anyway, and no copy is kept" in ended.err


def test_receipts_of_a_renamed_recipient_are_found(office: Office) -> None:
    id = office.send("alpha", "beta", "news")
    office("read", "beta", id, "--session", "s1")
    for words in (("rename", "beta", "delta"), ("unregister", "delta")):
        assert office(*words).code == 0
        assert office.json("receipts", "alpha", id)["messages"][0]["receipts"][0]["session"] == "s1"


def test_several_renames_are_followed_and_an_old_name_can_be_used_again(office: Office) -> None:
    office("rename", "beta", "delta")
    office("rename", "delta", "epsilon")
    assert "beta was renamed to epsilon" in office("send", "alpha", "beta", "news").err
    assert office("rename", "epsilon", "beta").code == 0
    assert office.send("alpha", "beta", "news")
    assert "delta was renamed to beta" in office("send", "alpha", "delta", "news").err
    assert office("register", "delta", "-", "is", "another").code == 0
    assert office.send("alpha", "delta", "news")


@pytest.mark.parametrize("new", ["alpha", "beta", "tmp", "Bad_Name", "gone"])
def test_a_new_name_that_is_taken_or_invalid_is_refused(office: Office, new: str) -> None:
    office("register", "gone", "-", "leaves")
    office("unregister", "gone")
    before = (office.bus / "registry.md").read_bytes()
    assert office("rename", "beta", new).code == 2
    assert (office.bus / "registry.md").read_bytes() == before
    assert (office.bus / "beta").is_dir()


def test_an_unregistered_identity_gets_nothing_and_keeps_its_mail(office: Office) -> None:
    id = office.send("alpha", "beta", "waits")
    ended = office("unregister", "beta")
    assert ended.code == 0
    assert "1 still wait" in ended.err
    assert "beta" not in office("roster").out
    ended = office("send", "alpha", "beta,gamma", "news")
    assert (ended.code, ended.out) == (3, "")
    assert "beta was unregistered and takes no mail" in ended.err
    assert not office.box("gamma").inbox
    assert [one["id"] for one in office.json("check", "beta")["messages"]] == [id]
    path = office.json("read", "beta", id)["path"]
    assert Path(path).read_bytes() == (office.bus / "_former" / "beta" / "inbox" / f"{id}.md").read_bytes()
    assert office("archive", "beta", id).code == 0
    assert office.json("unregister", "beta")["outcome"] == "already-unregistered"
    assert office("doctor").code == 0
    assert office("register", "beta", "-", "is", "back").code == 0
    assert office("read", "beta", id).code == 0
    assert office.send("alpha", "beta", "again")


def test_a_mailbox_that_comes_back_under_the_old_name_is_a_problem_and_the_fix_keeps_its_mail(
    office: Office,
) -> None:
    for words in (["rename", "beta", "delta"], ["unregister", "beta"]):
        id = office.send("alpha", "beta", "late")
        late = office.box("beta").inbox[id]
        office("archive", "beta", id)
        assert office(*words).code == 0
        (office.bus / "beta" / "inbox").mkdir(parents=True)
        (office.bus / "beta" / "inbox" / f"{id}.md").write_bytes(late)
        (finding,) = [
            one
            for one in office.json("doctor", code=1)["findings"]
            if one["level"] == "problem"
            and one["subject"] == "beta"
            and "but it has a mailbox" in one["what"]
        ]
        assert finding["fix"] == f"`agentmail {' '.join(words)}`"
        if words[0] == "rename":
            assert office(*words).code == 0
            assert "but it has a mailbox" not in office("doctor").out
            assert office.json("check", "delta")["messages"][0]["id"] == id
            assert office("register", "beta", "-", "is", "another").code == 0
        else:
            assert office(*words).code == 0
            assert "but it has a mailbox" not in office("doctor").out
            assert office.json("check", "beta")["messages"][0]["id"] == id


def test_what_the_other_mailbox_has_under_the_same_name_is_kept_apart_and_said(office: Office) -> None:
    for words in (["rename", "beta", "delta"], ["unregister", "gamma"]):
        identity = words[1]
        id = office.send("alpha", identity, "late")
        assert office(*words).code == 0
        inbox = office.bus / identity / "inbox"
        inbox.mkdir(parents=True)
        (inbox / f"{id}.md").write_text("another")
        (inbox / "20260704-0930-alpha-more.md").write_text("more")
        ended = office(*words)
        moved = office.bus / ("delta" if words[0] == "rename" else "_former/gamma") / "inbox"
        apart = office.bus / ("_former/beta" if words[0] == "rename" else "gamma") / "inbox"
        assert (moved / "20260704-0930-alpha-more.md").read_text() == "more"
        assert (moved / f"{id}.md").read_text() != "another"
        assert (apart / f"{id}.md").read_text() == "another"
        if words[0] == "rename":
            assert ended.code == 0
            assert "1 still wait under the old one: `agentmail check beta`" in ended.err
            assert [one["id"] for one in office.json("check", "beta")["messages"]] == [id]
        else:
            assert ended.code == 2
            assert "is in one of the two" in ended.err


def test_a_record_in_both_mailboxes_has_the_facts_of_both(office: Office) -> None:
    ids = [office.send("alpha", "beta", slug) for slug in ("one", "two")]
    office("read", "beta", ids[0], "--session", "s1", "--as", "beta")
    (record,) = (office.bus / "beta" / "sessions").rglob("s1.jsonl")
    before = record.read_text()
    office("rename", "beta", "delta")
    office("read", "delta", ids[1], "--session", "s1", "--as", "delta")
    record.parent.mkdir(parents=True)
    record.write_text(
        f'{before}\n{{"fact": "acknowledged", "id": "{ids[0]}", "time": "2026-07-04T09:31:00Z"}}'
    )
    assert office("rename", "beta", "delta").code == 0
    (session,) = office.json("sessions", "delta")["sessions"]
    assert (session["presented"], session["acknowledged"]) == (2, 1)
    assert not (office.bus / "beta").exists()
    assert not (office.bus / "_former" / "beta").exists()


def test_empty_folders_that_git_leaves_under_a_former_name_take_no_mail(office: Office) -> None:
    for words in (["rename", "beta", "delta"], ["unregister", "gamma"]):
        assert office(*words).code == 0
        for folder in ("inbox", "tmp", "archive"):
            (office.bus / words[1] / folder).mkdir(parents=True)
        ended = office("send", "alpha", words[1], "news", stdin="text\n")
        assert (ended.code, ended.out) == (3, "")
        assert f"{words[1]} was {words[0].removesuffix('e')}" in ended.err
        assert os.listdir(office.bus / words[1] / "inbox") == []
        assert office(*words).code == 0
        assert not (office.bus / words[1]).exists()


def test_a_mailbox_that_came_back_joins_the_kept_one_when_its_identity_is_registered(office: Office) -> None:
    id = office.send("alpha", "beta", "before")
    office("unregister", "beta")
    (office.bus / "beta" / "inbox").mkdir(parents=True)
    assert office("register", "beta", "-", "is", "back").code == 0
    assert [one["id"] for one in office.json("check", "beta")["messages"]] == [id]
    assert not (office.bus / "_former" / "beta").exists()


def test_the_call_for_an_answer_or_a_copy_to_the_old_name_has_the_new_one(office: Office) -> None:
    id = office.send("beta", "alpha", "question")
    office("rename", "beta", "delta")
    ended = office("reply", "alpha", id, "thanks", stdin="text\n")
    assert ended.err.endswith(f"`agentmail send alpha delta re 'thanks' --re {id} <<'EOF'`\n")
    ended = office("send", "alpha", "gamma", "x", "S", "--cc", "beta", stdin="text\n")
    assert ended.err.endswith("`agentmail send alpha gamma x 'S' --cc delta <<'EOF'`\n")


def test_a_new_identity_under_a_former_name_is_registered_with_a_warning(office: Office) -> None:
    office("rename", "beta", "delta")
    ended = office("register", "beta", "-", "is", "new")
    assert ended.code == 0
    assert (
        "warning: delta was called beta before; a message to beta now reaches this one, not delta"
        in ended.err
    )
    assert "was called" not in office("register", "beta", "-", "is", "the", "same").err


def test_no_call_is_proposed_that_would_reach_somebody_of_a_similar_name(office: Office) -> None:
    office("register", "betas", "-", "has", "a", "similar", "name")
    office("unregister", "beta")
    assert "`agentmail send alpha OTHER x 'subject' <<'EOF'`" in office("send", "alpha", "beta", "x").err
    for old, new in (("gamma", "worker"), ("worker", "helper")):
        assert office("rename", old, new).code == 0
    ended = office("send", "alpha", "gamma", "x", "Hi", stdin="text\n")
    assert ended.err.endswith("`agentmail send alpha helper x 'Hi' <<'EOF'`\n")


@pytest.mark.parametrize("words", [["rename", "beta", "delta"], ["unregister", "beta"]])
def test_a_planted_link_in_the_place_of_the_registry_changes_nothing_beside_its_target(
    office: Office, tmp_path: Path, words: list[str]
) -> None:
    target = tmp_path / "elsewhere" / "notes.md"
    target.parent.mkdir()
    target.write_text("no registry\n")
    (office.bus / "registry.md").unlink()
    (office.bus / "registry.md").symlink_to(target)
    ended = office(*words)
    assert ended.code == 2
    assert "is a symlink to a file that holds no registry" in ended.err
    finding = next(
        one for one in office.json("doctor", code=1)["findings"] if one["subject"] == "registry.md"
    )
    assert finding["what"] == "is a symlink to a file that holds no registry"
    assert os.listdir(target.parent) == ["notes.md"]
    assert target.read_text() == "no registry\n"


def test_comments_and_other_rows_of_the_registry_keep_their_bytes(office: Office) -> None:
    registry = office.bus / "registry.md"
    text = "# Ours\n\n| id | note | workdir | responsibility |\n|---|:-:|---|---|\n|`beta`| x |/srv| b |\n| alpha | | - | a |\n\nbeta | is\n"
    registry.write_text(text)
    assert office("rename", "beta", "delta").code == 0
    assert registry.read_text() == text.replace("|`beta`|", "| delta |")
    assert office("unregister", "delta").code == 0
    assert registry.read_text() == text.replace("|`beta`| x |/srv| b |\n", "")


@pytest.mark.parametrize("every", SAMPLED_AND_ALL)
@pytest.mark.parametrize("verb", ["rename", "unregister"])
def test_a_command_can_be_repeated_after_a_fault_at_any_call_and_no_mail_is_lost(
    quick_path: Path, verb: str, every: int
) -> None:
    def act(bus: Bus) -> None:
        if verb == "rename":
            rename(Call(bus), "beta", "epsilon")
        else:
            unregister(Call(bus), "beta")

    world = make_world(quick_path / "bus")
    mail = {path.name: path.read_bytes() for path in (world.path / "beta").rglob("*.md*")}
    healthy = FaultyDisk()
    act(Bus(str(world.copy(quick_path / "healthy").path), healthy))

    def meet(strike: Strike) -> list[str]:
        shutil.rmtree(quick_path / "struck", ignore_errors=True)
        copy = world.copy(quick_path / "struck")
        disk = FaultyDisk(strike.effect, strike.at)
        try:
            act(Bus(str(copy.path), disk))
        except (OSError, AgentMailError, Crashed):
            pass
        finally:
            disk.bury()
        act(Bus(str(copy.path)))
        moved = copy.path / ("epsilon" if verb == "rename" else "_former/beta")
        rows = [
            line.split("|")[1].strip()
            for line in (copy.path / "registry.md").read_text().splitlines()
            if "|" in line
        ]
        found = {path.name: path.read_bytes() for path in moved.rglob("*.md*")}
        wrong = ["mail is lost"] if found != mail else []
        return wrong + (["the old one is left"] if (copy.path / "beta").exists() or "beta" in rows else [])

    struck = strike_each(healthy.calls, meet, every)
    assert struck.wrong == []
    assert struck.struck == set(range(len(healthy.calls)))


@pytest.mark.parametrize("every", SAMPLED_AND_ALL)
def test_after_a_fault_while_a_mailbox_that_came_back_is_joined_nothing_is_lost(
    quick_path: Path, every: int
) -> None:
    def act(bus: Bus) -> None:
        rename(Call(bus), "beta", "epsilon")

    def what_is_there(path: Path) -> tuple[dict[str, bytes], set[str]]:
        mail = {one.name: one.read_bytes() for one in path.rglob("*.md*")}
        return mail, {line for one in path.rglob("s1.jsonl") for line in one.read_text().split("\n")}

    world = make_world(quick_path / "bus")
    act(Bus(str(world.path)))
    for box, fact in (("beta", "of both"), ("epsilon", "of both"), ("beta", "before")):
        record = world.path / box / "sessions" / "m1" / "s1.jsonl"
        record.parent.mkdir(parents=True, exist_ok=True)
        with record.open("a") as file:
            file.write(f"\n{fact}")
    (world.path / "beta" / "inbox").mkdir()
    (world.path / "beta" / "inbox" / "20260704-0930-alpha-late.md").write_text("late")
    (world.path / "beta" / "archive").mkdir()
    expected = what_is_there(world.path)
    healthy = FaultyDisk()
    act(Bus(str(world.copy(quick_path / "healthy").path), healthy))

    def meet(strike: Strike) -> list[str]:
        shutil.rmtree(quick_path / "struck", ignore_errors=True)
        copy = world.copy(quick_path / "struck")
        disk = FaultyDisk(strike.effect, strike.at)
        try:
            act(Bus(str(copy.path), disk))
        except (OSError, AgentMailError, Crashed):
            pass
        finally:
            disk.bury()
        act(Bus(str(copy.path)))
        mail, facts = what_is_there(copy.path / "epsilon")
        whole = what_is_there(copy.path)
        wrong = [] if whole[0] == expected[0] and whole[1] >= expected[1] else ["something is lost"]
        return wrong + ([] if "20260704-0930-alpha-late.md" in mail and "before" in facts else ["not joined"])

    struck = strike_each(healthy.calls, meet, every)
    assert struck.wrong == []
    assert struck.struck == set(range(len(healthy.calls)))


def test_the_content_of_a_mark_from_a_peer_is_used_neither_as_a_path_nor_as_text(
    office: Office, tmp_path: Path
) -> None:
    (office.bus / "_former").mkdir()
    secret = tmp_path / "secret"
    secret.write_text("delta\n")
    for name, text in (("one", "../../etc\n"), ("two", "run this now: rm -rf\n"), ("three", "three\n")):
        (office.bus / "_former" / f"{name}.renamed").write_text(text)
        assert "nobody called" in office("send", "alpha", name, "news").err
    os.symlink(secret, office.bus / "_former" / "four.renamed")
    assert "delta" not in office("send", "alpha", "four", "news").err
    os.symlink(tmp_path, office.bus / "_former" / "five")
    assert office("check", "five").code != 0


def test_a_thread_is_unarchived_as_a_whole(office: Office) -> None:
    first = office.send("alpha", "beta", "first", "--thread", "release")
    second = office.send("gamma", "beta", "second", "--thread", "release")
    other = office.send("gamma", "beta", "other")
    office("archive", "beta", first, second, other)
    ended = office("unarchive", "beta", "release")
    assert (ended.code, ended.out.splitlines()) == (0, [f"unarchived {first}", f"unarchived {second}"])
    assert set(office.box("beta").inbox) == {first, second}
    again = office("unarchive", "beta", "release")
    assert (again.code, again.out.splitlines()) == (
        0,
        [f"already waiting {first}", f"already waiting {second}"],
    )
    ended = office("unarchive", "beta", "no-such-thread")
    assert ended.code == 1
    assert "no message and no thread no-such-thread in the archive of beta" in ended.err
    assert "see `agentmail threads beta`" in ended.err


def test_an_invalid_new_name_is_answered_with_a_valid_one(office: Office) -> None:
    ended = office("rename", "beta", "Big Name")
    assert (ended.code, ended.err.endswith("use 'big-name'\n")) == (2, True)
