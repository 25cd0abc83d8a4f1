"""Parrot's dialect, and the entry of its hooks: `check KIND`, `guard` or `wake KIND`."""

from __future__ import annotations

from agentmail.core.lean_json import loads, quoted
from agentmail.hosts import ARRIVED, MOVED, PROMPT, START, WRITE, Event
from agentmail.hosts.runtime import check, guard, wake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmail.hosts.base import Host

KINDS = {
    "hatched": START,
    "spoken-to": PROMPT,
    "pecking": WRITE,
    "flown": MOVED,
    "feather-fell": ARRIVED,
}


def main(argv: list[str]) -> int:
    job, kind = [*argv, ""][:2]
    if job == "guard":
        return guard.main(HOST)
    return {"check": check.main, "wake": wake.main}[job](HOST, kind)


class Parrot:
    name = "parrot"
    wake_code = 9

    def session(self, variables: Mapping[str, str]) -> str:
        return variables.get("PARROT_RUN", "")

    def started_in(self, variables: Mapping[str, str]) -> str:
        return variables.get("PARROT_NEST", "")

    def version(self, variables: Mapping[str, str]) -> str:
        return variables.get("PARROT_AGE", "")

    def env_file(self, variables: Mapping[str, str]) -> str:
        return variables.get("PARROT_PROFILE", "")

    def event(self, raw: bytes) -> Event | None:
        topics = {}
        for line in raw.decode().splitlines():
            found = loads(line)
            if not isinstance(found, dict) or "topic" not in found:
                return None
            topics[found["topic"]] = found
        run, action = topics.get("run", {}), topics.get("action", {})
        return Event(
            KINDS.get(action.get("what", ""), ""),
            session=run.get("number", ""),
            directory=run.get("where", ""),
            files=tuple(action.get("targets", ())),
            subagent=run.get("chick", False),
        )

    def notice(self, event: Event, text: str) -> bytes:
        return f'{{"repeat": {quoted(text)}}}\n'.encode()

    def deny(self, event: Event, why: str) -> bytes:
        return f'{{"no": {quoted(why)}}}\n'.encode()

    def watch(self, event: Event, path: str) -> bytes:
        return f'{{"perch": {quoted(path)}}}\n'.encode()


HOST: Host = Parrot()
