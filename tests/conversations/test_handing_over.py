"""A new session takes over: it sees what waits, what the thread said, and what the old session did with it."""

from __future__ import annotations

from tests.conversations.office import Office


def test_a_new_session_sees_the_waiting_messages_the_thread_and_its_receipts(office: Office) -> None:
    task = office("delegate", "alpha", "beta", "--task", "Check the parser", "--thread", "parser").out.strip()
    assert task in office("check", "beta", "--session", "old").out
    office("ack", "beta", task, "--session", "old")
    note = office(
        "reply", "beta", task, "--session", "old", "--kind", "blocked", stdin="which one?\n"
    ).out.strip()
    assert office("wait", "beta", "--session", "old", "--timeout", "0").code == 124
    answer = office("reply", "alpha", note, "--session", "a1", stdin="the new one\n").out.strip()

    # The old session is gone before it saw the answer; a new one starts in another window.
    assert office.json("snapshot", "beta", "--counts", "--session", "new")["counts"]["pending"] == 2
    new = office.json("wait", "beta", "--session", "new")
    assert [one["id"] for one in new["messages"]] == [task, answer]
    thread = {
        one["id"]: one for one in office.json("thread", "beta", "parser", "--session", "new")["messages"]
    }
    assert [(one["kind"], one["body"]) for one in thread.values()][1:] == [
        ("blocked", "which one?\n"),
        ("message", "the new one\n"),
    ]
    assert {one["session"]: bool(one["acknowledged"]) for one in thread[task]["receipts"]} == {
        "old": True,
        "new": False,
    }
    assert [one["session"] for one in thread[answer]["receipts"]] == ["new"]
    assert thread[note]["session"] == "old"

    result = office("reply", "beta", "parser", "--session", "new", "--kind", "result").out.strip()
    assert office.header("alpha", result)["re"] == answer
    assert office("archive", "beta", "parser").code == 0
    assert office("wait", "beta", "--session", "newest", "--timeout", "0").code == 124
    assert office.json("receipts", "alpha", task)["messages"][0]["verified"] is True
