"""What `snapshot` prints: always JSON, message by message."""

from __future__ import annotations

from agentmail.core.roster import open_mailbox
from agentmail.verbs.snapshot import OpenSnapshot

ALWAYS_JSON = True


def run(context: Context, call: Call, identity: str, *, counts: bool = False) -> int:
    """Print the document as it is made."""
    recorder = call.recorder()
    with open_mailbox(call.bus, identity) as box, call.reading(box) as reader:
        outcome = OpenSnapshot(box, reader, recorder).outcome(counts=counts, as_json=True)
        context.answer("snapshot", outcome, list)
    context.say_unreadable(outcome)
    call.finish()
    return 0


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
    from agentmail.verbs.call import Call
