"""The call of `register` beside a wrong one: filled in with what was given, and with the current directory."""

from __future__ import annotations

from agentmail.core import names
from agentmail.core.errors import AgentMailError
from agentmail.verbs.whole_call import shell_word

#: How texts of core, which do not know the caller, name the call.
UNFILLED = "`agentmail register <id> <workdir> <responsibility>`"
#: A guessed option of register -> the word that it stands for.
OPTIONS = {
    **dict.fromkeys(("--id", "--name", "--identity", "-n"), "identity"),
    **dict.fromkeys(("--workdir", "--dir", "--directory", "--path", "--cwd", "-w", "-d"), "workdir"),
    **dict.fromkeys(
        ("--responsibility", "--role", "--description", "--desc", "--duty", "-r"), "responsibility"
    ),
}


def registering(context: Context, argv: list[str]) -> str:
    """The whole call in backticks; a workdir that cannot be guessed stands as in the usage."""
    words, found = _given(argv)
    if words and "identity" not in found:
        found["identity"] = words.pop(0)
    if words and "workdir" not in found and _is_path(words[0]):
        found["workdir"] = words.pop(0)
    here = _here(context)
    identity = names.as_word(found.get("identity") or here.rpartition("/")[2], names.IDENTITY_MAX)
    workdir = found.get("workdir") or ("" if _is_of_another(context, identity) else here)
    duty = found.get("responsibility") or " ".join(words) or _known_duty(context, identity)
    identity = identity if names.is_identity(identity) else "<id>"
    call = f"agentmail register {identity} {shell_word(workdir) if workdir else '<workdir>'} {shell_word(names.printable(duty))}"
    return call if "<" in call else f"`{call}`"


def _given(argv: list[str]) -> tuple[list[str], dict[str, str]]:
    words, found = [], {}
    left = iter(argv)
    for arg in left:
        flag, equals, value = arg.partition("=")
        if flag in OPTIONS:
            found[OPTIONS[flag]] = value if equals else next(left, "")
        elif arg[:1] != "-" or arg == "-":
            words.append(arg)
    return words, {name: value for name, value in found.items() if value}


def _is_path(word: str) -> bool:
    return word[:1] in ("/", ".", "~") or word == "-" or "/" in word


def _known_duty(context: Context, identity: str) -> str:
    """The responsibility that an identity has, so that the call changes nothing; else what stands for one."""
    from agentmail.core.roster import KnownIdentities

    try:
        row = KnownIdentities(context.bus).rows.get(identity)
    except (AgentMailError, OSError):
        row = None
    return row.responsibility if row else "what it is responsible for"


def _here(context: Context) -> str:
    try:
        here = context.environment.directory()
    except AgentMailError:
        return ""
    return "" if names.has_control(here) else here


def _is_of_another(context: Context, identity: str) -> bool:
    """True where the current directory is another identity's, or where that cannot be read."""
    try:
        return context.call().me() != identity
    except AgentMailError as error:
        return error.exit_code != 3  # an unknown identity: the directory is nobody's
    except OSError:
        return True


TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmail.cli.context import Context
