"""What is measured inside a process: durable deliveries in a second, beside the bare system calls; waiting.

python -m tests.bench.inside deliver BUS COUNT     deliveries of the product, in a second
python -m tests.bench.inside bare DIRECTORY COUNT  the same calls without the product
python -m tests.bench.inside wait BUS COUNT        seconds from link to return, one a line
python -m tests.bench.inside parse BUS COUNT       microseconds to read a message: ours, then python-frontmatter
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from agentmail.core.delivery import deliver
from agentmail.core.layout import Bus
from agentmail.verbs.call import Call
from agentmail.verbs.wait import Waiting
from tests.bench.buses import text

BODY = text(0)[1]


def product(root: str, count: int) -> float:
    """Deliveries in a second, each durable before the next."""
    bus = Bus(root)
    with bus.mailbox("beta") as box:
        started = time.perf_counter()
        for number in range(count):
            deliver([box], f"20260704-0930-alpha-p{os.getpid()}-{number}", lambda _: BODY)
        return count / (time.perf_counter() - started)


def bare(root: str, count: int) -> float:
    """The system calls of a durable delivery and nothing else: create, write, sync, link, sync, unlink."""
    tmp, inbox = os.open(f"{root}/beta/tmp", os.O_RDONLY), os.open(f"{root}/beta/inbox", os.O_RDONLY)
    started = time.perf_counter()
    for number in range(count):
        name = f"20260704-0930-alpha-b{os.getpid()}-{number}.md"
        fd = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=tmp)
        os.write(fd, BODY)
        os.fsync(fd)
        os.link(name, name, src_dir_fd=tmp, dst_dir_fd=inbox)
        os.fsync(inbox)
        os.unlink(name, dir_fd=tmp)
        os.close(fd)
    return count / (time.perf_counter() - started)


def latencies(root: str, count: int) -> list[float]:
    """Seconds from a message's link into the inbox to the return of the wait, none lost."""
    bus = Bus(root)
    inbox = Path(root) / "beta" / "inbox"
    staged = Path(root) / "beta" / "tmp" / "staged.md"
    found = []
    with Waiting(Call(bus), "beta") as waiting:
        for number in range(count):
            linked = [0.0]
            name = inbox / f"20260704-0930-alpha-w{number}.md"
            staged.write_bytes(BODY)

            def link(name: Path = name, linked: list[float] = linked) -> None:
                linked[0] = time.perf_counter()
                os.link(staged, name)

            sender = threading.Timer(0.002, link)
            sender.start()
            if not waiting.until(time.monotonic() + 10):
                raise RuntimeError("a message was lost")
            found.append(time.perf_counter() - linked[0])
            sender.join()
            name.unlink()
            staged.unlink()
    return found


def parsing(count: int) -> list[float]:
    """Microseconds to read one message of ours, and with python-frontmatter."""
    import frontmatter

    from agentmail.message import read_message

    def each(function: Callable[[], object]) -> float:
        started = time.perf_counter()
        for _ in range(count):
            function()
        return (time.perf_counter() - started) / count * 1e6

    text = BODY.decode()
    return [each(lambda: read_message(BODY)), each(lambda: frontmatter.loads(text))]


if __name__ == "__main__":
    kind, place, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if kind == "wait":
        print("\n".join(map(str, latencies(place, times))))
    elif kind == "parse":
        print("\n".join(map(str, parsing(times))))
    else:
        print({"deliver": product, "bare": bare}[kind](place, times))
