"""What `read` prints: the message between marks, or with --raw the file."""

from __future__ import annotations

from agentmail.cli.text import fenced, missed
from agentmail.core.layout import SENT
from agentmail.core.names import printable
from agentmail.verbs.read import read, read_raw, shown_files


def run(context: Context, call: Call, identity: str, id: str, *, raw: bool = False) -> int:
    """Print one message; with a session, record that it was shown."""
    if raw:
        place, name, data = read_raw(call, identity, id)
        recorder = _recorder(context, call, identity)
        context.output.raw(data)
        files = [name.removesuffix(".gz")] if place != SENT else []
    else:
        outcome = read(call, identity, id)
        recorder = _recorder(context, call, identity)
        context.answer("read", outcome, lambda: lines(outcome))
        files = shown_files(outcome)
    if recorder is not None:
        from agentmail.verbs.presenting import present

        present(call.bus, identity, recorder, files)
    return 0


def _recorder(context: Context, call: Call, identity: str) -> Recorder | None:
    if not call.session:
        return None
    from agentmail.verbs.acting import recorder_of

    return context.seen(recorder_of(call, identity))


def lines(outcome: Opened) -> Iterator[str]:
    """Where the message is, then the message, without headers that say nothing, or the id again."""
    yield f"{outcome['identity']}: {printable(outcome['id'])} ({outcome['place']})"
    if outcome["flags"]:
        yield f"flags: {', '.join(outcome['flags'])}"
    yield from (missed(one, outcome["identity"], outcome["id"]) for one in outcome.get("missed", ()))
    known = {"id": outcome["id"]}
    header = {key: value for key, value in outcome["header"].items() if value and known.get(key) != value}
    yield from fenced(header, outcome["encoding"], outcome["body"])


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.cli.context import Context
    from agentmail.verbs.call import Call, Recorder
    from agentmail.verbs.read import Opened
