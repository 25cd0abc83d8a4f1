"""Identities: an invalid one is refused by every command, and a typo creates no identity."""

from __future__ import annotations

import pytest

from tests.corpus.post import ARCHIVED, WAITING, Post, clean

#: Every place in a command line where an identity stands; {} is it.
DOORS = {
    "register": ("register", "{}", "/tmp", "a duty"),
    "send from": ("send", "{}", "beta", "hello", "subject"),
    "send to": ("send", "alpha", "{}", "hello", "subject"),
    "check": ("check", "{}"),
    "read": ("read", "{}", WAITING),
    "reply": ("reply", "{}", WAITING, "subject"),
    "archive": ("archive", "{}", WAITING),
    "unarchive": ("unarchive", "{}", ARCHIVED),
    "prune": ("prune", "{}", "1"),
}

BAD = {
    "nothing": "",
    "a space": " ",
    "a dot": ".",
    "two dots": "..",
    "a way out": "../evil",
    "an absolute path": "/etc",
    "a path": "a/b",
    "a path of Windows": "a\\b",
    "a way round": "beta/../alpha",
    "a trailing slash": "beta/",
    "a trailing newline": "beta\n",
    "a leading newline": "\nbeta",
    "a carriage return": "beta\r",
    "a NUL": "be\0ta",
    "an escape": "beta\x1b[2J",
    "a C1 control": "beta\x9b31m",
    "a capital": "Beta",
    "all capitals": "BETA",
    "a Cyrillic letter": "bеta",
    "a full-width letter": "ｂeta",
    "a letter with an accent": "béta",
    "a right-to-left override": "bet\u202ea",
    "a zero-width space": "be\u200bta",
    "a byte that is not UTF-8": "be\udcffta",
    "an emoji": "beta🙂",
    "a device": "con",
    "another device": "nul",
    "a numbered device": "com1",
    "a printer": "lpt9",
    "the registry": "registry",
    "the staging folder": "tmp",
    "the inbox": "inbox",
    "the archive": "archive",
    "the sent folder": "sent",
    "the sessions folder": "sessions",
    "everybody": "all",
    "a maildir folder": "new",
    "33 letters": "a" * 33,
    "300 letters": "a" * 300,
    "100,000 letters": "a" * 100_000,
    "a trailing dot": "beta.",
    "a trailing space": "beta ",
    "a leading space": " beta",
    "a tab": "be\tta",
    "an underscore": "be_ta",
    "an extension": "beta.md",
    "a leading dash": "-beta",
    "a trailing dash": "beta-",
    "a lone dash": "-",
    "two dashes": "--",
    "an option": "--help",
    "a command substitution": "$(touch hacked)",
    "backticks": "`touch hacked`",
    "a second command": ";touch hacked",
    "a star": "*",
    "a question mark": "bet?",
    "a home": "~",
    "somebody's home": "~root",
    "a variable": "$HOME",
    "Arabic digits": "٢٣",
    "Arabic digits behind a letter": "a٢",
    "digits only": "123",
    "two at signs": "@@beta",
    "an at sign alone": "@",
    "a list": "alpha,beta",
    "a percent escape": "%2e%2e",
}


def through(door: tuple[str, ...], identity: str) -> list[str]:
    command, *words = (word.replace("{}", identity) for word in door)
    # Behind `--` every word is a word, so that one with a dash in front comes as far as any other.
    return [command, "--", *words] if identity.startswith("-") and identity != "-" else [command, *words]


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
def test_an_invalid_identity_is_refused_by_every_command(post: Post, bad: str) -> None:
    for name, door in DOORS.items():
        if name == "send to" and bad == "alpha,beta":
            continue  # the one place where a list is meant
        line = post.refuses(2, *through(door, bad))
        assert "nothing was changed" in line


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_a_process_refuses_an_invalid_identity(post: Post, door: tuple[str, ...]) -> None:
    for bad in ("../evil", "be\u202e\udcffta\n"):
        post.refuses(2, *through(door, bad), run=post.run)


@pytest.mark.parametrize("door", [door for name, door in DOORS.items() if name != "send to"])
def test_the_at_sign_is_for_recipients_only(post: Post, door: tuple[str, ...]) -> None:
    post.refuses(2, *through(door, "@beta"))


def test_a_recipient_may_be_written_with_an_at_sign(post: Post) -> None:
    assert b"\nto: beta\n" in post.sent("alpha", "@beta", "hello", stdin="text")


@pytest.mark.parametrize("stamped", ["20260704-0930", "20260704-0930-beta", WAITING])
def test_a_word_that_begins_like_a_message_id_is_not_an_identity(post: Post, stamped: str) -> None:
    for name in ("register", "send from", "send to", "check", "prune"):
        post.refuses(2, *through(DOORS[name], stamped))


def test_a_leading_dash_makes_an_identity_invalid_after_two_dashes_too(post: Post) -> None:
    for words in (("send", "-rf", "beta", "hello"), ("register", "-rf", "/tmp", "a duty")):
        assert "after --" in post.refuses(2, *words)
    assert "check has no option '-rf'" in post.refuses(2, "check", "-rf")
    post.refuses(2, "archive", "-rf", WAITING, run=post.run)


def test_help_is_an_option_and_never_an_identity(post: Post) -> None:
    for words in (
        ("check", "--help"),
        ("register", "--help", "/tmp", "a duty"),
        ("send", "alpha", "beta", "-h"),
    ):
        with post.untouched():
            ran = post.run(*words)
        assert (ran.code, ran.trouble) == (0, "")
        assert "Usage: agentmail" in ran.out


@pytest.mark.parametrize("good", ["a" * 32, "a", "0a", "a1", "a-b", "a--b", "con1", "inbox2", "2026-alpha"])
def test_a_word_of_the_alphabet_is_an_identity(post: Post, good: str) -> None:
    ran = post.inside("register", good, "/tmp", "a duty")
    assert (ran.code, ran.trouble) == (0, "")
    assert sorted(path.name for path in (post.bus / good).iterdir()) == ["archive", "inbox", "tmp"]
    assert post.inside("check", good).code == 0


@pytest.mark.parametrize(
    "door", [door for name, door in DOORS.items() if name not in ("register", "send from")]
)
@pytest.mark.parametrize("process", [False, True])
def test_an_unknown_identity_is_named_with_those_that_are_known(
    post: Post, door: tuple[str, ...], process: bool
) -> None:
    line = post.refuses(3, *through(door, "gamma"), run=post.run if process else None)
    assert "nobody called gamma is registered; nothing was changed" in line
    assert "registered: alpha, beta" in line


def test_a_typo_in_a_recipient_is_answered_with_the_near_name(post: Post) -> None:
    assert "did you mean beta?" in post.refuses(3, "send", "alpha", "betta", "hello", run=post.run)


def test_an_unknown_recipient_is_reported_before_standard_input_is_read(post: Post) -> None:
    with post.run.start("send", "alpha", "gamma", "hello") as process:
        assert process.wait(10) == 3  # standard input is still open: nobody waited for its end


def test_without_identities_the_error_explains_how_to_register(post: Post) -> None:
    post.registry.unlink()
    (post.bus / "alpha").rename(post.root / "alpha")
    (post.bus / "beta").rename(post.root / "beta")
    line = post.refuses(3, "check", "gamma", run=post.run)
    assert "nobody is registered yet" in line
    assert f"`agentmail register {post.run.home.name} {post.run.home} 'what it is responsible for'`" in line


def test_an_unknown_sender_is_delivered_with_a_warning_and_marked(post: Post) -> None:
    ran = post.run("send", "gamma", "beta", "hello", stdin="text")
    assert ran.code == 0
    assert ran.err.startswith("agentmail: warning: gamma is not registered; sent anyway")
    assert ran.trouble.count("\n") == 1
    assert post.listed(f"{ran.out.strip()}.md")["flags"] == ["unregistered-sender"]
    assert not (post.bus / "gamma").exists()


def test_invisible_characters_in_a_name_are_escaped(post: Post) -> None:
    assert "bet\\u{202e}a" in post.refuses(2, "check", "bet\u202ea")
    assert "be\\u{200b}ta" in post.refuses(2, "check", "be\u200bta")
    assert "beta\\u{a}" in post.refuses(2, "check", "beta\n")
    assert "\\u{1b}[2J" in post.refuses(2, "check", "beta\x1b[2J")


def test_the_nearest_good_form_is_suggested(post: Post) -> None:
    assert "use 'be-ta'" in post.refuses(2, "register", "be_ta", "-", "x")
    assert "choose another name" in post.refuses(2, "register", "inbox", "-", "x")
    assert "choose another name" in post.refuses(2, "register", "团队", "-", "x")


def test_only_an_identity_that_exists_is_suggested_to_a_caller_who_looks_for_one(post: Post) -> None:
    assert "did you mean beta?" in post.refuses(2, "check", "Beta")
    assert "did you mean beta?" in post.refuses(2, "prune", "be_ta")
    line = post.refuses(2, "check", "nobody@proj")
    assert "nobody-proj" not in line
    assert "`agentmail roster`" in line


def test_json_carries_the_same_refusal(post: Post) -> None:
    with post.untouched():
        ran = post.run("check", "bet\u202ea", "--json")
    assert ran.code == 2
    clean(ran.stdout)
    assert {key: ran.json[key] for key in ("schema", "command", "outcome", "exit", "now")} == {
        "schema": "agentmail.error.v1",
        "command": "check",
        "outcome": "refused",
        "exit": 2,
        "now": "nothing was changed",
    }


@pytest.mark.parametrize(
    "to",
    [
        "alpha,",
        ",",
        ",beta",
        "alpha,,beta",
        "alpha,../evil",
        "beta,Beta",
        "beta\n,alpha",
        "@all,beta",
        "@ALL",
        "beta;alpha",
    ],
)
def test_a_list_with_an_invalid_recipient_is_delivered_to_none(post: Post, to: str) -> None:
    post.refuses(2, "send", "alpha", to, "hello", stdin="text")
    post.refuses(2, "send", "alpha", "beta", "hello", "--cc", to, stdin="text")


def test_a_list_with_an_unknown_recipient_is_delivered_to_none(post: Post) -> None:
    assert "nobody called gamma" in post.refuses(
        3, "send", "alpha", "beta,gamma", "hello", run=post.run, stdin="text"
    )
    assert "did you mean beta?" in post.refuses(
        3, "send", "alpha", "alpha", "hello", "--cc", "betta", stdin="text"
    )
