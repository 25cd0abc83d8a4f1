"""The sender's own copy: kept under the same id and the same bytes, found by every view, pruned by age like an archive."""

from __future__ import annotations

from agentmail.core.layout import Clock
from tests.conversations.office import Office
from tests.support.worlds import age


def test_a_sent_copy_is_a_plain_file_that_only_its_owner_can_read(office: Office) -> None:
    id = office.send("alpha", "beta", "one")
    copy = office.bus / "alpha" / "sent" / f"{id}.md"
    assert copy.read_bytes() == (office.bus / "beta" / "inbox" / f"{id}.md").read_bytes()
    assert (copy.stat().st_mode & 0o777, copy.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert office("read", "alpha", id).out.startswith(f"alpha: {id} (sent)")


def test_an_unregistered_sender_keeps_no_copy_and_is_warned(office: Office) -> None:
    ended = office("send", "stranger", "beta", "one")
    assert ended.code == 0
    assert "no copy is kept" in ended.err
    assert not (office.bus / "stranger").exists()


def test_a_message_to_myself_is_received_and_sent(office: Office) -> None:
    id = office.send("alpha", "alpha", "note")
    box = office.box("alpha")
    assert box.inbox[id] == box.sent[id]
    office("archive", "alpha", id)
    assert office.send("alpha", "alpha", "note") != id


def test_an_id_that_the_sender_has_used_is_not_used_again(office: Office) -> None:
    moment = office.clock.moment
    first = office.send("alpha", "beta", "one")
    office.clock.moment = moment
    assert office.send("alpha", "gamma", "one") == f"{first}-2"


def test_an_answer_to_a_pruned_message_still_goes_into_its_thread(office: Office) -> None:
    first = office.send("alpha", "beta", "one", "--thread", "t")
    (office.bus / "alpha" / "sent" / f"{first}.md").unlink()
    answer = office("reply", "beta", first).out.strip()
    again = office("reply", "alpha", answer).out.strip()
    assert office.header("beta", again)["thread"] == "t"


def test_prune_removes_a_sent_copy_by_its_age_and_names_it(office: Office) -> None:
    office.clock.moment = Clock().now_ns()
    old, young = office.send("alpha", "beta", "old"), office.send("alpha", "beta", "young")
    age(office.bus / "alpha" / "sent" / f"{old}.md", 61)
    assert office("prune", "alpha", "--dry-run").out.splitlines()[0] == f"would remove alpha/sent/{old}.md"
    assert office("prune", "alpha").out.splitlines() == [
        f"removed alpha/sent/{old}.md",
        "alpha: removed 1 older than 60 days",
    ]
    assert set(office.box("alpha").sent) == {young}
    assert {old, young} <= set(office.box("beta").inbox), "what others have of it stays"
    assert office("prune", "beta").out == "beta: removed 0 older than 60 days\n"


def test_the_upkeep_of_archive_prunes_sent_copies_too(office: Office) -> None:
    office.clock.moment = Clock().now_ns()
    office("archive", "alpha", office.send("beta", "alpha", "first"))
    age(office.bus / "alpha" / ".upkeep", 1)
    old = office.send("alpha", "beta", "old")
    age(office.bus / "alpha" / "sent" / f"{old}.md", 61)
    ended = office("archive", "alpha", office.send("beta", "alpha", "new"))
    assert f"pruned alpha/sent/{old}.md" in ended.out
    assert not office.box("alpha").sent
