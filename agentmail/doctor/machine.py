"""The id of this machine, under which sessions record: is it whole, if there is one yet?"""

from __future__ import annotations

import os

from agentmail.core.errors import AgentMailError
from agentmail.core.fs import reason
from agentmail.ledger.machine import kept


def machine(exam: Examination) -> None:
    """Look at the file that keeps it; nothing is made."""
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
            f"has no id, so what sessions are shown is not recorded: {why}",
            "mend or remove that, or set AGENT_MAIL_MACHINE",
        )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.doctor.findings import Examination
