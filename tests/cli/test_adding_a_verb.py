"""A new verb is one file with the verb, one file with its rendering and one line of the catalogue; all else follows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.cli import ROOT, Cli

VERB = '''"""Count: how many messages wait."""

from __future__ import annotations

from agentmail.core.message_files import waiting
from agentmail.core.roster import open_mailbox
from agentmail.verbs.call import TypedDict


class Counted(TypedDict):
    """`count`: how many wait, above a number."""

    identity: str
    waiting: int
    above: str


def count(call: SessionCall, identity: Me, above: str = "0", *, cc: list[str] = (), once: bool = False) -> Counted:
    """Count what waits."""
    with open_mailbox(call.bus, identity) as box:
        return {"identity": identity, "waiting": len(waiting(box)), "above": f"{above} {cc} {once} {call.session}"}
'''
RENDERING = '''"""What `count` prints."""

from __future__ import annotations


def lines(outcome):
    """The number."""
    yield f"{outcome['identity']}: {outcome['waiting']} above {outcome['above']}"
'''
LINE = '    "count": "count:count",\n'


@pytest.fixture
def extended(run: Cli, tmp_path: Path) -> Cli:
    """The command line of a copy of the package that has one verb more."""
    package = tmp_path / "copy" / "agentmail"
    shutil.copytree(ROOT / "agentmail", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "verbs" / "count.py").write_text(VERB.replace("core.message_files", module_of_waiting()))
    (package / "cli" / "commands" / "count.py").write_text(RENDERING)
    catalogue = package / "verbs" / "catalogue.py"
    head, brace, tail = catalogue.read_text().partition("VERBS = {\n")
    catalogue.write_text(head + brace + LINE + tail)
    copy = Cli(run.bus, run.home, PYTHONPATH=str(tmp_path / "copy"))
    assert copy("register", "beta", str(run.home), "counts").code == 0
    return copy


def module_of_waiting() -> str:
    """Where the core has the function that lists an inbox."""
    from agentmail.verbs import snapshot

    return str(vars(snapshot)["waiting"].__module__).removeprefix("agentmail.")


def test_the_new_command_runs_with_words_options_and_json(extended: Cli) -> None:
    assert extended("count", "beta").out == "beta: 0 above 0 () False \n"
    assert extended("count", "beta", "7").out == "beta: 0 above 7 () False \n"
    ran = extended("count", "--cc", "a", "--cc=b", "--once", "--session", "s1")
    assert ran.out == "beta: 0 above 0 ['a', 'b'] True s1\n"
    assert extended("count", "--json").json == {
        "schema": "agentmail.count.v1",
        "ok": True,
        "identity": "beta",
        "waiting": 0,
        "above": "0 () False ",
    }


def test_usage_help_completion_and_errors_follow_from_the_signature(extended: Cli) -> None:
    assert "[<id>] [<above>]" in extended("count", "-h").out
    assert "Count what waits\n" in extended("-h").out
    ran = extended("count", "beta", "1", "2")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "agentmail: one word too many for count: '2'; nothing was changed; usage: agentmail count [<id>] [<above>]; "
        "`agentmail count beta 1`\n"
    )
    assert "count has no option '--above'" in extended("count", "--above").err
    offered = extended(
        env={"_AGENTMAIL_COMPLETE": "complete_bash", "COMP_WORDS": "agentmail count --o", "COMP_CWORD": "2"}
    )
    assert offered.lines == ["--once"]
