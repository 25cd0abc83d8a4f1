"""Every step that a text of ours proposes works: each one is collected, and run as it stands.

The steps of the source are those between backticks. The steps of wrong calls are followed from the call to the right one.
"""

from __future__ import annotations

import ast
import re
import shlex
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.cli import ROOT, START, Cli, Ran, run_process

STEP = re.compile(r"`((?:printf [^`]* \| )?agentmail [^`]*)`")
#: What stands in a step for something that only the caller knows, and that no command could fill in.
OPEN = re.compile(r"(?<![\w-])(MESSAGE-ID|OTHER|ME)(?![\w-])")
#: What stands for something that only the caller knows, and what it is here.
FILLED_IN = {
    "<workdir>": "/srv",
    "<responsibility>": "duty",
    "ME": "beta",
    "OTHER": "alpha",
    "SLUG": "slug",
    "<<'EOF'": "<<'EOF'\nthe text\nEOF",
    "{words[0]}": "check",
    "{name}": "check",
    "{command.name}": "check",
    "{ALSO[name]}": "receipts",
    "{days}": "60",
    "<new-id>": "delta",
    "{again}": "unregister beta",
    "{OF_ONE[command]}": "read",
    "{argv[1]}": "{id}",
    "{shlex.quote(row.workdir)}": "/srv",
    "{workdir}": "/srv",
    "{quote(directory)}": ".",
    "{host.name}": "claude-code",
    "{host}": "claude-code",
    "{exam.host.name}": "claude-code",
    "{' --project .' if level == PROJECT else ''}": "",
    "{self.host.name}": "claude-code",
    "<host>": "claude-code",
    "{shlex.quote(row.responsibility)}": "duty",
    "MESSAGE-ID": "{id}",
    "{ids}": "{id}",
    "{done.id}": "{id}",
    "{printable(outcome['thread'])}": "{id}",
    "{sender}": "alpha",
    "{post.draft.sender}": "alpha",
}
#: The same where an expression means another identity than elsewhere.
SENDERS_AND_NEW_NAMES = {
    "rename {old} {new}": "rename beta delta",
    "rename {identity} {new}": "rename beta delta",
    "send {me} --retry {printable(id)}": "send alpha --retry {id}",
    "send {_sender(words, given, people)} --retry": "send alpha --retry",
}
#: Expressions of the source that are an identity.
IDENTITIES = (
    "identity",
    "outcome['identity']",
    "own.identity",
    "box.identity",
    "self.box.identity",
    "self.identity",
    "me",
    "row.identity",
    "old",
)


@cache
def proposed() -> dict[str, str]:
    """Every step in a text of the source, and one place where it stands."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "agentmail").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in documents or not isinstance(node, ast.JoinedStr | ast.Constant):
                continue
            for step in STEP.findall(text_of(node)):
                found.setdefault(step, str(path.relative_to(ROOT)))
    return found


def text_of(node: ast.JoinedStr | ast.Constant) -> str:
    """A text of the source, with its expressions in braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(
        f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else text_of(part)
        for part in node.values
        if isinstance(part, ast.FormattedValue | ast.Constant)
    )


def filled_in(step: str, id: str) -> str:
    """A step as a command that can be run, for beta and its waiting message."""
    for pattern, value in SENDERS_AND_NEW_NAMES.items():
        step = step.replace(pattern, value)
    for name in IDENTITIES:
        step = step.replace(f"{{{name}}}", "beta")
    step = step.replace("<id>", "gamma" if step.startswith("agentmail register") else "{id}")
    for word, value in FILLED_IN.items():
        step = value.join(re.split(rf"(?<![\w-]){re.escape(word)}(?![\w-])", step))
    return step.replace("{id}", id)


class Desk:
    """A caller who is beta, in its workdir, with one message waiting, and who types what it reads."""

    def __init__(self, run: Cli) -> None:
        self.run = run
        self.place = run.home / "work"
        self.place.mkdir()
        (run.home / ".claude").mkdir()  # so `wire` finds a host
        assert run("register", "alpha", "/srv", "takes", "part").code == 0
        assert run("register", "beta", str(run.home), "takes", "part").code == 0
        self.id = run("send", "alpha", "beta", "hello", "A subject", stdin="text\n").out.strip()

    def type(self, line: str) -> Ran:
        """Run a line in a shell, in which agentmail is this program."""
        program = shlex.join([sys.executable, "-S", "-c", START])
        return run_process(
            ["sh", "-c", f'agentmail() {{ {program} "$@"; }}\n{line}'],
            b"",
            self.run.environment(),
            self.place,
        )

    def follow(self, text: str) -> Ran:
        """Paste the last step that a text proposes; where it leaves something open, the lists before it first."""
        *lists, step = STEP.findall(text)
        if OPEN.search(step):
            assert lists, text
            assert all(self.type(line).code == 0 for line in lists), text
            line = filled_in(step, self.id)
        else:
            line = step.replace("<<'EOF'", "<<'EOF'\nthe text\nEOF")
        assert "<" not in line.replace("<<'EOF'", ""), line
        return self.type(line)


@pytest.fixture
def desk(run: Cli) -> Desk:
    return Desk(run)


@pytest.mark.parametrize("step", proposed())
def test_a_step_that_the_source_proposes_works(desk: Desk, step: str) -> None:
    line = filled_in(step, desk.id)
    assert not re.search(r"[{}]|<[a-z]", line), f"say in FILLED_IN what stands for what in: {step}"
    ran = desk.type(line)
    # `doctor` ends with 1 where it finds something: that is its answer.
    assert ran.code == 0 or (ran.code == 1 and line.startswith("agentmail doctor")), (line, ran)


def test_steps_are_found() -> None:
    assert len(proposed()) > 20


WRONG = [
    "send beta hello",
    "send alpha hello",
    "send alpha",
    "send",
    "send --to alpha --subject 'May it be empty?' --body 'Yes; or no.'",
    "send --from beta --to alpha --subject S -m text",
    "send --to=alpha --message text",
    "send alpha 'May a subject be empty?'",
    "send alpha 'May a subject be empty?' --body text",
    "send beta alpha 'It is broken'",
    "send beta alpha Big_Slug It is broken",
    "send beta alhpa slug It\\'s broken",
    "send beta alpha@ slug S",
    "send beta alpha@/srv/x. slug S",
    "send beta alpha@~/x.new slug S",
    "send beta bata@/srv/x slug S",
    "send beta alpha:/srv/x slug S",
    "send beta alpha@./x.new slug S",
    "send beta alpha@@/srv/x slug S",
    "send beta alpha@/srv/x..new slug S",
    "send beta alpha@/srv/x.new. slug S",
    "send beta alpha@/srv/x.new beta@/srv/x slug S",
    "send alpha@/srv/x slug S",
    "reply {id} --cc beta@/srv/x.new S",
    "send beta alpha@/srv/x,alpha@/srv/y slug S",
    "send beta alpha@/srv/x.new,beta@/srv/x.old slug S",
    "send beta all slug S",
    "send beta everyone slug S",
    "send beta nobody-like-this slug S",
    "send beta alpha slug S --attach /etc/hosts",
    "send beta alpha slug S --priority urgent",
    "send beta alpha slug S --prioriti high",
    "send beta alpha slug S --kind poem --thread 'Not A Thread'",
    "send beta alpha slug",
    "send beta alpha slug 'two\nlines'",
    f"send beta alpha slug {'x' * 600}",
    "send beta alpha slug S --cc nobody",
    "send beta alpha slug S --evidence nonsense",
    "send beta alpha slug S --session 'no session'",
    "send alpha slug S --body-file /nowhere",
    "reply",
    "reply {id}",
    "reply {id} --body thanks",
    "reply beta {id} -m thanks",
    "reply nothing thanks",
    "reply alpha thanks",
    "reply 20200101-0000-alpha-nothing thanks",
    "reply nobody-like-this {id} thanks",
    "delegate alpha",
    "delegate alpha --task",
    "delegate beta alpha",
    "delegate --to alpha --body 'count the keys'",
    "delegate beta alhpa --task x",
    "delegate alpha 'count the keys'",
    "send to alpha hello",
    "send alpha@host hello S",
    "send --to alpha,nobody-like-this --body hello",
    'send --to alpha --body "it\'s `uname` here"',
    "send bta hello",
    "send alhpa hello S",
    "send alpha, beta hello",
    "send 'alpha beta' hello",
    "reply --to {id} thanks",
    "threads {id}",
    "history {id}",
    "check {id}",
    "status {id}",
    "read --id {id}",
    "read --all",
    "check --unread",
    "check --from alpha",
    "thread --id {id}",
    "archive -a",
    "archive --thread",
    "search --from alpha",
    "who am i",
    "mark read {id}",
    "mark-as-read {id}",
    "unread",
    "fix",
    "install claude",
    "receipts beta nothing",
    "mail alpha hello",
    "mail",
    "message alpha hello there",
    "inbox",
    "list",
    "ls",
    "status",
    "show {id}",
    "open {id}",
    "cat {id}",
    "view beta {id}",
    "done {id}",
    "delete {id}",
    "rm beta {id}",
    "mark-read {id}",
    "MARK_READ {id}",
    "me",
    "agents",
    "who",
    "contacts",
    "init gamma /srv counts",
    "join gamma - counts",
    "login gamma - counts",
    "broadcast 'No release today'",
    "sent",
    "outbox",
    "forward {id} alpha",
    "export",
    "ls -la",
    "list --unread",
    "show 1",
    "delete all",
    "done",
    "iam beta",
    "init",
    "register",
    "register delta",
    "register delta --workdir /srv --role counts",
    "check inbox",
    "check beta alpha",
    "whoami beta",
    "wait 0",
    "wait beta 0",
    "read",
    "archive",
    "thread",
    "unarchive",
    "read /var/mail/inbox/{id}.md",
    "prune",
    "write alpha hello",
    "answer {id}",
    "chek",
    "--json check",
    "check --jsn",
    "check Beta",
    "check nobody-like-this",
    "read 20200101-0000-alpha-nothing",
    "thread no-such-thread",
]


@pytest.mark.parametrize("words", WRONG)
def test_the_step_after_a_wrong_call_works(desk: Desk, words: str) -> None:
    before = received(desk.run.bus)
    ran = desk.type(f"agentmail {words.replace('{id}', desk.id)}")
    assert (ran.code in (1, 2, 3), ran.out) == (True, ""), ran
    assert ran.err.count("\n") == 1
    assert received(desk.run.bus) == before
    if not STEP.search(ran.err):
        # Only a name that is nearly one of ours needs no command to be typed.
        assert re.search(r"did you mean \S+\?|registered: |use '|register \S+ <workdir> ", ran.err), ran.err
        return
    followed = desk.follow(ran.err)
    assert followed.code == 0, (ran.err, followed)
    if words.split(maxsplit=1)[0] in ("send", "reply", "delegate"):
        assert received(desk.run.bus) - before, ran.err


def received(bus: Path) -> set[str]:
    """The messages that wait, by box and name."""
    return {str(path.relative_to(bus)) for path in bus.glob("*/inbox/*.md")}


def test_the_step_of_a_retry_without_its_sender_works(desk: Desk) -> None:
    sent = desk.type("agentmail send beta alpha own S <<'EOF'\ntext\nEOF").out.strip()
    ran = desk.type(f"agentmail send --retry {sent}")
    assert ran.code == 2
    assert desk.follow(ran.err).code == 0


def test_the_step_of_a_reply_to_ones_own_message_works(desk: Desk) -> None:
    sent = desk.type("agentmail send beta alpha own S <<'EOF'\ntext\nEOF").out.strip()
    ran = desk.type(f"agentmail reply {sent} more </dev/null")
    assert ran.code == 2
    assert f"--re {sent} <<'EOF'`" in ran.err
    assert desk.follow(ran.err).code == 0


def test_a_warning_about_a_missing_text_shows_the_call_that_passes_it(desk: Desk) -> None:
    for call in ("send beta alpha review 'It'\\''s on parser-v2'", f"reply {desk.id} thanks"):
        ran = desk.type(f"agentmail {call}")
        assert ran.code == 0
        assert "no text came on standard input" in ran.err
        assert desk.follow(ran.err).code == 0
