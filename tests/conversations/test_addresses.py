"""Addresses on the command line: which thread each form means, what the files say, and what is refused."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

import pytest

from agentmail.message import read_message
from tests.conversations.office import Office


@pytest.fixture
def place(office: Office) -> str:
    """A workspace that is there."""
    (office.place / "x").mkdir()
    return str(office.place / "x")


def thread_of(office: Office, identity: str, id: str) -> str:
    return office.header(identity, id)["thread"]


def files(office: Office) -> set[str]:
    return {str(path) for path in office.bus.rglob("*") if "sessions" not in path.parts}


def refusal(office: Office, to: str, *words: str, code: int = 3) -> str:
    """The one line of a refusal that wrote nothing."""
    before = files(office)
    ended = office("send", "alpha", to, "slug", *words)
    assert (ended.code, ended.out) == (code, ""), ended
    assert ended.err.count("\n") == 1
    assert files(office) == before
    return ended.err


def test_without_a_session_the_latest_thread_in_that_workspace_goes_on(office: Office, place: str) -> None:
    first = office.send("alpha", f"beta@{place}", "first")
    other = office.send("alpha", f"beta@{place}.new", "other")
    office.send("alpha", "beta@/elsewhere", "away")
    office.send("alpha", "beta", "plain")
    assert thread_of(office, "beta", first) == first
    assert thread_of(office, "beta", office.send("alpha", f"beta@{place}", "more")) == other
    assert office("reply", "beta", first, "an answer").code == 0
    assert thread_of(office, "beta", office.send("alpha", f"beta@{place}/", "again")) == first


def test_new_begins_a_thread_each_time_and_may_name_it(office: Office, place: str) -> None:
    ids = [office.send("alpha", f"beta@{place}.new", "slug") for _ in range(3)]
    assert [thread_of(office, "beta", id) for id in ids] == ids
    named = office.send("alpha", f"beta@{place}.new", "slug", "--thread", "plan")
    assert thread_of(office, "beta", named) == "plan"
    err = refusal(office, f"beta@{place}.new", "--thread", "plan", code=2)
    assert f"use 'beta@{place}.plan'" in err


def test_a_session_is_the_name_of_a_thread_that_exists(office: Office, place: str) -> None:
    first = office.send("alpha", f"beta@{place}", "first")
    office.send("alpha", f"beta@{place}.new", "other", "--thread", "plan")
    for thread in ("plan", first):
        id = office.send("alpha", f"beta@{place}.{thread}", "more")
        assert thread_of(office, "beta", id) == thread


def test_a_thread_of_before_has_no_workspace_and_gets_one(office: Office, place: str) -> None:
    office.send("alpha", "beta", "old", "--thread", "plan")
    assert thread_of(office, "beta", office.send("alpha", f"beta@{place}.plan", "more")) == "plan"
    assert thread_of(office, "beta", office.send("alpha", f"beta@{place}", "again")) == "plan"
    assert f"'beta@{place}.plan'" in refusal(office, "beta@/elsewhere.plan")


def test_a_session_that_does_not_exist_is_refused_with_the_near_ones(office: Office, place: str) -> None:
    office.send("alpha", f"beta@{place}", "first", "Rework of imports", "--thread", "refactor")
    office.send("alpha", f"beta@{place}.new", "second", "重构导入路径", "--thread", "import-paths")
    for session, near in (
        ("refactr", "refactor"),
        ("Refactor", "refactor"),
        ("import-path", "import-paths"),
        ("重构导入路径", "import-paths"),
        ("rework-of-imports", "refactor"),
    ):
        err = refusal(office, f"beta@{place}.{session}")
        assert f"did you mean 'beta@{place}.{near}'" in err
        assert f"for a new thread: 'beta@{place}.new'" in err
        assert f"`agentmail send alpha beta@{place}.{near} slug 'subject' <<'EOF'`" in err
    err = refusal(office, f"beta@{place}.zzz")
    assert f"the latest there: 'beta@{place}.import-paths' or 'beta@{place}.refactor'" in err
    assert "<<'EOF'" not in err, "what is only there is not what was meant"


def test_a_refusal_is_as_plain_in_json(office: Office, place: str) -> None:
    office.send("alpha", f"beta@{place}", "first", "--thread", "refactor")
    found = office.json("send", "alpha", f"beta@{place}.refactr", "slug", code=3)
    assert (found["outcome"], found["address"]) == ("unknown-thread", f"beta@{place}.refactr")
    assert found["near"] == [f"beta@{place}.refactor"]


def test_a_thread_of_others_does_not_exist_for_the_sender(office: Office, place: str) -> None:
    office.send("gamma", f"beta@{place}", "secret", "--thread", "secret-plan")
    err = refusal(office, f"beta@{place}.secret-plan").replace(f"beta@{place}.secret-plan", "")
    assert "did you mean" not in err
    id = office.send("alpha", f"beta@{place}", "mine")
    assert thread_of(office, "beta", id) == id


def test_a_thread_without_the_recipient_is_refused_with_the_way_to_bring_it_in(
    office: Office, place: str
) -> None:
    office.send("alpha", "gamma", "first", "--thread", "plan")
    err = refusal(office, f"beta@{place}.plan")
    assert f"'beta@{place}' with --thread plan" in err
    id = office.send("alpha", f"beta@{place}", "first", "--thread", "plan")
    assert thread_of(office, "beta", id) == "plan"


def test_a_path_with_a_dot_that_was_taken_for_a_session_is_proposed(office: Office) -> None:
    (office.place / "a.b").mkdir()
    err = refusal(office, f"beta@{office.place}/a.b")
    assert f"did you mean 'beta@{office.place}/a.b/'?" in err
    assert f"for a new thread: 'beta@{office.place}/a.b.new'" in err
    assert "if the dot belongs to the path: 'beta@v1.2/'" in refusal(office, "beta@v1.2")
    id = office.send("alpha", f"beta@{office.place}/a.b/", "slug")
    assert office.header("beta", id)["workspace"] == f"beta={office.place}/a.b"


def test_the_file_keeps_plain_identities_and_each_path(office: Office) -> None:
    id = office.send("alpha", "beta@/srv/a;b=c%20d, @gamma@构建 1/x", "slug", "--cc", "alpha@root")
    header = office.header("beta", id)
    assert (header["to"], header["cc"]) == ("beta, gamma", "alpha")
    values = read_message(office.box("beta").inbox[id]).values
    assert values["workspace"] == "beta=/srv/a%3Bb%3Dc%2520d; gamma=构建 1/x; alpha=root"
    paths = {"beta": "/srv/a;b=c%20d", "gamma": "构建 1/x", "alpha": "root"}
    assert office.json("thread", "beta", id)["messages"][0]["workspaces"] == paths
    assert office.json("read", "gamma", id)["header"]["workspace"] == values["workspace"]
    for identity, path in paths.items():
        (one,) = office.json("check", identity)["messages"]
        assert one["workspace"] == path
        assert f"  @{path}\n" in office("check", identity).out
    assert "workspace: beta@/srv/a;b=c%20d; gamma@构建 1/x; alpha@root\n" in office("thread", "beta", id).out


def test_a_name_alone_leaves_no_trace_of_addresses(office: Office) -> None:
    id = office.send("alpha", "beta,@gamma", "slug")
    assert "workspace" not in office.header("beta", id)
    assert office.json("check", "beta")["messages"][0]["workspace"] == ""
    assert office.json("thread", "beta", id)["messages"][0]["workspaces"] == {}


def test_one_of_several_addresses_decides_the_thread_for_all(office: Office, place: str) -> None:
    office.send("alpha", f"gamma@{place}", "first", "--thread", "plan")
    id = office.send("alpha", f"beta@{place},gamma@{place}.plan", "slug")
    assert thread_of(office, "beta", id) == thread_of(office, "gamma", id) == "plan"
    id = office.send("alpha", "beta", "slug", "--cc", f"gamma@{place}.plan")
    assert thread_of(office, "beta", id) == "plan"
    err = refusal(office, f"beta@{place}.plan,gamma@{place}.new", code=2)
    assert "name two sessions" in err
    assert f"`agentmail send alpha beta@{place}.plan,gamma@{place} slug 'subject' <<'EOF'`" in err
    assert "beta stands twice" in refusal(office, "beta@/srv/x,beta@/srv/y", code=2)
    assert office("send", "alpha", "beta,beta@/srv/x", "slug").code == 0


def test_a_thread_or_an_answer_that_is_given_decides_where_the_address_leaves_it_open(
    office: Office, place: str
) -> None:
    office.send("alpha", f"beta@{place}", "first", "--thread", "one")
    id = office.send("alpha", f"beta@{place}.new", "second", "--thread", "two")
    assert thread_of(office, "beta", office.send("alpha", f"beta@{place}", "a", "--thread", "one")) == "one"
    first = office.send("alpha", f"beta@{place}", "b", "--re", id)
    assert thread_of(office, "beta", first) == "two"
    apart = office.send("alpha", f"beta@{place}.new", "c", "--re", id)
    assert (thread_of(office, "beta", apart), office.header("beta", apart)["re"]) == (apart, id)
    assert "is another thread than two" in refusal(office, f"beta@{place}.one", "--thread", "two", code=2)


def test_every_command_that_takes_recipients_takes_addresses(office: Office, place: str) -> None:
    ended = office("delegate", "alpha", f"beta@{place}", "--task", "Do it")
    assert (ended.code, ended.err) == (
        0,
        f"agentmail: to beta@{place} in a new thread {ended.out.strip()}\n",
    )
    ended = office("reply", "beta", ended.out.strip(), "--cc", f"gamma@{place}")
    assert office.header("gamma", ended.out.strip())["workspace"] == f"gamma={place}"


def test_a_repeated_send_finds_the_thread_that_the_first_began(office: Office, place: str) -> None:
    words = ("send", "alpha", f"beta@{place}", "slug", "--once")
    first = office(*words)
    again = office(*words)
    assert (first.code, again.code, again.out) == (0, 0, first.out)
    assert "nothing was sent again" in again.err
    assert office("send", "alpha", "beta@/elsewhere", "slug", "--once").out != first.out
    later = office.send("alpha", f"beta@{place}.new", "other")
    assert thread_of(office, "beta", later) == later
    again = office(*words)
    assert (again.code, again.out) == (0, first.out), "the latest thread is another one now"
    assert f"in a new thread {first.out.strip()}; nothing was sent again" in again.err


def test_a_retry_to_those_who_lack_it_keeps_the_paths(office: Office, place: str) -> None:
    tmp = office.bus / "gamma" / "tmp"
    tmp.rename(tmp.with_name("away"))
    tmp.touch()
    ended = office("send", "alpha", f"beta@{place},gamma@/root", "slug")
    id = ended.out.strip()
    tmp.unlink()
    tmp.with_name("away").rename(tmp)
    found = office.json("send", "alpha", "--retry", id)
    assert (found["outcome"], found["workspaces"]) == ("delivered", {"beta": place, "gamma": "/root"})
    assert office.json("check", "gamma")["messages"][0]["workspace"] == "/root"


def test_a_path_that_is_not_here_is_a_warning_unless_the_recipient_may_be_elsewhere(office: Office) -> None:
    ended = office("send", "alpha", "beta@/no/such/place", "slug")
    assert (ended.code, "there is no /no/such/place here for beta" in ended.err) == (0, True)
    assert office("register", "far", "-", "is elsewhere").code == 0
    assert "there is no" not in office("send", "alpha", "far@/no/such/place", "slug").err
    assert "there is no" not in office("send", "alpha", "beta@ModelRouter", "slug").err


def test_an_unknown_or_former_name_before_the_path_is_refused_as_one_without_a_path(office: Office) -> None:
    err = refusal(office, "beat@/srv/x.new")
    assert "did you mean beta?" in err
    assert "agentmail send alpha beta@/srv/x.new slug" in err
    assert office("rename", "beta", "delta").code == 0
    err = refusal(office, "beta@/srv/x")
    assert "agentmail send alpha delta@/srv/x slug" in err


def test_a_sender_without_a_mailbox_has_no_threads(office: Office, place: str) -> None:
    ended = office("send", "nobody", f"beta@{place}", "slug", at="alpha")
    assert ended.code == 0
    assert thread_of(office, "beta", ended.out.strip()) == ended.out.strip()
    assert office("send", "nobody", f"beta@{place}.plan", "slug", at="alpha").code == 3


def test_a_message_that_cannot_be_read_is_said_where_it_might_be_the_latest(
    office: Office, place: str
) -> None:
    (office.bus / "alpha" / "archive").mkdir(exist_ok=True)
    (office.bus / "alpha" / "archive" / "20260704-0930-beta-x.md.gz").write_bytes(b"cut")
    ended = office("send", "alpha", f"beta@{place}", "slug")
    assert (ended.code, "1 messages of alpha could not be read" in ended.err) == (0, True)
    assert "could not be read" in refusal(office, f"beta@{place}.plan")


def test_a_path_of_another_program_is_shown_as_data(office: Office) -> None:
    name = "20260704-0930-beta-x.md"
    text = "---\nfrom: beta\nto: alpha\nworkspace: alpha=/x%1b[2J%0aignore; beta; =;;\n---\nhello\n"
    (office.bus / "alpha" / "inbox" / name).write_text(text)
    shown = office("check", "alpha").out + office("thread", "alpha", name).out
    assert "\x1b" not in shown
    assert shown.count("@/x%1b[2J%0aignore") == 2


def test_every_address_that_a_refusal_proposes_works_in_a_shell(office: Office, tmp_path: Path) -> None:
    place = tmp_path / "it's here" / "构建 1.0"
    os.makedirs(place)
    office.send("alpha", f"beta@{place}/", "first", "--thread", "refactor")
    err = refusal(office, f"beta@{place}.refactr")
    for proposal in (part for part in err.split("; ") if "'beta@" in part and "`" not in part):
        address = shlex.split(proposal.replace("?", ""))[-1]
        assert office("send", "alpha", address, "slug").code == 0
    (call,) = [part for part in err.split("`") if part.startswith("agentmail send")]
    words = shlex.split(call.partition(" <<")[0])
    assert json.loads(office(*words[1:], "--json").out)["thread"] == "refactor"
