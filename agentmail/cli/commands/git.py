"""What `git` prints: the files and the commands, to be read or piped into sh."""

from __future__ import annotations


def lines(outcome: GitFiles) -> Iterator[str]:
    """The files as here-documents and the commands: to be read, or piped into sh in the bus."""
    for name, content in ((".gitignore", outcome["gitignore"]), (".gitattributes", outcome["gitattributes"])):
        yield f"cat >{name} <<'EOF'\n{content}EOF"
    yield from outcome["setup"]


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.git import GitFiles
