"""The file that holds the id of this machine, under which sessions record receipts."""

from __future__ import annotations

import os

from agentmail.core.errors import AgentMailError
from agentmail.core.fs import reason
from agentmail.ledger.machine import kept


def machine(exam: Examination) -> None:
    """Check the file, if there is one; nothing is created."""
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
            "this machine",
            f"has no id, so receipts of sessions are not recorded: {why}",
            "fix or remove that, or set AGENT_MAIL_MACHINE",
        )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.doctor.findings import Examination
