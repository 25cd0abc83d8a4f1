"""What the shell may complete: identities and the ids of waiting messages. Any trouble means no offer."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import Bus


def identities(incomplete: str) -> list[str]:
    """The known identities that begin so."""
    from agentmail.core import roster as known

    try:
        bus = Bus(Environment.of_process().bus_path())
        everybody = {*known.KnownIdentities(bus).rows, *known.mailboxes(bus)}
    except (AgentMailError, OSError):
        return []
    return sorted(name for name in everybody if name.startswith(incomplete))


def waiting_ids(incomplete: str) -> list[str]:
    """The ids of my waiting messages that begin so, after the identities."""
    from agentmail.core.layout import waiting
    from agentmail.core.roster import open_mailbox
    from agentmail.core.whoami import who_am_i

    environment = Environment.of_process()
    try:
        bus = Bus(environment.bus_path())
        with open_mailbox(bus, who_am_i(bus, environment)) as box:
            ids = [names.without_suffix(name) for name in waiting(box)]
    except (AgentMailError, OSError):
        ids = []
    return identities(incomplete) + [id for id in ids if names.is_id(id) and id.startswith(incomplete)]
