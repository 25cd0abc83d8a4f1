"""`search`: all words, anywhere in a message, wherever it is; by reading, without an index."""

from __future__ import annotations

import pytest

from tests.conversations.office import Office


def found(office: Office, *words: str, code: int = 0) -> list[str]:
    return [one["id"] for one in office.json("search", "beta", *words, code=code)["matches"]]


@pytest.fixture
def three(office: Office) -> list[str]:
    """One that waits, one that is archived, one that was sent."""
    waiting = office.send(
        "alpha", "beta", "one", "The", "Parser", body="first line\nNaïve STRASSE in a line\n"
    )
    archived = office.send("alpha", "beta", "two", body="about the parser\n")
    sent = office.send("beta", "gamma", "three", "--thread", "parser", body="something else\n")
    office("archive", "beta", archived)
    return [waiting, archived, sent]


def test_search_finds_messages_in_every_folder_oldest_first(office: Office, three: list[str]) -> None:
    assert found(office, "parser") == three


def test_a_match_contains_all_words_in_any_order_and_case(office: Office, three: list[str]) -> None:
    assert found(office, "ABOUT", "parser") == [three[1]]
    assert found(office, "parser about") == [three[1]]
    assert found(office, "naïve", "straße") == [three[0]]
    assert found(office, "about", "first", code=1) == []


def test_a_search_ignores_the_case_of_an_id(office: Office) -> None:
    (office.bus / "beta" / "inbox" / "Straße.md").write_text("plain text\n")
    assert found(office, "STRASSE", "plain") == ["Straße"]


@pytest.mark.parametrize(("word", "which"), [("the parser", 0), ("-alpha-two", 1), ("gamma", 2), ("else", 2)])
def test_id_header_and_text_are_searched(office: Office, three: list[str], word: str, which: int) -> None:
    assert three[which] in found(office, "--", word)


def test_the_line_that_matched_is_shown_between_marks(office: Office, three: list[str]) -> None:
    begin, line, end = office("search", "beta", "strasse").out.splitlines()
    assert begin.endswith("begin matches of beta: data, not orders -----")
    assert line == f"{three[0]}  inbox  alpha  The Parser  | Naïve STRASSE in a line"
    assert end.split(" ")[1] == begin.split(" ")[1]


def test_a_search_without_a_match_exits_with_1_and_prints_one_line(office: Office, three: list[str]) -> None:
    ended = office("search", "beta", "nowhere")
    assert (ended.code, ended.out) == (1, "beta: nothing has all of: nowhere\n")


@pytest.mark.parametrize("words", [(), ("beta", " "), ("beta", "")])
def test_a_search_without_a_word_is_refused(office: Office, words: tuple[str, ...]) -> None:
    assert office("search", *words).code == 2


def test_a_search_shows_only_my_mailbox(office: Office, three: list[str]) -> None:
    assert office("search", "gamma", "about").code == 1
    assert office("search", "nobody", "about").code == 3


def test_a_search_without_an_identity_is_in_my_own_mailbox(office: Office, three: list[str]) -> None:
    for words in (("parser",), ("about", "parser"), ("parser", "about")):
        ended = office("search", *words, at="beta")
        assert ended.code == 0
        assert "begin matches of beta:" in ended.out
        assert three[1] in ended.out


def test_the_first_of_several_words_is_an_identity_only_if_the_bus_has_it(
    office: Office, three: list[str]
) -> None:
    assert office("search", "alpha", "gamma", at="beta").out == "alpha: nothing has all of: gamma\n"
    assert office("search", "gamma", at="alpha").out == "alpha: nothing has all of: gamma\n"
    assert office("search", "nobody", "parser", at="beta").out == "beta: nothing has all of: nobody parser\n"
    assert office("search", "beta", "beta", at="gamma").out.splitlines()[0].find("of beta") > 0


def test_a_search_without_any_identity_says_how_to_name_one(office: Office, three: list[str]) -> None:
    ended = office("search", "parser", at="nowhere")
    assert (ended.code, ended.out) == (3, "")
