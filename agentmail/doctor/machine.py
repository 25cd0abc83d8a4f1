"""What this machine keeps for itself: its id, under which sessions record receipts, and the state of its hooks."""

from __future__ import annotations

import os
from functools import partial

from agentmail.core.errors import AgentMailError
from agentmail.core.fs import reason
from agentmail.doctor.local_state import SUBJECT, local_state
from agentmail.ledger.machine import kept


def machine(exam: Examination) -> None:
    """Check the id and the state of the hooks, if there are any; nothing is created."""
    exam.guard(SUBJECT, partial(_id, exam))
    local_state(exam)


def _id(exam: Examination) -> None:
    if not exam.home or (exam.environment and exam.environment.variables.get("AGENT_MAIL_MACHINE")):
        return
    try:
        with exam.disk.directory(os.path.join(exam.home, ".agents"), follow=True) as folder:
            kept(exam.disk, folder)
    except FileNotFoundError:
        return
    except (AgentMailError, OSError) as error:
        why = reason(error) if isinstance(error, OSError) else error.what
        exam.problem(
            SUBJECT,
            f"has no id, so receipts of sessions are not recorded: {why}",
            "fix or remove that, or set AGENT_MAIL_MACHINE",
        )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.doctor.findings import Examination
