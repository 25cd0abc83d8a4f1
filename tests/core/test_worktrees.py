"""A git worktree is its main checkout's: read from its files, by commands as by hooks, nearest row first."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.layout import Bus
from agentmail.core.whoami import BY_WORKDIR, BY_WORKTREE, decide
from tests.support.cli import Cli

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]


def git(where: Path, *words: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(where), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run([*GIT, *words], cwd=where, env=env, check=True, capture_output=True)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one folder, and worktrees of it beside and inside of it."""
    repo = tmp_path / "work" / "repo"
    (repo / "pkg" / "deep").mkdir(parents=True)
    (repo / "pkg" / "deep" / "file").touch()
    git(repo, "init", "-q")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "x")
    git(repo, "worktree", "add", "-q", str(tmp_path / "far" / "tree"))
    git(repo, "worktree", "add", "-q", ".trees/near")
    return repo


@pytest.fixture(params=["../../far/tree", ".trees/near"])
def tree(request: pytest.FixtureRequest, repo: Path) -> Path:
    """One of the two worktrees."""
    return (repo / str(request.param)).resolve()


def me(run: Cli, directory: Path) -> tuple[str, str]:
    """Who a command is in that directory, and how that was decided."""
    found = decide(Bus(str(run.bus)), Environment({}, str(directory)))
    return found.identity, found.how


def test_a_worktree_and_its_folders_belong_to_the_owner_of_the_main_checkout(
    run: Cli, repo: Path, tree: Path
) -> None:
    run("register", "alpha", str(repo), "the", "repository")
    for directory in (tree, tree / "pkg", tree / "pkg" / "deep"):
        ran = run("check", cwd=directory)
        assert (ran.code, ran.lines[0].split(":")[0]) == (0, "alpha")
    assert me(run, repo)[1] == BY_WORKDIR


def test_the_nearest_row_wins_in_a_worktree_as_in_the_main_checkout(run: Cli, repo: Path, tree: Path) -> None:
    run("register", "outer", str(repo.parent.parent), "everything")
    run("register", "alpha", str(repo), "the", "repository")
    run("register", "inner", str(repo / "pkg"), "a", "folder")
    assert me(run, tree / "pkg" / "deep") == ("inner", BY_WORKTREE)
    assert me(run, tree)[0] == "alpha"
    assert me(run, tree.parent)[0] == ("outer" if tree.parent.name == "far" else "alpha")
    run("register", "direct", str(tree), "this", "worktree")
    assert me(run, tree / "pkg" / "deep") == ("direct", BY_WORKDIR)


def test_a_row_above_both_holds_a_worktree_whose_repository_has_no_row(
    run: Cli, repo: Path, tree: Path
) -> None:
    run("register", "above", str(repo.parent), "all", "repositories")
    assert me(run, tree / "pkg")[0] == "above"


def test_a_submodule_in_a_worktree_is_found_and_one_in_the_main_checkout_is_no_worktree(
    run: Cli, repo: Path, tmp_path: Path
) -> None:
    run("register", "alpha", str(repo), "the", "repository")
    tree = tmp_path / "far" / "tree"
    git(tree, "submodule", "add", "-q", str(repo), "sub")
    assert me(run, tree / "sub" / "pkg") == ("alpha", BY_WORKTREE)
    git(repo, "submodule", "add", "-q", str(repo), "sub")
    assert me(run, repo / "sub" / "pkg") == ("alpha", BY_WORKDIR)


def test_worktrees_of_a_bare_repository_are_nobody_s_but_their_own(
    run: Cli, repo: Path, tmp_path: Path
) -> None:
    run("register", "alpha", str(repo), "the", "repository")
    bare = tmp_path / "bare.git"
    git(repo, "clone", "-q", "--bare", str(repo), str(bare))
    git(bare, "worktree", "add", "-q", str(tmp_path / "of-bare"), "-b", "new")
    assert run("check", cwd=tmp_path / "of-bare").code == 3


@pytest.mark.parametrize("link", ["the checkout", "the worktree"])
def test_links_are_followed(run: Cli, repo: Path, tree: Path, tmp_path: Path, link: str) -> None:
    (tmp_path / "link").symlink_to(repo if link == "the checkout" else tree)
    run("register", "alpha", str(tmp_path / "link" if link == "the checkout" else repo), "linked")
    assert me(run, tmp_path / "link" if link == "the worktree" else tree)[0] == "alpha"


@pytest.mark.parametrize("kind", ["a FIFO", "a link to nothing", "large", "binary"])
def test_an_odd_git_entry_or_commondir_is_passed_over(run: Cli, tmp_path: Path, kind: str) -> None:
    run("register", "alpha", str(tmp_path / "work"), "x")
    place, own = tmp_path / "odd", tmp_path / "work" / ".git" / "worktrees" / "odd"
    place.mkdir()
    own.mkdir(parents=True)
    (place / ".git").write_text(f"gitdir: {own}\n")
    for odd in (own / "commondir", place / ".git"):
        odd.unlink(missing_ok=True)
        if kind == "a FIFO":
            os.mkfifo(odd)
        elif kind == "a link to nothing":
            odd.symlink_to("/nowhere")
        else:
            odd.write_bytes(b"x" * 100_000 if kind == "large" else bytes(range(256)))
        assert run("check", cwd=place, timeout=5).code in (0, 3)


def test_a_git_file_that_the_repository_does_not_know_makes_nobody_of_its_directory(
    run: Cli, repo: Path, tree: Path, tmp_path: Path
) -> None:
    run("register", "alpha", str(repo), "the", "repository")
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    for own in [*sorted((repo / ".git" / "worktrees").iterdir()), repo / ".git" / "worktrees" / "none"]:
        (stranger / ".git").write_text(f"gitdir: {own}\n")
        assert run("check", cwd=stranger).code == 3
    assert me(run, tree)[0] == "alpha"


def test_a_worktree_whose_repository_is_not_on_this_machine_belongs_to_the_owner_of_its_path(
    run: Cli, repo: Path, tree: Path
) -> None:
    run("register", "alpha", str(repo), "the", "repository")
    if tree.parent.name == "far":
        repo.rename(repo.parent / "elsewhere")
    assert me(run, tree)[0] == "alpha"
