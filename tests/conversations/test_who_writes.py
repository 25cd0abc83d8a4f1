"""A sender that the surroundings contradict, an unknown one near a known one, a recipient whose workdir is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import Cli


@pytest.fixture
def run(run: Cli, tmp_path: Path) -> Cli:
    """alpha, beta and gamma, each in a directory of its own."""
    for identity in ("alpha", "beta", "gamma"):
        (tmp_path / identity / "deep").mkdir(parents=True)
        assert run("register", identity, str(tmp_path / identity), "takes", "part").code == 0
    return run


WAYS = {
    "send": ["send", "beta", "gamma", "hello", "s"],
    "delegate": ["delegate", "beta", "gamma", "s", "--task", "work"],
    "reply": ["reply", "beta", "ID", "s"],
}


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("by", ["workdir", "AGENT_MAIL_SELF"])
def test_a_send_in_the_name_of_another_identity_warns_unless_as_is_given(
    run: Cli, tmp_path: Path, words: list[str], by: str
) -> None:
    id = run("send", "alpha", "beta", "first", "s", stdin="text", cwd=tmp_path / "alpha").out.strip()
    words = [id if word == "ID" else word for word in words]
    stdin = "" if words[0] == "delegate" else "text"
    cwd = tmp_path / "alpha" / "deep" if by == "workdir" else tmp_path
    env: dict[str, str | None] = {} if by == "workdir" else {"AGENT_MAIL_SELF": "alpha"}
    said = "this workdir" if by == "workdir" else by
    line = f"{said} says alpha, and this is sent as beta; if that is meant, add --as beta"
    ran = run(*words, stdin=stdin, cwd=cwd, env=env)
    assert (ran.code, ran.trouble.count("\n")) == (0, 1)
    assert line in ran.trouble
    assert run(*words, "--json", stdin=stdin, cwd=cwd, env=env).json["warnings"] == [line]
    silent = run(*words, "--as", "beta", stdin=stdin, cwd=cwd, env=env)
    assert (silent.code, silent.trouble) == (0, "")
    refused = run(*words, "--as", "gamma", stdin=stdin, cwd=cwd, env=env)
    # The first word of a reply is an identity only if --as names the same.
    assert (refused.code, refused.out) == (1 if words[0] == "reply" else 2, "")


def test_a_send_without_a_contradiction_prints_no_warning(run: Cli, tmp_path: Path) -> None:
    cases: list[tuple[Path, dict[str, str | None]]] = [
        (tmp_path / "beta" / "deep", {}),
        (tmp_path, {}),
        (tmp_path / "alpha", {"AGENT_MAIL_SELF": "beta"}),
        (tmp_path / "alpha", {"AGENT_MAIL_SELF": "Not An Identity"}),
    ]
    for cwd, env in cases:
        ran = run("send", "beta", "gamma", "hello", "s", stdin="text", cwd=cwd, env=env)
        assert (ran.code, ran.trouble) == (0, "")
    run("register", "beta", str(tmp_path / "alpha"), "shares")
    assert run("send", "beta", "gamma", "hello", "s", stdin="text", cwd=tmp_path / "alpha").trouble == ""


def test_the_warning_about_an_unknown_sender_names_a_similar_known_one(run: Cli, tmp_path: Path) -> None:
    ran = run("send", "alpah", "beta", "hello", "s", stdin="text", cwd=tmp_path)
    assert ran.code == 0
    assert "alpah is not registered; sent anyway, and no copy is kept; did you mean alpha?" in ran.trouble
    far = run("send", "zzz", "beta", "hello", "s", stdin="text", cwd=tmp_path)
    assert "did you mean" not in far.trouble


def test_a_send_warns_if_the_workdir_of_a_recipient_was_moved(run: Cli, tmp_path: Path) -> None:
    (tmp_path / "beta").rename(tmp_path / "betas")
    ran = run("send", "alpha", "beta,gamma", "hello", "s", stdin="text", cwd=tmp_path)
    assert ran.code == 0
    assert ran.trouble.count("\n") == 1
    assert f"the workdir of beta, {tmp_path}/beta, is not there" in ran.trouble
    (run.bus / ".git").mkdir()
    assert run("send", "alpha", "beta", "hello", "s", stdin="text", cwd=tmp_path).trouble == ""
