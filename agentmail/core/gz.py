"""gzip in memory, readable by `gunzip -c` and `zgrep`, with equal bytes on every machine and limits on size.

Why the header is written here: that of the library differs between Python versions, and two clones of a bus
that archive the same message should write the same file.
"""

from __future__ import annotations

import zlib

#: No name, no time, "unknown" operating system, slowest compression.
HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
LIMIT = 64 << 20
CHUNK = 64 << 10
MEMBERS = 1000


class Damaged(Exception):
    """Not a complete gzip file, or its content is over the limit."""


def compress(data: bytes) -> bytes:
    """One gzip member, level 9."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(data) + packer.flush()
    return (
        HEADER
        + body
        + zlib.crc32(data).to_bytes(4, "little")
        + (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    )


def expand(data: bytes, limit: int = LIMIT) -> bytes:
    """The content; Damaged if the file is truncated, altered, followed by garbage or too large.

    Zero bytes after the last member are padding, as they are to `gunzip`.

    Why two passes: the first only counts, so a decompression bomb never gets its memory.
    """
    # Nearly every message is one complete, small member.
    reader = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        found = reader.decompress(data, CHUNK)
    except zlib.error as error:
        raise Damaged(str(error)) from None
    if reader.eof and not reader.unused_data and len(found) <= limit:
        return found
    total = 0
    for chunk in _chunks(data):
        total += len(chunk)
        if total > limit:
            raise Damaged(f"more than {limit} bytes in it")
    return b"".join(_chunks(data))


def _require_zeros(data: bytes, start: int) -> None:
    """Damaged unless only zero bytes follow: tapes and some object stores pad with them, and gunzip ignores them."""
    for at in range(start, len(data), CHUNK):
        if data[at : at + CHUNK].strip(b"\0"):
            raise Damaged("followed by garbage")


def head(data: bytes, size: int) -> bytes:
    """The first `size` bytes of the content, as far as it can be read."""
    found = b""
    try:
        for chunk in _chunks(data):
            found += chunk
            if len(found) >= size:
                break
    except Damaged:
        pass
    return found[:size]


def _chunks(data: bytes) -> Iterator[bytes]:
    """The content, member after member, decompressed in blocks so that no step copies the whole input."""
    reader = zlib.decompressobj(zlib.MAX_WBITS | 16)
    members = 1
    for at in range(0, len(data), CHUNK):
        block = data[at : at + CHUNK]
        while block:
            if reader.eof:
                if not block[0]:
                    _require_zeros(data, min(at + CHUNK, len(data)) - len(block))
                    return
                members += 1
                if members > MEMBERS:
                    raise Damaged(f"more than {MEMBERS} members")
                reader = zlib.decompressobj(zlib.MAX_WBITS | 16)
            try:
                chunk = reader.decompress(block, CHUNK)
            except zlib.error as error:
                raise Damaged(str(error)) from None
            yield chunk
            block = reader.unused_data if reader.eof else reader.unconsumed_tail
    if not reader.eof:
        raise Damaged("cut short")


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
