"""What a caller meets who guesses: guessed options and commands, words with a dash, help, and `ok` in JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmail.cli.wrong_calls.guesses import COMMANDS, INSTEAD, OPTIONS
from agentmail.verbs.catalogue import VERBS
from tests.support.cli import Cli
from tests.support.reader import header_and_body, read_box


@pytest.fixture
def ready(run: Cli) -> Cli:
    """alpha, whose workdir is the home directory, and beta."""
    (run.home / "beta").mkdir()
    assert run("register", "alpha", str(run.home), "takes", "part").code == 0
    assert run("register", "beta", str(run.home / "beta"), "takes", "part").code == 0
    return run


def refused(run: Cli, *words: str, stdin: str = "") -> str:
    ran = run(*words, stdin=stdin)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1), ran
    return ran.err.strip()


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("send", "beta", "hello"), "send alpha beta hello 'subject'"),
        (
            ("send", "--to", "beta", "--subject", "Hi you"),
            "send alpha beta hi-you 'Hi you'",
        ),
        (("send", "--to=beta"), "send alpha beta short-slug 'subject'"),
        (
            ("send", "alpha", "beta", "x", "It's", "--priority", "high", "-a", "t"),
            "send alpha beta x 'It'\\''s' --priority high",
        ),
        (("send", "alpha", "beta", "x", "two\nlines"), "send alpha beta x 'two'"),
        (("send", "alpha", "all", "x"), "send alpha @all x 'subject'"),
        (("send", "alpha", "beta@proj", "s"), "send alpha beta@proj s 'subject'"),
        (("send", "alpha", "beta@", "s"), "send alpha beta s 'subject'"),
        (("send", "alpha", "beta@/srv/x.", "s"), "send alpha beta@/srv/x s 'subject'"),
        (("send", "to", "beta", "x"), "send alpha beta x 'subject'"),
        (("send",), "send alpha beta short-slug 'subject'"),
        (("reply", "20260704-0930-beta-x", "--to", "beta"), "reply 20260704-0930-beta-x"),
        (("delegate", "beta"), "delegate alpha beta"),
    ],
)
def test_an_error_of_a_call_that_sends_ends_with_the_whole_call(
    ready: Cli, words: tuple[str, ...], call: str
) -> None:
    assert refused(ready, *words).endswith(f"comes on standard input: `agentmail {call} <<'EOF'`")


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("send", "--to", "beta", "--body", "Is it done?"), "send alpha beta is-it-done 'Is it done?'"),
        (("send", "alpha", "beta", "x", "S", "--message", "Is it done?"), "send alpha beta x 'S'"),
        (("reply", "20260704-0930-beta-x", "-m", "Is it done?"), "reply 20260704-0930-beta-x"),
        (("delegate", "--to", "beta", "-b", "Is it done?"), "delegate alpha beta"),
    ],
)
def test_a_text_that_was_given_as_an_option_is_in_the_call(
    ready: Cli, words: tuple[str, ...], call: str
) -> None:
    assert refused(ready, *words).endswith(
        f"the text comes on standard input: `printf '%s\\n' 'Is it done?' | agentmail {call}`"
    )


@pytest.mark.parametrize("text", ["two\nlines", "x" * 501, "a `command`"])
def test_a_text_that_cannot_stand_in_one_line_is_left_to_a_here_document(ready: Cli, text: str) -> None:
    assert refused(ready, "send", "alpha", "beta", "x", "S", "--body", text).endswith(
        "`agentmail send alpha beta x 'S' <<'EOF'`"
    )


def test_a_thread_may_be_answered_without_the_identity(ready: Cli) -> None:
    sent = ready("send", "beta", "alpha", "x", "S", "--thread", "nesting", stdin="text")
    assert sent.code == 0
    ran = ready("reply", "nesting", "My", "answer", stdin="text")
    assert (ran.code, ran.trouble) == (0, "")
    header, _ = header_and_body(inbox(ready.bus, "beta")[ran.out.strip()])
    assert (header["subject"], header["thread"]) == ("My answer", "nesting")


def test_a_call_to_register_keeps_the_responsibility_that_is_known(ready: Cli) -> None:
    assert refused(ready, "register", "alpha").endswith(
        f"the whole call: `agentmail register alpha {ready.home} 'takes part'`"
    )
    assert refused(ready, "register", "gamma", "--dir=/srv", "--role", "counts keys").endswith(
        "the whole call: `agentmail register gamma /srv 'counts keys'`"
    )


def test_a_reply_to_a_sender_that_is_unknown_leads_to_a_message_to_the_one_that_is_meant(ready: Cli) -> None:
    id = ready("send", "betta", "alpha", "x", "S", stdin="text").out.strip()
    ran = ready("reply", id, "thanks", stdin="text")
    assert ran.code == 3
    assert ran.err.endswith(f"`agentmail send alpha beta re 'thanks' --re {id} <<'EOF'`\n")
    id = ready("send", "cron", "alpha", "y", "S", stdin="text").out.strip()
    assert f"`agentmail send alpha OTHER re 'subject' --re {id} <<'EOF'`" in ready("reply", id, stdin="t").err


def test_a_reply_by_nobody_leads_to_a_reply_and_to_the_ways_to_name_the_identity(ready: Cli) -> None:
    place = ready.bus.parent / "elsewhere"
    place.mkdir()
    ran = ready("reply", "20260704-0930-beta-x", "thanks", stdin="text", cwd=place)
    assert ran.code == 3
    assert f"`agentmail register elsewhere {place} 'what it is responsible for'`" in ran.err
    assert ran.err.endswith("`agentmail reply ME 20260704-0930-beta-x 'thanks' <<'EOF'`\n")


def test_an_identity_of_another_does_not_stand_in_the_call(ready: Cli) -> None:
    said = refused(ready, "send", "beta", "alpha", "x", "S", "--as", "alpha", stdin="text")
    assert said.endswith("`agentmail send beta alpha x 'S' <<'EOF'`")


def test_an_identity_that_exists_needs_no_login(ready: Cli) -> None:
    assert refused(ready, "login", "beta").endswith(
        "beta is registered; `export AGENT_MAIL_SELF=beta` makes this shell act as it"
    )
    for words in (("iam", "alpha"), ("init",), ("me",)):
        assert refused(ready, *words).endswith("use `agentmail whoami`: you are alpha here")


def test_a_directory_that_is_nobodys_is_in_the_call_to_register(ready: Cli) -> None:
    place = ready.bus.parent / "New Place"
    place.mkdir()
    ran = ready("whoami", cwd=place)
    assert ran.code == 3
    assert f"`agentmail register new-place '{place}' 'what it is responsible for'`" in ran.err


def test_the_error_of_an_unknown_recipient_ends_with_the_call_and_json_has_it_in_next(ready: Cli) -> None:
    ran = ready("send", "alpha", "betta", "x", "S", "--json", stdin="text")
    assert ran.code == 3
    assert ran.json["next"].endswith("`agentmail send alpha beta x 'S' <<'EOF'`")
    assert ran.json["next"] in ran.err


@pytest.mark.parametrize("option", OPTIONS)
def test_every_guessed_option_leads_to_the_whole_call(ready: Cli, option: str) -> None:
    said = refused(ready, "send", "alpha", "beta", "x", "S", option, "value")
    assert said.startswith(f"agentmail: send has no option '{option}'; nothing was changed; ")
    assert "<<'EOF'`" in said or OPTIONS[option] == "text"
    assert ("absolute path in the text" in said) == (OPTIONS[option] == "path")


def test_the_error_names_the_missing_word_and_no_unknown_identity(ready: Cli) -> None:
    said = refused(ready, "send", "beta", "hello")
    assert "too few words for send: it needs <from> <to> <slug>, and got 'beta' 'hello'" in said
    assert "nobody" not in said


def test_a_disk_that_fails_and_a_delivery_that_is_done_propose_no_other_call(ready: Cli) -> None:
    ran = ready("send", "alpha", "beta", "x", stdin="text", env={"AGENT_MAIL_DIR": "/dev/null/bus"})
    assert "<<'EOF'" not in ran.err or ran.code in (1, 2, 3)


GUESSES = {
    "check": "inbox list ls status mail",
    "read": "show open cat view",
    "archive": "done delete rm mark-read",
    "whoami": "me",
    "roster": "agents who contacts",
    "register": "add create",
}


@pytest.mark.parametrize(("command", "guess"), [(to, word) for to in GUESSES for word in GUESSES[to].split()])
def test_a_guessed_command_leads_to_the_one_that_does_it(ready: Cli, command: str, guess: str) -> None:
    said = refused(ready, guess)
    assert said.startswith(f"agentmail: agentmail has no command '{guess}'; nothing was changed; use ")
    assert f"agentmail {command}" in said


def test_the_proposed_call_contains_the_words_of_the_caller(ready: Cli) -> None:
    assert refused(ready, "delete", "beta", "20260704-0930-a-x").endswith(
        "use `agentmail archive beta 20260704-0930-a-x`"
    )
    assert "`agentmail threads` or `agentmail receipts`" in refused(ready, "sent")
    assert "`agentmail send alpha @all no-release 'No release'" in refused(ready, "broadcast", "No release")
    assert "`agentmail read MESSAGE-ID | agentmail send alpha beta fwd" in refused(ready, "forward", "x")
    id = "20260704-0930-beta-x"
    assert refused(ready, "forward", id, "beta").endswith(
        f"`agentmail read {id} | agentmail send alpha beta fwd 'fwd: {id}'`"
    )


def test_no_guess_is_a_command_and_each_leads_to_one() -> None:
    assert {*COMMANDS, *INSTEAD} & {*VERBS} == set()
    assert {*COMMANDS.values()} <= {*VERBS}


def test_a_misspelled_command_leads_to_the_nearest_one_and_an_unknown_word_to_the_help(ready: Cli) -> None:
    assert refused(ready, "chek").endswith("use `agentmail check`")
    assert refused(ready, "frobnicate").endswith("`agentmail -h` lists the commands")


def test_an_option_without_its_value_is_named_with_the_usage(ready: Cli) -> None:
    said = refused(ready, "wait", "--timeout")
    assert said.endswith(
        "--timeout has no value; nothing was changed; usage: agentmail wait [<id>] --timeout S"
    )
    assert refused(ready, "check", "--as").endswith(
        "usage: agentmail check [<id>] --as ID; `agentmail roster` lists the identities"
    )


def test_help_and_version_are_understood_as_words(ready: Cli) -> None:
    assert ready("help", "send") == ready("send", "-h")
    assert ready("help", "rm") == ready("archive", "-h")
    assert ready("help") == ready("-h")
    assert ready("version") == ready("--version")


def test_help_is_short(ready: Cli) -> None:
    for words, most in (([], 40), (["-h"], 40), *((([name, "-h"]), 25) for name in VERBS)):
        ran = ready(*words)
        assert (ran.code, ran.err) == (0, "")
        assert len(ran.lines) <= most, words
        assert all(len(line) <= 88 for line in ran.lines), words


def test_help_says_where_the_text_comes_from(ready: Cli) -> None:
    for words in (["-h"], ["send", "-h"], ["reply", "-h"], ["delegate", "-h"]):
        assert "The text comes on standard input" in ready(*words).out


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        (("-1", "is", "lost"), "-1 is lost"),
        (("drop", "--force"), "drop --force"),
        (("--no-such-thing", "here"), "--no-such-thing here"),
        (("-v",), "-v"),
    ],
)
def test_after_the_slug_words_with_a_dash_are_the_subject(
    ready: Cli, words: tuple[str, ...], subject: str
) -> None:
    ran = ready("send", "alpha", "beta", "x", *words, "--priority", "high", stdin="text")
    assert (ran.code, ran.trouble) == (0, "")
    header, _ = header_and_body(inbox(ready.bus, "beta")[ran.out.strip()])
    assert (header["subject"].strip('"'), header["priority"]) == (subject, "high")


def test_words_with_a_dash_are_the_subject_of_a_reply_with_and_without_an_identity(ready: Cli) -> None:
    id = ready("send", "beta", "alpha", "x", "S", stdin="text").out.strip()
    for words in (("reply", id, "-5", "degrees"), ("reply", "alpha", id, "-5", "degrees")):
        ran = ready(*words, stdin="text")
        assert (ran.code, ran.trouble) == (0, "")
        assert (
            header_and_body(inbox(ready.bus, "beta")[ran.out.strip()])[0]["subject"].strip('"')
            == "-5 degrees"
        )


@pytest.mark.parametrize("option", ["--prio", "--priorty", "--treads", "--body", "-m", "--priority"])
def test_an_option_or_a_misspelled_option_is_not_a_subject(ready: Cli, option: str) -> None:
    refused(ready, "send", "alpha", "beta", "x", "S", option, stdin="text")
    assert inbox(ready.bus, "beta") == {}


def test_cc_can_name_everybody(ready: Cli) -> None:
    assert ready("register", "gamma", "-", "looks").code == 0
    ran = ready("send", "alpha", "beta", "x", "S", "--cc", "@all", "--json", stdin="text")
    assert (ran.json["to"], ran.json["cc"]) == ("beta", "gamma")
    assert [*inbox(ready.bus, "gamma")] == [ran.json["id"]]


def test_ok_comes_first_and_is_false_only_in_errors(ready: Cli) -> None:
    ran = ready("check", "nobody", "--json")
    assert ran.json["ok"] is False
    assert "messages" not in ran.json
    for words in (("check", "beta"), ("roster",), ("whoami",), ("snapshot", "beta"), ("search", "beta", "x")):
        ran = ready(*words, "--json")
        assert next(iter(ran.json)) == "ok"
        assert ran.json["ok"] is True


def test_ok_is_false_where_a_part_failed(ready: Cli) -> None:
    id = ready("send", "alpha", "beta", "x", "S", stdin="text").out.strip()
    ran = ready("archive", "beta", id, "20200101-0000-a-x", "--json")
    assert (ran.code, ran.json["ok"]) == (1, False)
    (ready.bus / "registry.md").chmod(0)
    (ready.bus / "registry.md").unlink()
    (ready.bus / "registry.md").mkdir()
    ran = ready("roster", "--json")
    assert '"ok": true' not in ran.out.splitlines()[0]


def test_whoami_prints_the_identity_and_how_it_was_decided(ready: Cli) -> None:
    place = ready.home / "below"
    place.mkdir()
    found = ready("whoami", "--json", cwd=place, env={"AGENT_MAIL_SESSION": "s1"}).json
    assert {key: found[key] for key in ("identity", "how", "workdir", "directory", "session", "bus")} == {
        "identity": "alpha",
        "how": "workdir",
        "workdir": str(ready.home),
        "directory": str(place),
        "session": "s1",
        "bus": str(ready.bus),
    }
    found = ready("whoami", "--json", env={"AGENT_MAIL_SELF": "beta"}).json
    assert (found["identity"], found["how"]) == ("beta", "AGENT_MAIL_SELF")
    assert ready("whoami").lines[0] == f"alpha (its workdir {ready.home} holds the current directory)"
    ran = ready("whoami", cwd=Path("/"))
    assert (ran.code, "AGENT_MAIL_SELF" in ran.err) == (3, True)


def inbox(bus: Path, identity: str) -> dict[str, bytes]:
    return read_box(bus / identity).inbox
