"""`search`: all words, anywhere in a message, wherever it is; conditions; the newest first; the line that matched."""

from __future__ import annotations

import pytest

from tests.cli.terminal import on_terminal
from tests.conversations.office import Office
from tests.support.cli import Cli


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


def test_search_finds_messages_in_every_folder_newest_first(office: Office, three: list[str]) -> None:
    assert found(office, "parser") == three[::-1]


def test_a_limit_lists_the_newest_and_says_that_more_match(office: Office, three: list[str]) -> None:
    outcome = office.json("search", "beta", "--limit", "2", "parser")
    assert ([one["id"] for one in outcome["matches"]], outcome["more"]) == (three[:0:-1], True)
    assert "older ones match too" in office("search", "beta", "--limit", "2", "parser").out
    outcome = office.json("search", "beta", "--limit", "3", "parser")
    assert (len(outcome["matches"]), outcome["more"]) == (3, False)


@pytest.mark.parametrize(
    ("words", "which"),
    [
        ("from:alpha", "10"),
        ("from:@alpha parser", "10"),
        ("to:gamma", "2"),
        ("to:beta in:archive", "1"),
        ("in:inbox", "0"),
        ("in:sent", "2"),
        ("thread:parser", "2"),
        ("kind:message", "210"),
        ("kind:handoff", ""),
        ("after:2026-07-04", "210"),
        ("after:2026-07-04T09:30", "210"),
        ("after:20260704-0930Z", "210"),
        ("after:2026-07-04T09:31:00Z", ""),
        ("before:2026-07-04", ""),
        ("before:2026-07-04T09:30", ""),
        ("before:20260705 after:20260703 about", "1"),
        ("from:alpha from:beta", ""),
        ('"the parser"', "10"),
        ('"about the" "parser"', "1"),
        ('"from:alpha"', ""),
        ("from:", ""),
        ("alpha:from", ""),
    ],
)
def test_conditions_hold_beside_the_words(office: Office, three: list[str], words: str, which: str) -> None:
    expected = [three[int(at)] for at in which]
    assert found(office, words, code=0 if which else 1) == expected


def test_a_message_whose_name_has_no_minute_is_at_no_time(office: Office) -> None:
    (office.bus / "beta" / "inbox" / "plain.md").write_text("plain text\n")
    assert found(office, "plain") == ["plain"]
    assert found(office, "plain", "after:2000-01-01", code=1) == []
    assert found(office, "plain", "before:2100-01-01", code=1) == []


@pytest.mark.parametrize(
    "word",
    ["in:trash", "kind:letter", "after:yesterday", "before:2026-13-01", "after:2026", "before:٢٠٢٦0101"],
)
def test_a_condition_that_no_message_can_meet_is_refused_with_one_that_can(office: Office, word: str) -> None:
    ended = office("search", "beta", word)
    assert (ended.code, ended.out) == (2, "")
    key = word.partition(":")[0]
    assert f"{key}:" in ended.err.rpartition(";")[2]


@pytest.mark.parametrize(
    ("text", "word", "marked"),
    [
        ("一个中文字的句子", "中文", ["中文"]),
        ("日本語のテキスト", "テキ", ["テキ"]),
        ("done 🎉 and 👩‍👩‍👧", "👩‍👩‍👧", ["👩‍👩‍👧"]),
        ("CI is up, ci is down", "ci", ["CI", "ci"]),
        ("die Straße, STRASSE", "straße", ["Straße", "STRASSE"]),
        ("ＦＵＬＬ width", "ｆｕ", ["ＦＵ"]),
        ("aaaa", "aa", ["aaaa"]),
    ],
)
def test_words_of_any_script_and_length_are_found_and_marked(
    office: Office, text: str, word: str, marked: list[str]
) -> None:
    office.send("alpha", "beta", "one", body=f"nothing here\n  {text}\n")
    (one,) = office.json("search", "beta", word)["matches"]
    assert one["excerpt"] == text
    spans = [one["excerpt"][start:end] for start, end in one["marks"]]
    assert "".join(spans) == "".join(marked)


@pytest.mark.parametrize("at", [0, 100, 5000])
def test_of_a_long_line_the_part_around_the_word_is_shown(office: Office, at: int) -> None:
    office.send("alpha", "beta", "one", body=f"{'x ' * (at // 2)}needle{' y' * 500}\n")
    (one,) = office.json("search", "beta", "needle")["matches"]
    ((start, end),) = one["marks"]
    assert one["excerpt"][start:end] == "needle"
    assert len(one["excerpt"]) == 160
    assert one["excerpt"].startswith("…") == (at > 0)
    assert one["excerpt"].endswith("…")


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


def test_a_person_sees_the_words_marked_and_an_agent_no_colour(desk: Cli) -> None:
    assert desk("send", "alpha", "beta", "one", stdin="a \x1b[2Jneedle in a text\n").code == 0
    code, seen = on_terminal(desk, "search", "beta", "needle", columns=200)
    assert code == 0
    assert "\x1b[1;33mneedle" in seen
    assert "\x1b[2J" not in seen
    assert "\x1b" not in desk("search", "beta", "needle").out
