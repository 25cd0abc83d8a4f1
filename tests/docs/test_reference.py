"""docs/reference.md matches the program, and `--json` prints the shapes that the page documents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentmail import message as format_
from agentmail.core.layout import ARCHIVE, INBOX
from agentmail.verbs import check
from agentmail.verbs.catalogue import VERBS
from agentmail.verbs.shapes import outcome_of
from agentmail.views import sender_kinds
from tests.docs.reference import FLAGS, PAGE, document


def test_the_reference_matches_the_program() -> None:
    assert PAGE.read_text(encoding="utf-8") == document()


def test_every_flag_is_explained() -> None:
    words = {text for name, text in vars(check).items() if name.isupper() and isinstance(text, str)}
    words |= {format_.NO_HEADER, format_.UNREADABLE, format_.IRREGULAR, format_.DUPLICATE_KEY, "damaged"}
    words |= {format_.ID_MISMATCH, format_.IMPOSSIBLE_TIME, sender_kinds.MISMATCH}
    assert words - {ARCHIVE, INBOX} == set(FLAGS)


def test_every_command_prints_exactly_the_documented_shape(tmp_path: Path) -> None:
    seen: set[str] = set()

    def call(*words: str, body: str = "hello\n") -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "agentmail", *words, "--json"],
            input=body.encode() if words[0] in ("send", "reply", "delegate") else b"",
            env={"PATH": os.defpath, "HOME": str(tmp_path), "AGENT_MAIL_DIR": str(tmp_path / "bus")},
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        found = json.loads(done.stdout)
        assert found.pop("schema") == f"agentmail.{words[0]}.v1"
        assert (found["ok"] if words[0] == "doctor" else found.pop("ok")) is True
        assert fits(found, outcome_of(words[0])), (words, found)
        seen.add(words[0])
        return found

    call("register", "a", str(tmp_path), "one")
    call("register", "b", "-", "two")
    first = call("send", "a", "b", "x", "subject")["id"]
    call("check", "b")
    call("read", "b", first)
    call("reply", "b", first)
    call("archive", "b", first, first)
    call("unarchive", "b", first)
    call("prune", "b")
    call("roster")
    assert call("whoami")["identity"] == "a"
    call("doctor")
    session = ("--session", "s1", "--as", "b")
    call("delegate", "a", "b", "--task", "look", body="")
    call("wait", "b", "--timeout", "1", *session)
    call("ack", "b", first, *session)
    call("thread", "b", first)
    call("threads", "b")
    call("receipts", "a")
    call("sessions", "b")
    call("snapshot", "b", *session)
    call("search", "b", "subject")
    call("git")
    call("wire", "claude-code")
    call("unwire", "claude-code")
    call("rename", "b", "c")
    call("unregister", "c")
    call("demo")
    assert seen == set(VERBS)


def fits(value: Any, hint: Any) -> bool:
    """Does a JSON value have exactly the shape of a type?"""
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint)
        extras = typing.get_type_hints(hint, include_extras=True)
        optional = {key for key in extras if typing.get_origin(extras[key]) is typing.NotRequired}
        return hints.keys() - optional <= value.keys() <= hints.keys() and all(
            fits(value[key], hints[key]) for key in value
        )
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (list, Iterable) or origin is getattr(types, "GenericAlias", None):
        return isinstance(value, list) and all(fits(one, arguments[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(one, arguments[1]) for one in value.values())
    if arguments:
        return any(fits(value, one) for one in arguments)
    return type(value) is hint
