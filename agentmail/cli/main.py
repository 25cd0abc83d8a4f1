"""The entry point: prepare the process, take the plain form or typer's, turn every outcome into an exit code.

A call of words alone (`agentmail check beta`) goes straight to its command; anything with an option, an
unknown command or nothing at all goes through typer to the same functions. Why two ways: importing typer
costs ten times what the whole command costs, and agents call the plain form all day.
"""

from __future__ import annotations

import os
import sys

from agentmail.core.errors import AgentMailError, TryAgain, Unconfirmed

INTERRUPTED, PIPE_CLOSED, TERMINATED = 130, 141, 143


class Terminated(BaseException):
    """SIGTERM, as an exception, so that staging files are taken back on the way out."""


def main(argv: list[str] | None = None) -> int:
    """Run one call; returns its exit code."""
    if argv is None:
        _start_again_in_utf8()
        argv = sys.argv[1:]
    try:
        return _run(argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Terminated:
        return TERMINATED


def _start_again_in_utf8() -> None:
    """Names of files are UTF-8 here, whatever the locale makes of their bytes: the same bus for everybody."""
    if sys.getfilesystemencoding() != "utf-8" and sys.executable:
        # The very call that this is, in the mode that makes it true; only a locale such as Latin-1 needs it.
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606


def _run(argv: list[str]) -> int:
    from agentmail.cli.mouth import Mouth
    from agentmail.cli.output import Output
    from agentmail.core.environment import Environment, occupy_standard_descriptors

    os.umask(0o077)
    if sys.flags.no_site:
        from agentmail.cli.installed import look_on_demand

        look_on_demand()
    closed = occupy_standard_descriptors(os.O_RDWR)
    _end_on_sigterm()
    output = Output(stdout=-1 if 1 in closed else 1)
    mouth = Mouth(Environment.of_process(), output)
    return guarded(mouth, argv, lambda: _dispatch(mouth, argv))


def _dispatch(mouth: Mouth, argv: list[str]) -> int:
    if is_plain_call(argv):
        return command_named(argv[0])(mouth, argv[1:])
    try:
        from agentmail.cli.app import run
    except ModuleNotFoundError as error:
        from agentmail.cli.installed import missing

        raise missing(error) from None

    return run(mouth, argv)


def command_named(command: str) -> Callable[[Mouth, list[str]], int]:
    """The function of a command, taking a mouth and the positional words."""
    from agentmail.cli.grammar import CONVERSATION, HOSTING

    if command in CONVERSATION:
        from agentmail.cli import conversation as module
    elif command in HOSTING:
        from agentmail.cli import hosting as module  # type: ignore[no-redef]
    else:
        from agentmail.cli import commands as module  # type: ignore[no-redef]
    found: Callable[[Mouth, list[str]], int] = getattr(module, command)
    return found


def is_plain_call(argv: list[str]) -> bool:
    """True for a known command followed by words alone; a lone dash is a word."""
    from agentmail.cli.grammar import USAGE

    return bool(argv) and argv[0] in USAGE and not any(word[:1] == "-" and word != "-" for word in argv[1:])


def guarded(mouth: Mouth, argv: list[str], call: Callable[[], int]) -> int:
    """The one place where an error becomes a line and an exit code."""
    from agentmail.cli.output import ReportFailed
    from agentmail.core.fs import reason

    try:
        code = call()
        mouth.warn({})
        return code
    except AgentMailError as error:
        return _failed(mouth, argv, error)
    except ReportFailed as failed:
        if isinstance(failed.error, BrokenPipeError):
            return PIPE_CLOSED
        mouth.output.say(
            f"the answer could not be written: {reason(failed.error)}; nothing was changed; try again"
        )
        return 1
    except OSError as error:
        again = TryAgain(
            reason(error), "nothing was delivered or moved", "see `agentmail doctor`, then try again"
        )
        return _failed(mouth, argv, again)
    except Exception as error:  # noqa: BLE001 - a fault of ours; whatever it is, nobody is helped by a traceback
        return _failed(mouth, argv, _fault(error))


def _fault(error: Exception) -> Unconfirmed:
    """A fault of ours, as the one line that every error is; it may have struck before or after the deed."""
    from agentmail.core.names import printable

    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f" ({os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno})" if at else ""
    return Unconfirmed(
        f"a fault of agentmail itself: {type(error).__name__}: {printable(str(error)[:300])}{where}",
        "what was asked for may be done or not",
        "look with `agentmail check` or `agentmail doctor` before you repeat it, and report this line",
    )


def _failed(mouth: Mouth, argv: list[str], error: AgentMailError) -> int:
    from agentmail.cli.output import ReportFailed

    mouth.warn({})
    mouth.output.say(str(error))
    try:
        if mouth.json:
            from agentmail.cli.mouth import as_json

            mouth.output.answer([as_json("error", _as_outcome(argv, error))])
        elif isinstance(error, Unconfirmed) and argv[:1] in (["send"], ["reply"]) and "id" in error.details:
            mouth.output.answer([str(error.details["id"])])
    except ReportFailed:
        return error.exit_code
    return error.exit_code


def _as_outcome(argv: list[str], error: AgentMailError) -> dict[str, object]:
    return {
        "command": argv[0] if argv else "",
        "outcome": error.word,
        "exit": error.exit_code,
        "what": error.what,
        "now": error.now,
        "next": error.next_step,
        **error.details,
    }


def _end_on_sigterm() -> None:
    """Turn SIGTERM into an exception. Why `_signal`: `signal` wraps it in enums, at a quarter of our start-up."""
    import _signal  # type: ignore[import-not-found]

    def terminate(*_: object) -> None:
        raise Terminated

    try:
        _signal.signal(_signal.SIGTERM, terminate)
    except ValueError:
        return  # not the main thread: an embedding program keeps its own handlers


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.cli.mouth import Mouth
