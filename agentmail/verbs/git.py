"""Git: the two files that let plain git carry a bus between machines without conflict."""

from __future__ import annotations

from agentmail.verbs.call import TypedDict
from agentmail.verbs.git_keep_both import KEEP_BOTH

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
# Receipts count the same in any order and duplicates change nothing, so both sides are kept too.
*.jsonl merge=union
# Two machines that archived one message may have packed it into other bytes: where the text is equal, either will do.
*.md.gz merge=agentmail-either
"""
#: What a side of a merge of two archived messages holds, as a hash.
_TEXT = "$(gunzip -c <{} | git hash-object --stdin)"
#: Why no renames: a sender's pruned copy and a message that its recipient unarchives have the same bytes,
#: and git would take the one for the other. Its usual strategy looks for renames whatever it is told, up to 2.49.
SETUP = [
    "git config merge.agentmail-either.name 'keep ours where both hold the same message'",
    f'git config merge.agentmail-either.driver \'test "{_TEXT.format("%A")}" = "{_TEXT.format("%B")}"\'',
    "git config merge.renames false",
    "git config pull.twohead recursive",
    "git config pull.rebase false",
    f"cat >\"$(git rev-parse --git-dir)/agentmail-keep-both\" <<'EOF'\n{KEEP_BOTH}EOF",
    "git config alias.keep-both '!sh \"$(git rev-parse --git-dir)/agentmail-keep-both\"'",
]


class GitFiles(TypedDict):
    """`git`: the contents of .gitignore and .gitattributes in the bus, and the commands each clone runs once."""

    gitignore: str
    gitattributes: str
    setup: list[str]


def git(call: Call) -> GitFiles:  # noqa: ARG001 - every verb takes the call
    """Print what a bus needs so that git can carry it between machines; see docs/git.md."""
    return {"gitignore": GITIGNORE, "gitattributes": GITATTRIBUTES, "setup": SETUP}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.verbs.call import Call
