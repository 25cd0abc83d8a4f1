"""What is archived opens with `gunzip`, `zgrep` and any library; what is damaged is never taken for whole."""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmail.core import gz
from tests.support.cli import ROOT

CHUNKED = st.one_of(
    st.binary(max_size=300),
    st.builds(lambda data, times: data * times, st.binary(max_size=20), st.integers(0, 20_000)),
)
MESSAGE = b"---\nid: 20260704-0930-alpha-x\n---\n" + b"conclusion first, then the rest\n" * 8


@given(CHUNKED)
def test_the_library_reads_ours(data: bytes) -> None:
    assert gzip.decompress(gz.compress(data)) == data


@given(CHUNKED, st.integers(0, 9))
def test_ours_reads_the_library_s(data: bytes, level: int) -> None:
    assert gz.expand(gzip.compress(data, level)) == data


@given(st.lists(st.binary(max_size=100), min_size=1, max_size=9))
def test_several_members_are_one_text(parts: list[bytes]) -> None:
    packed = b"".join(map(gzip.compress, parts))
    assert gz.expand(packed) == b"".join(parts) == gzip.decompress(packed)


@given(CHUNKED)
def test_the_same_message_makes_the_same_file(data: bytes) -> None:
    packed = gz.compress(data)
    assert packed == gz.compress(data)
    assert packed[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff", "no name and no time in it"


def test_another_process_makes_the_same_file() -> None:
    program = "import sys; from agentmail.core import gz; sys.stdout.buffer.write(gz.compress(sys.stdin.buffer.read()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=MESSAGE,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "1", "TZ": "Asia/Shanghai"},
    )
    assert done.stdout == gz.compress(MESSAGE), done.stderr


@pytest.mark.skipif(
    not shutil.which("gunzip") or not shutil.which("zgrep"), reason="no gunzip and zgrep here"
)
def test_gunzip_and_zgrep_read_it(tmp_path: Path) -> None:
    path = tmp_path / "20260704-0930-alpha-x.md.gz"
    path.write_bytes(gz.compress(MESSAGE))
    assert subprocess.run(["gunzip", "-c", path], capture_output=True).stdout == MESSAGE
    assert subprocess.run(["zgrep", "-c", "conclusion", path], capture_output=True).stdout == b"8\n"


def expanded(packed: bytes) -> bytes | None:
    try:
        return gz.expand(packed)
    except gz.Damaged:
        return None


def test_every_truncation_is_damaged() -> None:
    packed = gz.compress(MESSAGE)
    assert [expanded(packed[:size]) for size in range(len(packed))] == [None] * len(packed)


def test_every_flipped_bit_is_damaged_or_changes_nothing() -> None:
    packed = gz.compress(MESSAGE)
    for bit in range(len(packed) * 8):
        changed = bytearray(packed)
        changed[bit // 8] ^= 1 << bit % 8
        assert expanded(bytes(changed)) in (None, MESSAGE), bit


PADDINGS = (1, 2, 3, 511, 512, 10_240, 65_535, 65_536, 65_537, 200_000)


@pytest.mark.skipif(not shutil.which("gunzip"), reason="no gunzip here")
@pytest.mark.parametrize("members", [1, 2])
@pytest.mark.parametrize("tail", [b"", b"x", gzip.compress(b"another")], ids=["", "garbage", "a member"])
@pytest.mark.parametrize("zeros", PADDINGS)
def test_a_file_padded_with_zero_bytes_reads_as_gunzip_reads_it(
    tmp_path: Path, zeros: int, tail: bytes, members: int
) -> None:
    packed = gz.compress(MESSAGE) * members + bytes(zeros) + tail
    path = tmp_path / "20260704-0930-alpha-x.md.gz"
    path.write_bytes(packed)
    done = subprocess.run(["gunzip", "-c", path], capture_output=True)
    assert done.stdout == MESSAGE * members
    assert (done.returncode == 0) == (tail == b"")
    assert expanded(packed) == (None if tail else MESSAGE * members)
    assert gz.head(packed, 10**6) == MESSAGE * members


def test_zero_bytes_alone_are_no_file() -> None:
    assert [expanded(bytes(size)) for size in (1, 2, 18, 100)] == [None] * 4


@given(st.binary(min_size=1, max_size=50).filter(any))
def test_what_follows_a_file_is_damage(garbage: bytes) -> None:
    try:
        gzip.decompress(garbage)
    except (OSError, EOFError, zlib.error):
        assert expanded(gz.compress(MESSAGE) + garbage) is None


@given(st.binary(max_size=200))
def test_what_is_no_gzip_is_damaged_and_never_an_error_of_another_kind(data: bytes) -> None:
    assert expanded(data) is None or gzip.decompress(data) == expanded(data)


@given(CHUNKED, st.integers(0, 1000))
def test_the_head_is_the_beginning_of_the_text(data: bytes, size: int) -> None:
    assert gz.head(gz.compress(data), size) == data[:size]


def test_a_cut_file_still_shows_its_head() -> None:
    packed = gz.compress(os.urandom(5000))
    head = gz.head(packed[:2000], 4096)
    assert 0 < len(head) < 4096
    assert gz.head(b"no gzip", 10) == b""


@given(st.integers(0, 5000))
def test_the_limit_is_exact(size: int) -> None:
    packed = gz.compress(b"x" * size)
    assert gz.expand(packed, size) == b"x" * size
    if size:
        with pytest.raises(gz.Damaged, match="more than"):
            gz.expand(packed, size - 1)


@pytest.mark.parametrize("bomb", ["one member", "many members", "a bomb in a bomb"])
def test_a_bomb_gets_no_more_memory_than_the_limit(bomb: str) -> None:
    megabytes = gzip.compress(bytes(64 << 20))
    packed = {
        "one member": megabytes,
        "many members": gzip.compress(bytes(1 << 20)) * 200,
        "a bomb in a bomb": gzip.compress(megabytes * 4),
    }[bomb]
    tracemalloc.start()
    try:
        with pytest.raises(gz.Damaged):
            gz.expand(packed, 100_000)
        assert gz.head(packed, 100) != b""
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


def test_members_without_end_are_refused() -> None:
    with pytest.raises(gz.Damaged, match="members"):
        gz.expand(gz.compress(b"") * (gz.MEMBERS + 1))
    assert gz.expand(gz.compress(b"") * gz.MEMBERS) == b""
