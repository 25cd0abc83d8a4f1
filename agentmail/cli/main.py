"""The entry point: prepare the process, run the command, turn every outcome into an exit code.

Why not typer: importing it costs ten times what a whole call costs, and a plugin runs where it is not installed. So a
small parser (parse.py) runs every call, usage.py explains the wrong ones, and typer only completes lines in a shell.
"""

from __future__ import annotations

import sys

from agentmail.core import system
from agentmail.core.errors import AgentMailError, TryAgain, Unconfirmed

#: The highest exit code of an error that another call puts right.
WRONG_CALL = 3
INTERRUPTED, PIPE_CLOSED, TERMINATED = 130, 141, 143
PACKAGES = ("typer", "rich", "frontmatter", "yaml", "watchdog")


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
        system.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _run(argv: list[str]) -> int:
    # Imported here, so that an interrupt meanwhile ends like any other.
    from agentmail.cli.context import Context, Output
    from agentmail.core.environment import Environment, occupy_standard_descriptors

    system.umask(0o077)
    if sys.flags.no_site:
        sys.meta_path.append(_Packages)  # type: ignore[arg-type]
    closed = occupy_standard_descriptors(system.O_RDWR)
    _handle_signals()
    output = Output(stdout=-1 if 1 in closed else 1)
    context = Context(Environment.of_process(), output)
    return exit_code_of(context, argv, lambda: dispatch(context, argv))


class _Packages:
    """Finds the packages that a call needs beside our own, where Python was started without them (-S)."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> object:
        """The first import of such a package makes all installed packages importable."""
        if name not in PACKAGES:
            return None
        sys.meta_path.remove(_Packages)  # type: ignore[arg-type]
        from agentmail.cli.installed import find_installed

        return find_installed(name)


def dispatch(context: Context, argv: list[str]) -> int:
    """Run the command that the call names; usage.py explains what the parser does not understand."""
    from agentmail.verbs.catalogue import VERBS

    if argv and argv[0] in VERBS:
        from agentmail.cli.commands import Command

        command = Command(argv[0])
        understood = command.grammar.parse(argv[1:])
        if understood is not None:
            return command.run(context, *understood)
    from agentmail.cli.interfaces import INTERFACES

    if argv and argv[0] in INTERFACES:
        from agentmail.cli.interfaces import serve_until_end

        return serve_until_end(context, argv)
    from agentmail.cli.usage import explain

    return explain(context, argv)


def exit_code_of(context: Context, argv: list[str], call: Callable[[], int]) -> int:
    """The one place where an error becomes a line and an exit code."""
    from agentmail.cli.context import ReportFailed
    from agentmail.core.fs import reason

    try:
        code = call()
        context.warn({})
        return code
    except ReportFailed as failed:
        if isinstance(failed.error, BrokenPipeError):
            return PIPE_CLOSED
        context.output.say(
            f"the answer could not be written: {reason(failed.error)}; nothing was changed; try again"
        )
        return 1
    except Exception as error:  # noqa: BLE001 - whatever it is, a traceback would not help its reader
        return _failed(context, argv, as_error_of_ours(error))


def as_error_of_ours(error: Exception) -> AgentMailError:
    """Any error as one of ours, which is one line."""
    from agentmail.core.fs import reason

    if isinstance(error, AgentMailError):
        return error
    if isinstance(error, OSError):
        return TryAgain(
            reason(error), "nothing was delivered or moved", "see `agentmail doctor`, then try again"
        )
    return _fault(error)


def _fault(error: Exception) -> Unconfirmed:
    """A fault of ours, as the one line that every error is; it may have struck before or after the deed."""
    from agentmail.core.names import printable

    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    from os.path import basename

    where = f" ({basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno})" if at else ""
    return Unconfirmed(
        f"a fault of agentmail itself: {type(error).__name__}: {printable(str(error)[:300])}{where}",
        "what was asked for may be done or not",
        "look with `agentmail check` or `agentmail doctor` before you repeat it, and report this line",
    )


def _failed(context: Context, argv: list[str], error: AgentMailError) -> int:
    from agentmail.cli.context import ReportFailed

    context.warn({})
    _end_with_the_call(context, argv, error)
    context.output.say(str(error))
    try:
        if context.json:
            from agentmail.cli.json_answer import as_json

            context.output.chunks(as_json("error", _as_outcome(argv, error)))
        elif (
            isinstance(error, Unconfirmed)
            and argv[:1] in (["send"], ["reply"], ["delegate"])
            and "id" in error.details
        ):
            context.output.answer([str(error.details["id"])])
    except ReportFailed:
        return error.exit_code
    return error.exit_code


def _end_with_the_call(context: Context, argv: list[str], error: AgentMailError) -> None:
    """Let the error of a wrong call end with the call as it should be, as far as that is known."""
    if error.exit_code <= WRONG_CALL:
        from agentmail.cli.wrong_calls.next_call import complete

        complete(context, argv, error)


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


def _handle_signals() -> None:
    """Turn SIGTERM into an exception, and SIGINT where the launcher had it end the process.

    Why `_signal`: `signal` wraps it in enums, at a quarter of our start-up.
    """
    import _signal  # type: ignore[import-not-found]

    def terminate(*_: object) -> None:
        raise Terminated

    try:
        _signal.signal(_signal.SIGTERM, terminate)
        if _signal.getsignal(_signal.SIGINT) == _signal.SIG_DFL:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    except ValueError:
        return  # not the main thread: an embedding program keeps its own handlers


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmail.cli.context import Context
