"""`delegate`: a message of kind handoff, with its parts as sections; only a form of send."""

from __future__ import annotations

import pytest

from tests.conversations.office import Office
from tests.support.reader import header_and_body

PARTS = (
    "--task",
    "Count the header's keys!\nAll of it.",
    "--context",
    "as far as they are ours",
    "--acceptance",
    "a number",
)


def test_the_parts_are_sections_with_headings_and_the_task_gives_slug_and_subject(office: Office) -> None:
    id = office("delegate", "alpha", "beta", *PARTS, "--session", "s1", stdin="").out.strip()
    header, body = header_and_body(office.box("beta").inbox[id])
    assert id.endswith("-alpha-count-the-header-s-keys")
    assert (header["kind"], header["subject"], header["session"]) == (
        "handoff",
        "Count the header's keys!",
        "s1",
    )
    assert body.decode() == (
        "## Task\n\nCount the header's keys!\nAll of it.\n\n"
        "## Context\n\nas far as they are ours\n\n"
        "## Acceptance\n\na number\n"
    )
    assert office.box("alpha").sent[id] == office.box("beta").inbox[id]


def test_a_part_that_is_not_given_has_no_section(office: Office) -> None:
    id = office("delegate", "alpha", "beta,gamma", "--task", "look", "a", "subject", stdin="").out.strip()
    header, body = header_and_body(office.box("gamma").inbox[id])
    assert (header["subject"], body) == ("a subject", b"## Task\n\nlook\n")


@pytest.mark.parametrize("task", ["日本語の題", "!!!", "x" * 300])
def test_every_task_gets_a_slug(office: Office, task: str) -> None:
    id = office("delegate", "alpha", "beta", "--task", task).out.strip()
    assert id in office.box("beta").inbox


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("alpha", "beta"), "there is no task"),
        (("alpha", "beta", "--task", " \n"), "there is no task"),
        (("alpha", "--task", "x"), "usage: agentmail delegate"),
        (("alpha", "beta", "--task", "x" * 9000), "the body is over 8192 bytes"),
        (("alpha", "beta", "--task", "\udcff"), "the body is not UTF-8 text"),
        (("alpha", "beta", "--task", "x", "--context", "\udcff"), "the body is not UTF-8 text"),
        (("alpha", "beta", "--task", "x", "--acceptance", "\udcff"), "the body is not UTF-8 text"),
    ],
)
def test_a_handoff_without_a_task_or_beyond_the_bounds_of_a_message_is_refused(
    office: Office, words: tuple[str, ...], says: str
) -> None:
    ended = office("delegate", *words, stdin="")
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert not office.box("beta").received


def test_the_text_on_standard_input_is_the_task_or_its_details(office: Office) -> None:
    brief = "    indented first line\n\nthe WHOLE BRIEF\n"
    id = office("delegate", "alpha", "beta", "--task", "see below", stdin=brief).out.strip()
    _, body = header_and_body(office.box("beta").inbox[id])
    assert body.decode() == f"## Task\n\nsee below\n\n## Details\n\n{brief}"
    id = office("delegate", "alpha", "beta", stdin="Count the keys\nof every header.\n").out.strip()
    header, body = header_and_body(office.box("beta").inbox[id])
    assert id.endswith("-alpha-count-the-keys")
    assert (header["subject"], body) == ("Count the keys", b"## Task\n\nCount the keys\nof every header.\n")
    assert office("delegate", "alpha", "beta", "--task", "x", stdin="y" * 8193).code == 2


def test_a_repeated_delegate_with_once_is_the_same_handoff(office: Office) -> None:
    first = office("delegate", "alpha", "beta", *PARTS, "--once")
    assert office("delegate", "alpha", "beta", *PARTS, "--once").out == first.out
    assert len(office.box("beta").inbox) == 1
