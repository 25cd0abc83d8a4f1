"""Which identity a session has, and that no `cd` of the model changes it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.cli import Cli, Ran
from tests.support.hooks import PROMPT, Bed, ids_in

ALPHAS, BETAS = "20260704-0930-gamma-to-alpha", "20260704-0930-gamma-to-beta"


@pytest.fixture
def two(bed: Bed) -> Bed:
    """alpha in work, beta beside it; something waits for each."""
    bed.variables["AGENT_MAIL_CHECK_INTERVAL"] = "0"
    bed.register("beta", bed.root / "other")
    (bed.root / "other").mkdir()
    bed.put(ALPHAS)
    bed.put(BETAS, "beta")
    return bed


def told(bed: Bed, started: Path | str | None, cwd: Path | str, **env: str | None) -> list[str]:
    """What a fresh session that was started there, and is here now, is told."""
    bed.session = f"s{os.urandom(6).hex()}"
    where = {"CLAUDE_PROJECT_DIR": None if started is None else str(started), **env}
    return ids_in(bed.start(env=where, fields={"cwd": str(cwd)}))


def look_into(bed: Bed, identity: str) -> Ran:
    """What the model does in its shell: a command of this session looks into a mailbox."""
    return Cli(bed.bus, bed.home)("check", identity, env={"CLAUDE_CODE_SESSION_ID": bed.session})


def test_the_variable_comes_first(two):
    assert told(two, two.work, two.work, AGENT_MAIL_SELF="beta") == [BETAS]


def test_then_the_directory_in_which_the_host_was_started(two):
    assert told(two, two.root / "other", two.work) == [BETAS]


def test_then_the_current_directory(two):
    assert told(two, None, two.root / "other") == [BETAS]
    assert told(two, two.root, two.root / "other") == [BETAS]


@pytest.mark.parametrize("cwd", ["/a\0b", "/\ud800", "relative", ""])
def test_an_invalid_current_directory_hides_no_mail(two, cwd):
    assert told(two, two.work, cwd) == [ALPHAS]


def test_a_bound_session_keeps_its_identity_in_every_directory(two):
    two.start()
    two.put(f"{ALPHAS}-2")
    elsewhere = {"CLAUDE_PROJECT_DIR": str(two.root / "other")}
    assert ids_in(two.prompt(fields={"cwd": str(two.root / "other")}, env=elsewhere)) == [f"{ALPHAS}-2"]
    assert ids_in(two.start(fields={"cwd": str(two.root / "other")}, env=elsewhere)) == [
        ALPHAS,
        f"{ALPHAS}-2",
    ]
    assert not (two.bus / "beta" / "sessions").exists()


def test_the_variable_moves_a_bound_session(two):
    two.start()
    assert ids_in(two.start(env={"AGENT_MAIL_SELF": "beta"})) == [BETAS]


def test_a_session_wired_after_its_start_is_bound_by_its_first_prompt(two):
    without_identity = {"CLAUDE_PROJECT_DIR": str(two.root)}
    assert ids_in(two.prompt(env=without_identity)) == [ALPHAS]
    assert [fact["host"] for fact in two.receipts("session")] == ["claude-code"]
    two.put(f"{ALPHAS}-2")
    assert ids_in(two.prompt(fields={"cwd": str(two.root / "other")}, env=without_identity)) == [
        f"{ALPHAS}-2"
    ]
    assert len(two.receipts("session")) == 1


def test_a_command_that_reads_another_mailbox_does_not_rebind_the_session(two):
    two.register("aardvark", two.root / "third")
    two.put("20260704-0930-gamma-to-aardvark", "aardvark")
    two.start()
    looked = look_into(two, "aardvark")
    assert looked.code == 0
    assert not list((two.bus / "aardvark").glob(f"sessions/*/{two.session}.jsonl"))
    two.put(f"{ALPHAS}-2")
    assert ids_in(two.prompt()) == [f"{ALPHAS}-2"]
    assert ids_in(two.start()) == [ALPHAS, f"{ALPHAS}-2"]


def test_a_session_without_a_session_fact_of_a_hook_is_not_bound_by_its_commands(two):
    without_identity = {"CLAUDE_PROJECT_DIR": str(two.root)}
    assert look_into(two, "beta").code == 0
    assert ids_in(two.start(fields={"cwd": str(two.root)}, env=without_identity)) == []


def test_a_session_returns_to_its_first_identity_when_the_variable_is_unset(two):
    assert ids_in(two.start(env={"AGENT_MAIL_SELF": "beta"})) == [BETAS]
    assert ids_in(two.start(env={"AGENT_MAIL_SELF": "alpha"})) == [ALPHAS]
    assert ids_in(two.start()) == [BETAS]


def test_a_directory_below_a_workdir_counts_and_the_longest_workdir_wins(two):
    inner = two.work / "deep" / "inner"
    inner.mkdir(parents=True)
    assert told(two, inner, inner) == [ALPHAS]
    two.register("gamma", inner)
    assert told(two, inner, inner) == []
    assert told(two, inner.parent, inner) == [ALPHAS]


def test_a_directory_with_only_a_common_prefix_has_no_identity(two):
    beside = two.root / "work-2"
    beside.mkdir()
    assert told(two, beside, beside) == []


def test_links_are_followed_on_both_sides(two):
    link = two.root / "link"
    link.symlink_to(two.work)
    assert told(two, link, link) == [ALPHAS]
    two.register("gamma", two.root / "link-to-gamma")
    (two.root / "gamma").mkdir()
    (two.root / "link-to-gamma").symlink_to(two.root / "gamma")
    two.put("20260704-0930-alpha-to-gamma", "gamma")
    assert told(two, two.root / "gamma", two.root / "gamma") == ["20260704-0930-alpha-to-gamma"]


@pytest.mark.parametrize(
    "name", ["with space", "quote's", 'double"quote', "$HOME", "pipe|d", "back\\slash", "ü"]
)
def test_a_workdir_may_have_any_name(bed, run_register, name):
    place = bed.root / name
    place.mkdir()
    run_register("beta", str(place))
    bed.put(BETAS, "beta")
    assert told(bed, place, place) == [BETAS]


@pytest.fixture
def run_register(bed):
    """The product's own way to write a row, as names with a pipe in them are escaped."""
    from agentmail.core.layout import Bus
    from agentmail.core.register import register
    from agentmail.core.registry import Row

    return lambda identity, workdir: register(Bus(str(bed.bus)), Row(identity, workdir, "something"))


def test_a_git_worktree_belongs_to_the_owner_of_its_main_checkout(two):
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    env = {"PATH": os.environ["PATH"], "HOME": str(two.home), "GIT_CONFIG_NOSYSTEM": "1"}
    for words in (
        ["init", "-q"],
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", "../tree"],
    ):
        subprocess.run([*git, *words], cwd=two.work, env=env, check=True)
    inside = two.root / "tree" / "src"
    inside.mkdir()
    assert told(two, inside, inside) == [ALPHAS]
    assert told(two, None, inside) == [ALPHAS]


@pytest.mark.parametrize(
    "line",
    [
        "gitdir: {work}/.git/worktrees/tree\n",
        "gitdir: ../{name}/.git/worktrees/tree",
    ],
)
def test_a_worktree_is_known_by_its_git_file_alone(two, line):
    tree = two.root / "tree"
    (tree / "src").mkdir(parents=True)
    (tree / ".git").write_text(line.format(work=two.work, name=two.work.name))
    assert told(two, tree / "src", tree / "src") == [ALPHAS]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"gitdir: ",
        b"gitdir: {work}/.git/modules/x",
        b"{work}/.git/worktrees/tree",
        b"gitdir: {work}/bare.git/worktrees/tree",
        b"gitdir: /nowhere\xff/.git/worktrees/tree",
        b"x" * 100_000,
    ],
)
def test_a_git_file_of_another_kind_gives_no_identity(two, line):
    tree = two.root / "tree"
    tree.mkdir()
    (tree / ".git").write_bytes(line.replace(b"{work}", os.fsencode(two.work)))
    assert told(two, tree, tree) == []


def test_equal_workdirs_are_reported_in_one_line_that_names_both_and_the_variable(two):
    two.register("gamma", two.work)
    two.session = "fresh"
    said = two.start()
    assert said.startswith("agentmail: alpha and gamma have the same workdir; no mail is shown")
    assert "AGENT_MAIL_SELF" in said
    assert "\n" not in said
    assert [two.prompt(), two.prompt()] == [said, ""]
    assert ids_in(two.prompt(env={"AGENT_MAIL_SELF": "alpha"})) == [ALPHAS]


@pytest.mark.parametrize("name", ["Alpha", "al pha", "../alpha", "inbox", "123", "x" * 33])
def test_an_invalid_identity_variable_is_reported_when_a_session_starts(two, name):
    said = two.start(env={"AGENT_MAIL_SELF": name})
    assert said.startswith("agentmail: AGENT_MAIL_SELF is not the name of an identity; ")
    assert "\n" not in said
    assert [two.prompt(env={"AGENT_MAIL_SELF": name}) for _ in range(2)] == [said, ""]


def test_an_unknown_identity_variable_is_reported_without_its_text(two):
    said = two.start(env={"AGENT_MAIL_SELF": "alphx"})
    assert said.startswith("agentmail: AGENT_MAIL_SELF names nobody who is registered; ")
    assert "agentmail roster" in said
    assert "alph" not in said
    assert [two.prompt(env={"AGENT_MAIL_SELF": "alphx"}) for _ in range(2)] == [said, ""]


def test_of_many_identities_with_one_workdir_a_few_are_named(two):
    for number in range(60):
        two.register(f"a{number:02}", two.root / "crowd")
    (two.root / "crowd").mkdir()
    two.session = "fresh"
    said = two.start(env={"CLAUDE_PROJECT_DIR": str(two.root / "crowd")})
    assert said.startswith(
        "agentmail: a00 and a01 and a02 and a03 and a04 and 55 more have the same workdir;"
    )


def test_an_empty_variable_counts_as_unset(two):
    assert told(two, two.work, two.work, AGENT_MAIL_SELF="") == [ALPHAS]


def test_a_session_without_an_identity_is_silent_and_starts_no_python_until_the_registry_changes(two):
    nowhere = {"CLAUDE_PROJECT_DIR": str(two.root)}
    at_root = {"cwd": str(two.root)}
    assert two.start(env=nowhere, fields=at_root) == ""
    python = two.root / "witness"
    python.write_text("#!/bin/sh\necho looked\n")
    python.chmod(0o755)
    command = two.command("mail-check", PROMPT, python=str(python))
    assert two.run(command, two.payload(PROMPT, **at_root), env=nowhere).out == ""
    two.register("gamma", two.root)
    two.put("20260704-0930-alpha-to-gamma", "gamma")
    assert ids_in(two.prompt(env=nowhere, fields=at_root)) == ["20260704-0930-alpha-to-gamma"]


def test_a_row_without_a_mailbox_gets_one_without_an_error(two):
    with (two.bus / "registry.md").open("a") as file:
        file.write(f"| gamma | {two.root}/third | something |\n")
    (two.root / "third").mkdir()
    assert told(two, two.root / "third", two.root / "third") == []
    assert (two.bus / "gamma" / "inbox").is_dir()


def test_a_mailbox_without_a_row_is_reported_if_the_variable_names_it(two):
    (two.bus / "registry.md").unlink()
    assert told(two, two.work, two.work, AGENT_MAIL_SELF="beta") == [BETAS]


def test_a_session_whose_identity_is_renamed_gets_the_mail_of_the_new_name(two):
    two.start()
    assert Cli(two.bus, two.home)("rename", "alpha", "omega").code == 0
    assert two.prompt() == ""
    two.put(f"{ALPHAS}-2", "omega")
    notice = two.prompt()
    assert ids_in(notice) == [f"{ALPHAS}-2"]
    assert "wait for omega" in notice


@pytest.mark.parametrize(
    "words", [["rename", "alpha", "omega"], ["unregister", "alpha"]], ids=lambda words: words[0]
)
def test_a_session_that_names_a_former_identity_is_told_and_no_mailbox_is_made(two, words):
    assert Cli(two.bus, two.home)(*words).code == 0
    said = two.start(env={"AGENT_MAIL_SELF": "alpha"})
    if words[0] == "rename":
        assert "was renamed to omega; no mail is shown; set AGENT_MAIL_SELF to omega" in said
    else:
        assert ids_in(said) == [ALPHAS]
    assert not (two.bus / "alpha").exists()
