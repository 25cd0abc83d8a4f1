"""What every reader gives, whatever it keeps: one suite over the files themselves and over the index."""

from __future__ import annotations

import pytest

from agentmail.core.layout import Bus
from agentmail.views.base import Entry, Wanted
from agentmail.views.workspaces import placed_threads
from tests.views.conftest import MESSAGES, Reading

DAMAGED = {
    "20260108-0900-alpha-link": "inbox",
    "20260108-0900-alpha-cut": "archive",
    "20260108-0900-beta-folder": "sent",
}
PLACES = {**{id: place for id, (place, *_) in MESSAGES.items()}, **DAMAGED}


def ids(entries: object) -> list[str]:
    assert not isinstance(entries, str)
    return sorted(one.id for one in entries)  # type: ignore[attr-defined]


def test_it_gives_each_message_once_from_the_first_place_that_has_it(full: Bus, reading: Reading) -> None:
    unreadable: list[str] = []
    with reading(full) as (box, reader):
        found = list(reader.entries(box, unreadable=unreadable))
    assert {one.id: one.place for one in found} == PLACES
    assert len(found) == len(PLACES)
    by_id = {one.id: one for one in found}
    assert by_id["plain"].message.body == b"the plain file of that id comes first\n"
    assert by_id["20260105-0900-human-said"].message.body == b"six \x00 seven\n"
    assert {one.id for one in found if one.damaged} == set(DAMAGED)
    assert [line.split(":")[0] for line in unreadable] == [
        "inbox/20260108-0900-alpha-link.md",
        "archive/20260108-0900-alpha-cut.md.gz",
        "sent/20260108-0900-beta-folder.md",
    ]


@pytest.mark.parametrize("place", ["inbox", "archive", "sent"])
def test_it_gives_only_the_places_asked_for(full: Bus, reading: Reading, place: str) -> None:
    with reading(full) as (box, reader):
        expected = sorted(id for id, where in PLACES.items() if where == place)
        assert ids(reader.entries(box, (place,))) == expected
        assert ids(reader.headers(box, (place,))) == expected


@pytest.mark.parametrize(
    ("wanted", "which"),
    [
        (Wanted(thread="plan"), "first second beta-answer gamma-answer"),
        (Wanted(sender="gamma"), "gamma-answer"),
        (Wanted(["plan"]), "first second beta-answer gamma-answer"),
        (Wanted(["plan", "three"]), "beta-answer"),
        (Wanted(kind="handoff"), "second"),
        (Wanted(since="20260103-0900", until="20260105-0900"), "gamma-answer alone"),
        (Wanted(["strasse"]), "alone Straße"),
        (Wanted(["中文"]), "alone"),
        (Wanted(["語のテ"]), "alone"),
        (Wanted(["🎉"]), "alone"),
        (Wanted(["é"]), "quoted"),
        (Wanted(["\\ q"]), "quoted"),
        (Wanted(["ve"]), "alone human-said"),
        (Wanted(["nowhere"]), ""),
        (Wanted(['"']), ""),
        (Wanted(["%"]), ""),
        (Wanted(["\ud800"]), ""),
    ],
)
def test_what_matches_is_among_what_it_gives(full: Bus, reading: Reading, wanted: Wanted, which: str) -> None:
    with reading(full) as (box, reader):
        found = ids(reader.entries(box, wanted=wanted))
    expected = [id for id in PLACES if any(id.endswith(word) for word in which.split())]
    assert set(found) >= {*expected, *DAMAGED}


def test_the_newest_come_first_and_no_more_than_asked_for(full: Bus, reading: Reading) -> None:
    def judge(entry: Entry) -> str | None:
        return None if entry.damaged or "plan" not in entry.thread else entry.id

    with reading(full) as (box, reader):
        every, more = reader.newest(box, Wanted(thread="plan"), judge)
        two, more_than_two = reader.newest(box, Wanted(thread="plan"), judge, 2)
        four, more_than_four = reader.newest(box, Wanted(), judge, 4)
    assert every == [
        "20260103-0900-gamma-answer",
        "20260102-0900-beta-answer",
        "20260101-0900-alpha-second",
        "20260101-0900-alpha-first",
    ]
    assert (two, four) == (every[:2], every)
    assert (more, more_than_two, more_than_four) == (False, True, False)


def test_headers_are_those_of_the_files_without_the_bodies(full: Bus, reading: Reading) -> None:
    unreadable: list[str] = []
    with reading(full) as (box, reader):
        whole = {one.id: one for one in reader.entries(box)}
        headers = {one.id: one for one in reader.headers(box, unreadable=unreadable)}
    assert len(unreadable) == len(DAMAGED)
    assert headers.keys() == whole.keys()
    for id, one in headers.items():
        assert one.message == whole[id].without_body().message
        assert (one.place, one.name, one.damaged) == (whole[id].place, whole[id].name, whole[id].damaged)
        assert one.sort_key() == whole[id].sort_key()


def test_a_sum_of_a_thread_has_first_last_parties_and_what_waits(full: Bus, reading: Reading) -> None:
    with reading(full) as (box, reader):
        sums = {one.name: one for one in reader.sums(box)}
    plan = sums["plan"]
    assert (plan.count, plan.waiting, plan.subject) == (4, 1, "The Plan")
    assert plan.parties == {"alpha", "gamma"}
    assert (plan.last_id, plan.last_seconds) == ("20260103-0900-gamma-answer", 1767430800)
    assert sums["own"].count == 1
    assert list(sums)[-1].startswith("20260108-0900")
    assert set(sums) == {
        "plan",
        "other",
        "own",
        "20260104-0900-alpha-alone",
        "20260107-0900-alpha-quoted",
        "plain",
        "Straße",
        *DAMAGED,
    }


def test_a_thread_has_the_paths_that_its_messages_give_a_recipient(full: Bus, reading: Reading) -> None:
    with reading(full) as (box, reader):
        found = {one.name: one for one in placed_threads(box, "alpha", reader)}
        assert next(iter(found)).startswith("20260108-0900"), "the latest first"
        assert {name: one.paths for name, one in found.items() if one.paths} == {"plan": ["/x"]}
        assert {one.name for one in found.values() if one.has_part} == {
            *("plan", "other", "20260104-0900-alpha-alone", "20260107-0900-alpha-quoted")
        }
        assert found["plan"].subject == "The Plan"
        assert [one.paths for one in placed_threads(box, "gamma", reader) if one.paths] == [["/y"]]


def test_answers_are_the_received_ones(full: Bus, reading: Reading) -> None:
    with reading(full) as (box, reader):
        assert ids(reader.answers(box, {"20260102-0900-beta-answer"})) == ["20260103-0900-gamma-answer"]
        assert ids(reader.answers(box, {"20260101-0900-alpha-first"})) == []


def test_it_finds_a_message_by_its_id(full: Bus, reading: Reading) -> None:
    with reading(full) as (box, reader):
        for id, place in PLACES.items():
            found = reader.find(box, id)
            assert found is not None
            assert found.place == place
        assert reader.find(box, "nothing") is None
