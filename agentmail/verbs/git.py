"""Git: the two files that let plain git carry a bus between machines without conflict."""

from __future__ import annotations

GITIGNORE = """# Staging and what is this machine's alone: hidden names are agentmail's own.
tmp/
.*
!.gitignore
!.gitattributes
"""
GITATTRIBUTES = """# Bytes are bytes: no line ends are changed, and no message is merged into another.
* -text -merge
# Rows of both sides are kept; `agentmail doctor` shows what then stands twice.
registry.md merge=union
# Two machines that archived one message hold equal text in files that may differ: either will do.
*.md.gz merge=agentmail-either
"""
SETUP = [
    "git config merge.agentmail-either.name 'keep ours: both hold the same message'",
    "git config merge.agentmail-either.driver true",
]


def git() -> GitFiles:
    """The files, and the commands each clone runs once."""
    return {"gitignore": GITIGNORE, "gitattributes": GITATTRIBUTES, "setup": SETUP}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.outcomes import GitFiles
