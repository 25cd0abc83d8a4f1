"""What a sender pipes in is what the recipient's file ends with: no newline added, none taken, nothing decoded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentmail.message import Message, read_message, write_message
from tests.support.cli import Cli
from tests.support.reader import header_and_body, read_bus

BODIES = {
    "bom": b"\xef\xbb\xbfa byte order mark",
    "crlf": b"one\r\ntwo\r\n",
    "open-end": b"no final newline",
    "blank-lines": b"\n\n  \nblank lines around\n\n\n",
    "header-marks": b"---\nid: other\n---\n---\n",
    "escapes": b"\x1b[2Jescape and \xc2\x85 next line",
    "shell": b"EOF\n$HOME `id` $(id) %s \\n",
    "unicode": "标准差距 ❤️ 𝔘\u2028".encode(),
    "longest": b"x" * 8192,
}


def test_from_standard_input_to_the_inbox_the_archive_and_back(run: Cli) -> None:
    assert run("register", "beta", "-", "what beta does").code == 0
    ids = {slug: run("send", "alpha", "beta", slug, stdin=body).out.strip() for slug, body in BODIES.items()}
    messages = read_bus(run.bus)["beta"].inbox
    for slug, body in BODIES.items():
        assert header_and_body(messages[ids[slug]])[1] == body
    assert run("archive", "beta", *ids.values()).code == 0
    assert read_bus(run.bus)["beta"].archive == messages
    assert run("read", "--raw", "beta", ids["open-end"]).stdout == messages[ids["open-end"]]
    assert run("unarchive", "beta", ids["crlf"]).code == 0
    assert read_bus(run.bus)["beta"].inbox == {ids["crlf"]: messages[ids["crlf"]]}


@given(st.binary(max_size=500))
def test_a_reader_takes_off_the_header_and_nothing_else(body: bytes) -> None:
    assert read_message(write_message(Message({"id": "x", "subject": "a: b"}, body))).body == body


@given(st.binary(max_size=60), st.sampled_from([b"\n", b"\r\n"]), st.sampled_from([b"", b"\xef\xbb\xbf"]))
def test_so_it_is_in_files_of_other_hands(body: bytes, ending: bytes, mark: bytes) -> None:
    header = mark + ending.join([b"---", b"from: alpha", b"subject: re: fix: x", b"---", b""])
    message = read_message(header + body)
    assert message.body == body
    assert message.get("from") == "alpha"
