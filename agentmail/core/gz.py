"""gzip in memory: what `gunzip -c` and `zgrep` read, the same bytes on every machine, bounded both ways.

Why the header is written here: the library's differs between Python versions, and two clones of a bus
that archive the same message should make the same file.
"""

from __future__ import annotations

import zlib

#: No name, no time, "unknown" operating system, slowest compression.
HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
LIMIT = 64 << 20
CHUNK = 64 << 10
MEMBERS = 1000


class Damaged(Exception):
    """Not a whole gzip file, or more in it than the limit."""


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
    """What `gunzip` would print; Damaged where the file is cut, altered, followed by garbage or too large.

    The first walk only counts, so that a bomb never gets the memory it asks for.
    """
    # Nearly every message: one member, whole, small.
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


def head(data: bytes, size: int) -> bytes:
    """The first `size` bytes of what is in it, as far as it can be read."""
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
    """The expanded bytes, member after member, fed in blocks so that no step copies the whole input."""
    reader = zlib.decompressobj(zlib.MAX_WBITS | 16)
    members = 1
    for at in range(0, len(data), CHUNK):
        block = data[at : at + CHUNK]
        while block:
            if reader.eof:
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
