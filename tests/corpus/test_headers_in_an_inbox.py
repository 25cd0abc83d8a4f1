"""Malformed headers of files in an inbox are shown as far as they can be read, and flagged."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.corpus.post import WAITING, Post, clean, letter

BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))


#: Files with something other than a header of ours in front, and what is said of them.
HEADERS: dict[str, tuple[bytes, str]] = {
    "no header": (b"hello\n", "no-header"),
    "one word without an end of line": (b"hello", "no-header"),
    "blank lines before a header": (b"\n---\nfrom: alpha\n---\n", "no-header"),
    "another kind of header": (b"+++\nfrom = 1\n+++\n", "no-header"),
    "binary": (bytes(range(256)), "no-header"),
    "UTF-16": ("---\nfrom: alpha\n---\n".encode("utf-16"), "no-header"),
    "NULs only": (b"\0" * 5000, "no-header"),
    "an opening alone": (b"---\n", "unreadable-header"),
    "an opening without an end of line": (b"---", "unreadable-header"),
    "a header that never closes": (b"---\nfrom: alpha\nsubject: x\n", "unreadable-header"),
    "a header that closes too late": (b"---\n" + b"x: y\n" * 2000 + b"---\n", "unreadable-header"),
    "a header of 70 lines": (
        b"---\n" + b"".join(b"k%c: y\n" % (97 + n % 26) for n in range(70)) + b"---\n",
        "unreadable-header",
    ),
    "5 MB of header": (b"---\nsubject: " + b"x" * (5 << 20), "unreadable-header"),
    "an empty header": (b"---\n---\nhello\n", ""),
    "a list for a header": (b"---\n- from: alpha\n- to: beta\n---\n", "unreadable-header"),
    "text for a header": (b"---\njust words\n---\n", "unreadable-header"),
    "an alias bomb": (f"---\n{BOMB}from: alpha\n---\n".encode(), "irregular-header"),
    "a bomb of one line": (b"---\nfrom: alpha\nx: " + b"[" * 3000 + b"\n---\n", "irregular-header"),
    "an anchor": (b"---\nfrom: &a alpha\nto: *a\n---\n", "irregular-header"),
    "a tag": (b"---\nfrom: !!str alpha\n---\n", "irregular-header"),
    "a merge": (b"---\nfrom: alpha\n<<: {to: gamma}\n---\n", "irregular-header"),
    "a nested value": (b"---\nfrom: alpha\nto:\n  - beta\n---\n", "irregular-header"),
    "a value of two lines": (b"---\nfrom: alpha\nsubject: |\n  one\n  two\n---\n", "irregular-header"),
    "a colon too many": (b"---\nfrom: alpha\nsubject: re: fix: x\n---\n", "irregular-header"),
    "an open quote": (b'---\nfrom: alpha\nsubject: "x\n---\n', "irregular-header"),
    "a tab": (b"---\nfrom: alpha\n\tto: beta\n---\n", "irregular-header"),
    "bytes that are not UTF-8": (b"---\nfrom: alpha\nsubject: caf\xe9\n---\n", "irregular-header"),
    "a NUL": (b"---\nfrom: alpha\nsubject: a\0b\n---\n", "irregular-header"),
    "an escape": (b"---\nfrom: alpha\nsubject: \x1b[2J\n---\n", "irregular-header"),
    "a doubled key": (b"---\nfrom: alpha\nfrom: gamma\n---\n", "duplicate-key"),
}


@pytest.mark.parametrize("data, flag", HEADERS.values(), ids=HEADERS)
def test_a_file_with_another_header_is_listed_and_flagged(post: Post, data: bytes, flag: str) -> None:
    post.put(post.inbox / "20260705-0000-alpha-x.md", data)
    with post.untouched():
        begun = time.monotonic()
        ran = post.inside("check", "beta")
        assert time.monotonic() - begun < 2
    assert (ran.code, ran.trouble) == (0, "")
    (line,) = [line for line in clean(ran.stdout).splitlines() if line.startswith("20260705-0000-alpha-x  ")]
    found = post.listed("20260705-0000-alpha-x.md")
    assert flag in (found["flags"] or [""]), (flag, found)
    assert str(found["from"]).encode() in data
    assert len(line) < 6000
    ran = post.inside("read", "beta", "20260705-0000-alpha-x")
    assert (ran.code, ran.trouble) == (0, "")
    clean(ran.stdout, keep="\n\t")
    assert post.inside("read", "beta", "20260705-0000-alpha-x", "--raw").stdout == data


def test_a_process_lists_them_all(post: Post) -> None:
    for number, (data, _) in enumerate(HEADERS.values()):
        post.put(post.inbox / f"20260705-0000-alpha-{number}.md", data)
    with post.untouched():
        ran = post.run("check", "beta", timeout=10)
        told = post.run("check", "beta", "--json", timeout=10)
    assert (ran.code, ran.err, told.code, told.err) == (0, "", 0, "")
    assert len(clean(ran.stdout).splitlines()) == 1 + 1 + len(HEADERS) + 1
    clean(told.stdout)
    ran = post.run("archive", "beta", *(f"20260705-0000-alpha-{number}" for number in range(len(HEADERS))))
    assert (ran.code, ran.err, ran.out.count("archived ")) == (0, "", len(HEADERS))


def test_code_in_a_header_is_text(post: Post) -> None:
    for number, line in enumerate(
        (
            f'!!python/object/apply:os.system ["touch {post.root}/hacked"]',
            f"subject: !!python/object/apply:os.system ['touch {post.root}/hacked']",
            f"subject: $(touch {post.root}/hacked)",
            f"subject: `touch {post.root}/hacked`",
            f"subject: {{{{ cycler.__init__.__globals__.os.system('touch {post.root}/hacked') }}}}",
            f"!!python/object/new:subprocess.Popen [['touch', '{post.root}/hacked']]",
        )
    ):
        id = f"20260705-0000-alpha-{number}"
        post.put(post.inbox / f"{id}.md", f"---\nfrom: alpha\n{line}\n---\nhello\n".encode())
        with post.untouched():
            assert post.inside("check", "beta").code == 0
            assert post.inside("read", "beta", id).code == 0
        assert post.inside("reply", "beta", id, stdin="text").code == 0
    assert not (post.root / "hacked").exists()


def test_the_first_of_duplicate_keys_counts(post: Post) -> None:
    post.put(post.inbox / f"{WAITING}.md", b"---\nfrom: alpha\nfrom: gamma\nsubject: a\nsubject: b\n---\n")
    found = post.listed(f"{WAITING}.md")
    assert (found["from"], found["subject"]) == ("alpha", "a")
    assert "duplicate-key" in str(found["flags"])


@pytest.mark.parametrize("end", ["\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_a_newline_ends_a_line_so_no_key_hides_in_a_subject(post: Post, end: str, newline: str) -> None:
    lines = ("---", "from: alpha", f"subject: a{end}priority: high{end}b", "priority: low", "---", "hello")
    post.put(post.inbox / f"{WAITING}.md", newline.join(lines).encode())
    found = post.listed(f"{WAITING}.md")
    assert (found["subject"], found["priority"]) == (f"a{end}priority: high{end}b", "low")
    clean(post.inside("check", "beta").stdout)
    clean(post.inside("read", "beta", WAITING).stdout)


@pytest.mark.parametrize(
    "values, flag",
    [
        ({"id": "20260704-0930-alpha-other"}, "id-mismatch"),
        ({"id": "../../x"}, "id-mismatch"),
        ({"to": "alpha"}, "not-for-you"),
        ({"to": ""}, "not-for-you"),
        ({"to": "betamax, alphabeta"}, "not-for-you"),
        ({"sender": "gamma"}, "unregistered-sender"),
        ({"sender": "../alpha"}, "unregistered-sender"),
        ({"sender": "Alpha"}, "unregistered-sender"),
        ({"sender": ""}, "unregistered-sender"),
        ({"sender": "registry.md"}, "unregistered-sender"),
        ({"sender": "\x1b[2J"}, "unregistered-sender"),
    ],
)
def test_a_header_that_contradicts_its_location_is_flagged(
    post: Post, values: dict[str, Any], flag: str
) -> None:
    sender, to = values.pop("sender", "alpha"), values.pop("to", "beta")
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, sender=sender, to=to, **values))
    assert flag in str(post.listed(f"{WAITING}.md")["flags"])
    ran = post.inside("check", "beta")
    assert ran.code == 0
    (line,) = [line for line in clean(ran.stdout).splitlines() if line.startswith(WAITING)]
    assert flag in line


def test_a_message_from_the_future_comes_last_and_is_flagged(post: Post) -> None:
    ids = ["20990101-0000-alpha-x", "99991231-2359-alpha-x"]
    for id in ids:
        post.put(post.inbox / f"{id}.md", letter(id))
    shown = post.inside("check", "beta", "--json").json["messages"]
    assert [entry["id"] for entry in shown] == [WAITING, *ids]
    assert [entry["flags"] for entry in shown] == [[], ["in-the-future"], ["in-the-future"]]


@pytest.mark.parametrize(
    "stamp", ["00000000-0000", "99999999-9999", "20260230-2575", "20261301-0000", "00010101-0000"]
)
def test_a_minute_that_never_was_does_no_harm(post: Post, stamp: str) -> None:
    id = f"{stamp}-alpha-x"
    post.put(post.inbox / f"{id}.md", letter(id))
    with post.untouched():
        ran = post.inside("check", "beta")
    assert (ran.code, ran.trouble) == (0, "")
    assert id in ran.out


@pytest.mark.parametrize(
    "date",
    ["", "x", "2099-01-01T00:00:00.000000Z", "2026-99-99T99:99:99.999999Z", "٢026-07-04T09:30:00.000000Z"],
)
def test_a_date_that_contradicts_the_name_changes_neither_order_nor_age(post: Post, date: str) -> None:
    post.put(post.inbox / f"{WAITING}.md", letter(WAITING, date=date))
    post.put(post.inbox / "20260704-0931-alpha-x.md", letter("20260704-0931-alpha-x"))
    shown = post.inside("check", "beta", "--json").json["messages"]
    assert [entry["id"] for entry in shown] == [WAITING, "20260704-0931-alpha-x"]
    assert shown[0]["age"] - shown[1]["age"] == 60
