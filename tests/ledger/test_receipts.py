"""What the lines of a session add up to, in any order, doubled, torn, or from another version."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentmail.ledger.receipts import (
    ACKNOWLEDGED,
    LEGACY,
    PRESENTED,
    SESSION,
    Receipts,
    fold,
    key_of,
    message_line,
    session_line,
)

IDS = st.sampled_from(["20260704-0930-a-x", "20260704-0930-a-y", "#0123abcd"]) | st.text(max_size=8)
TIMES = st.sampled_from([f"2026-07-04T09:3{minute}:00.000000Z" for minute in range(5)]) | st.text(max_size=4)
JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
MESSAGE_FACTS = st.builds(message_line, st.sampled_from([PRESENTED, ACKNOWLEDGED, *LEGACY]), IDS, TIMES)
SESSION_FACTS = st.builds(
    lambda time, wake: session_line(time=time, wake=wake, session="s"), TIMES, st.booleans()
)
OTHER_FACTS = st.builds(
    lambda fact, more: json.dumps({**more, "fact": fact}),
    st.just("of-2040"),
    st.dictionaries(IDS, JSON, max_size=3),
)
NO_FACTS = st.builds(json.dumps, JSON) | st.text(max_size=30).filter(lambda text: "\n" not in text)
LINES = st.lists(MESSAGE_FACTS | SESSION_FACTS | OTHER_FACTS, max_size=12)


def as_file(lines: list[str]) -> bytes:
    """As the lines are appended."""
    return "".join(f"\n{line}" for line in lines).encode("utf-8", "surrogatepass")


def known(receipts: Receipts) -> tuple[Any, Any, Any]:
    return receipts.presented, receipts.acknowledged, receipts.sessions


@given(LINES, st.randoms())
def test_the_order_of_the_lines_and_duplicate_lines_change_nothing(lines, random):
    shuffled = [*lines, *random.choices(lines, k=3)] if lines else []
    random.shuffle(shuffled)
    assert known(fold(as_file(shuffled))) == known(fold(as_file(lines)))


@given(LINES, LINES)
def test_two_halves_know_together_what_the_whole_knows(first, second):
    whole = fold(as_file(first + second))
    for half in (first, second):
        part = fold(as_file(half))
        assert part.presented.keys() <= whole.presented.keys()
        assert all(whole.presented[id] <= time for id, time in part.presented.items())


@given(LINES, st.lists(NO_FACTS, max_size=5), st.randoms())
def test_what_is_no_fact_spoils_nothing_beside_it(lines, noise, random):
    noise = [line for line in noise if fold(line.encode("utf-8", "surrogatepass")).unknown]
    mixed = [*lines, *noise]
    random.shuffle(mixed)
    assert known(fold(as_file(mixed))) == known(fold(as_file(lines)))


@given(LINES, MESSAGE_FACTS, st.integers(min_value=0))
def test_a_torn_last_line_spoils_nothing_but_itself_and_the_next_line_is_whole(lines, last, cut):
    torn = last[: cut % len(last)]
    assert known(fold(as_file([*lines, torn]))) == known(fold(as_file(lines)))
    assert known(fold(as_file([*lines, torn, *lines, last]))) == known(fold(as_file([*lines, last])))


@given(st.sampled_from([PRESENTED, ACKNOWLEDGED, *LEGACY]), IDS, TIMES)
def test_a_line_that_is_written_is_read_back(fact, id, time):
    line = message_line(fact, id, time)
    assert line.isascii()
    assert "\n" not in line
    assert json.loads(line) == {"fact": fact, "id": id, "time": time}
    receipts = fold(line.encode())
    assert receipts.presented == {id: time}
    assert receipts.acknowledged == ({id: time} if fact == ACKNOWLEDGED else {})
    assert (receipts.sessions, receipts.unknown) == ([], 0)


@given(st.text(alphabet='abc"\\\t \x7fé,:{}', max_size=12), st.text(alphabet='0"\\\t \x00,:{}', max_size=12))
def test_the_way_without_a_parser_and_the_parser_agree(id, time):
    raw = f'{{"fact": "presented", "id": "{id}", "time": "{time}"}}'
    try:
        found = json.loads(raw)
    except ValueError:
        found = {}
    whole = {"fact", "id", "time"} == found.keys() and all(isinstance(value, str) for value in found.values())
    expected = {found["id"]: found["time"]} if whole else None
    if expected is not None:
        assert fold(raw.encode()).presented == expected
    elif not found:
        assert fold(raw.encode()).presented == {}


def test_the_first_time_counts_and_an_acknowledgement_means_that_it_was_presented():
    lines = [
        message_line(PRESENTED, "x", "2"),
        message_line(ACKNOWLEDGED, "x", "3"),
        message_line("injected", "x", "1"),
    ]
    receipts = fold(as_file(lines))
    assert (receipts.presented, receipts.acknowledged) == ({"x": "1"}, {"x": "3"})


def test_no_fact_means_read_agreed_or_done():
    for fact in ("read", "agreed", "done", "PRESENTED", ""):
        receipts = fold(message_line(fact, "x", "1").encode())
        assert (receipts.presented, receipts.acknowledged, receipts.unknown) == ({}, {}, 1)


def test_a_session_fact_keeps_what_a_later_version_added():
    line = json.dumps({"fact": SESSION, "session": "s", "time": "1", "mood": ["good"]})
    assert fold(line.encode()).sessions == [json.loads(line)]


@given(st.binary(max_size=200))
def test_any_bytes_can_be_folded(data):
    fold(data)


def test_the_key_of_a_name_is_its_id_or_says_nothing_of_it():
    assert key_of("20260704-0930-alpha-x.md") == "20260704-0930-alpha-x"
    odd = [
        "x.md",
        "20260704-0930-alpha-X.md",
        "20260704-0930-alpha-x",
        "20260704-0930-alpha-x.md.gz",
        "a\udcff.md",
    ]
    keys = [key_of(name) for name in odd]
    assert len(set(keys)) == len(odd)
    assert all(key[0] == "#" and len(key) == 33 for key in keys)
