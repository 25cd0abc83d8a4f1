"""What `demo` prints."""

from __future__ import annotations


def lines(outcome: Demo) -> Iterator[str]:
    """The story as a terminal shows it."""
    for step in outcome["steps"]:
        heredoc = f" <<'EOF'\n{step['input']}EOF" if step["input"] else ""
        yield f"$ {step['command']}{heredoc}"
        yield step["output"]
    yield "$ find mail"
    yield from (f"mail/{path}" for path in outcome["tree"])


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agentmail.verbs.demo import Demo
