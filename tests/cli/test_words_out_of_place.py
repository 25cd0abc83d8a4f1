"""Calls whose words stand in the wrong place: the error ends with the call that the caller meant, and that call works."""

from __future__ import annotations

import pytest

from tests.support.cli import Cli

Words = tuple[str, ...]


@pytest.fixture
def ready(run: Cli) -> Cli:
    """alpha, whose workdir is the home directory, then beta and gamma; a message of beta waits for alpha."""
    for identity in ("beta", "gamma"):
        (run.home / identity).mkdir()
        assert run("register", identity, str(run.home / identity), "takes", "part").code == 0
    assert run("register", "alpha", str(run.home), "takes", "part").code == 0
    return run


@pytest.fixture
def waiting(ready: Cli) -> str:
    """The id of the message that waits for alpha."""
    return ready("send", "beta", "alpha", "plan", "A plan", stdin="text\n").out.strip()


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("alpha", "check"), "check alpha"),
        (("beta", "sessions", "--json"), "sessions beta --json"),
        (("check alpha",), "check alpha"),
        (("mail", "check"), "check"),
        (("messages", "list"), "check"),
        (("inbox", "search", "plan"), "search plan"),
        (("--", "check"), "check"),
        (("check", "me"), "check"),
        (("sessions", "nobody"), "sessions"),
        (("check", "--as", "beta", "gamma"), "check --as beta"),
        (("doctor", "--json", "more"), "doctor --json"),
        (("search", "--from", "beta", "plan"), "search from:beta plan"),
        (("search", "--from=beta", "--in=inbox", "plan"), "search from:beta in:inbox plan"),
        (("unwire", "claude", "--dry-run"), "unwire claude-code"),
        (("unwire", "Claude", "Code"), "unwire claude-code"),
        (("unwire", "gemini-cli"), "unwire gemini"),
    ],
)
@pytest.mark.usefixtures("waiting")
def test_the_error_ends_with_a_call_that_works(ready: Cli, words: Words, call: str) -> None:
    ran = ready(*words)
    assert (ran.code in (2, 3), ran.err.rstrip().endswith(f"`agentmail {call}`")) == (True, True), ran
    assert ready(*call.split()).code == 0


@pytest.mark.parametrize(
    ("words", "call"),
    [
        (("mail", "send", "beta", "hello", "Hi"), "send alpha beta hello 'Hi'"),
        (("beta", "send", "alpha", "hello", "Hi"), "send beta alpha hello 'Hi'"),
        (("send", "alpha", "beta,", "gamma", "hello", "Hi"), "send alpha beta,gamma hello 'Hi'"),
        (("send", "alpha", "beta gamma", "hello", "Hi"), "send alpha beta,gamma hello 'Hi'"),
        (
            (
                "send",
                "alpha beta hello Hi",
            ),
            "send alpha beta hello 'Hi'",
        ),
    ],
)
def test_the_error_of_a_message_ends_with_the_whole_call(ready: Cli, words: Words, call: str) -> None:
    ran = ready(*words)
    assert (ran.code, ran.err.rstrip().endswith(f"`agentmail {call} <<'EOF'`")) == (2, True), ran


def test_a_word_of_a_flag_is_proposed_as_the_flag(ready: Cli) -> None:
    assert ready("doctor", "fix").err.rstrip().endswith("use `agentmail doctor --fix`")


def test_a_command_that_is_an_identity_too_is_not_moved(ready: Cli) -> None:
    assert ready("register", "read", "-", "reads").code == 0
    assert "`agentmail send alpha read " in ready("mail", "read", "hello").err


def test_help_for_a_command_that_is_not_there_is_refused(ready: Cli) -> None:
    ran = ready("help", "nosuch")
    assert (ran.code, ran.out) == (2, "")
    assert "no command 'nosuch'" in ran.err


@pytest.mark.parametrize("command", ["read", "reply"])
def test_a_message_of_the_caller_is_found_under_the_name_of_another(
    ready: Cli, waiting: str, command: str
) -> None:
    ran = ready(command, "gamma", waiting, stdin="text\n" if command == "reply" else "")
    assert ran.code == 1
    assert f"`agentmail {command} {waiting}" in ran.err
    assert ready(command, waiting, stdin="text\n" if command == "reply" else "").code == 0


def test_a_reply_with_a_copy_to_nobody_is_proposed_as_a_reply(ready: Cli, waiting: str) -> None:
    ran = ready("reply", waiting, "--cc", "nobody", stdin="text\n")
    assert (ran.code, ran.err.rstrip().endswith(f"`agentmail reply {waiting} <<'EOF'`")) == (3, True), ran


def test_an_unknown_name_in_the_variable_is_said_to_come_from_there(ready: Cli) -> None:
    ran = ready("check", env={"AGENT_MAIL_SELF": "nobody"})
    assert (ran.code, "AGENT_MAIL_SELF says so" in ran.err) == (3, True)
    assert "`agentmail check" not in ran.err
    assert (
        "(AGENT_MAIL_SELF says so; not registered)" in ready("whoami", env={"AGENT_MAIL_SELF": "nobody"}).out
    )


def test_where_nobody_is_registered_nothing_of_anybody_is_proposed(run: Cli) -> None:
    for words in (("threads", "plan"), ("send", "alpha", "beta", "hello", "Hi")):
        ran = run(*words)
        assert (ran.code, "agentmail register " in ran.err) == (3, True), ran
        assert "agentmail roster" not in ran.err
        assert "agentmail thread plan" not in ran.err


def test_a_bus_that_is_a_file_is_refused_whoever_asks(ready: Cli) -> None:
    ran = ready("check", env={"AGENT_MAIL_DIR": "/dev/null"})
    assert (ran.code, ran.err.rstrip().endswith("set AGENT_MAIL_DIR")) == (2, True), ran


def test_an_identity_in_the_place_of_the_slug_is_warned_of(ready: Cli) -> None:
    ran = ready("send", "alpha", "beta", "gamma", "hello", stdin="text\n")
    assert ran.code == 0
    assert "several recipients are one word: beta,gamma" in ran.err
    assert "several recipients" not in ready("send", "alpha", "beta", "beta", "hello", stdin="text\n").err


@pytest.mark.parametrize("words", [("serve",), ("--port", "80"), ("--json",)])
def test_mcp_says_that_it_takes_no_words_and_no_options(ready: Cli, words: Words) -> None:
    ran = ready("mcp", *words)
    assert (ran.code, "mcp takes no words and no options" in ran.err) == (2, True)
