"""What a sender pipes in is what the recipient's file ends with: no newline added, none taken, nothing decoded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmail.message import Message, read, write
from tests.support.cli import Cli
from tests.support.reader import header_and_body, read_bus

BODIES = [
    pytest.param(b"\xef\xbb\xbfa byte order mark", id="BOM"),
    pytest.param(b"one\r\ntwo\r\n", id="CRLF"),
    pytest.param(b"no final newline", id="no final newline"),
    pytest.param(b"\n\n  \nblank lines around\n\n\n", id="blank lines"),
    pytest.param(b"---\nid: other\n---\n---\n", id="header marks"),
    pytest.param(b"\x1b[2Jescape and \xc2\x85 next line", id="escapes"),
    pytest.param(b"EOF\n$HOME `id` $(id) %s \\n", id="shell"),
    pytest.param("标准差距 ❤️ 𝔘\u2028".encode(), id="unicode"),
    pytest.param(b"x" * 8192, id="as long as it may be"),
]


@pytest.mark.parametrize("body", BODIES)
def test_from_standard_input_to_the_inbox_the_archive_and_back(run: Cli, body: bytes) -> None:
    assert run("register", "beta", "-", "what beta does").code == 0
    sent = run("send", "alpha", "beta", "body", stdin=body)
    assert sent.code == 0, sent.err
    id = sent.out.strip()
    message = read_bus(run.bus)["beta"].inbox[id]
    assert header_and_body(message)[1] == body
    assert run("read", "--raw", "beta", id).stdout == message
    assert run("archive", "beta", id).code == 0
    assert read_bus(run.bus)["beta"].archive[id] == message
    assert run("read", "--raw", "beta", id).stdout == message
    assert run("unarchive", "beta", id).code == 0
    assert read_bus(run.bus)["beta"].inbox[id] == message


@given(st.binary(max_size=500))
def test_a_reader_takes_off_the_header_and_nothing_else(body: bytes) -> None:
    assert read(write(Message({"id": "x", "subject": "a: b"}, body))).body == body


@given(st.binary(max_size=60), st.sampled_from([b"\n", b"\r\n"]), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_so_it_is_in_files_of_other_hands(body: bytes, ending: bytes, mark: bytes) -> None:
    header = mark + ending.join([b"---", b"from: alpha", b"subject: re: fix: x", b"---", b""])
    message = read(header + body)
    assert message.body == body
    assert message.get("from") == "alpha"
