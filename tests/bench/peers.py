"""The peers: their own commands for the same, where they are on PATH; docs/bench/peers.md says what is compared."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

from tests.bench import buses
from tests.bench.cases import BODY, LARGE, SIZES, Cases
from tests.bench.measure import Command

_fresh = itertools.count(1)


def add_peers(cases: Cases) -> list[str]:
    """Peers on PATH are measured beside; the words about those that are not there, or could not be set up."""
    missing = []
    for name, set_up in (("amq", _amq), ("hcom", _hcom)):
        program = shutil.which(name)
        if program is None:
            missing.append(f"{name} is not on PATH")
            continue
        try:
            set_up(cases, program)
        except (OSError, subprocess.CalledProcessError) as error:
            missing.append(f"{name} could not be set up ({error})")
    return missing


def _amq(cases: Cases, amq: str) -> None:
    """AMQ's own commands for the same: one message sent, all that wait listed, one of 10,000 drained beside 100,000.

    The messages have the bytes of ours as subject and body. AMQ sends the first; the others are copies under other ids.
    """
    store = cases.place / "amq"
    env = cases.environment(cases.place)
    sizes = {f"waiting-{size}": size for size in SIZES[1:]}
    _quietly([amq, "init", "--root", str(store), "--agents", ",".join(("alpha", "beta", *sizes))], env)

    def own(me: str) -> list[str]:
        return ["--root", str(store), "--me", me]

    send = [amq, "send", *own("alpha"), "--subject", "a subject", "--body", BODY.decode(), "--to"]
    cases.commands["send, amq"] = Command([*send, "beta"], env=env)
    for me, size in sizes.items():
        _quietly([amq, "send", *own("alpha"), *_subject_and_body(), "--to", me], env)
        inbox = store / "agents" / me / "inbox"
        _copies_of_amq(inbox / "new", inbox / "new", size - 1)
        cases.commands[f"check {size}, amq"] = Command([amq, "list", *own(me), "--new"], env=env)
    me = f"waiting-{SIZES[-1]}"
    inbox = store / "agents" / me / "inbox"
    _copies_of_amq(inbox / "new", inbox / "cur", LARGE)

    def one_more() -> list[str]:
        _copies_of_amq(inbox / "new", inbox / "new", 1)
        return []

    cases.commands[f"archive {SIZES[-1]}+{LARGE}, amq"] = Command(
        [amq, "drain", *own(me), "--limit", "1"],
        env=env,
        before=one_more,
    )


def _subject_and_body() -> list[str]:
    """What a message of the buses says, as options."""
    header, body = buses.text(0)[1].decode().removeprefix("---\n").split("---\n", 1)
    (subject,) = (line for line in header.splitlines() if line.startswith("subject: "))
    return ["--subject", subject.removeprefix("subject: "), "--body", body]


def _copies_of_amq(source: Path, folder: Path, count: int) -> None:
    """So many copies of one of its messages, each under another id; the id ends in eight hexadecimal digits."""
    first = next(source.iterdir())
    data, id = first.read_bytes(), first.stem
    for _ in range(count):
        other = f"{id[:-8]}{next(_fresh):08x}"
        buses.write(folder / f"{other}.md", data.replace(id.encode(), other.encode()))


def _hcom(cases: Cases, hcom: str) -> None:
    """hcom's own commands for the same: one agent, one message sent, a thousand listed."""
    env = cases.environment(cases.place) | {"HCOM_DIR": str(cases.place / "hcom")}
    name = _quietly([hcom, "start"], env).split("]")[0].removeprefix("[hcom:")
    send = [hcom, "send", f"@{name}", "--from", "alpha", "--", BODY.decode()]
    for _ in range(SIZES[1]):
        _quietly(send, env)
    cases.commands["send, hcom"] = Command(send, env=env)
    cases.commands["check 1000, hcom"] = Command(
        [hcom, "events", "--type", "message", "--last", str(SIZES[1])], env=env
    )


def _quietly(words: list[str], env: dict[str, str]) -> str:
    return subprocess.run(
        words, env=env, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL
    ).stdout
