"""An address is read back as it was written, splits in one way, and is refused where it could mean another place."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agentmail.core import names
from agentmail.core.addresses import NEW, PATH_MAX, Address, parse_address, workspace_line, workspaces_of
from agentmail.core.errors import Refused
from agentmail.message import Message, read_message, write_message

#: Text that means something to an address, a header, a shell or a terminal, and letters of several scripts.
LETTERS = "ab.Z09-_ =;%'\"\\$`#:~+*?[]{}|&<>!@构重ش؟נéß\U0001f600\u3000\u00a0"
#: What looks like a second address within a path.
SECOND = re.compile("[ ;][a-z0-9-]+@")
NAMES = st.from_regex("[a-z]([a-z0-9-]{0,30}[a-z0-9])?", fullmatch=True).filter(names.is_identity)
PARTS = st.text(st.sampled_from(LETTERS), min_size=1, max_size=12).filter(
    lambda part: part[-1] != "." and part.strip() == part
)
PATHS = (
    st.tuples(st.sampled_from(["/", ""]), st.lists(PARTS, min_size=1, max_size=4))
    .map(lambda two: two[0] + "/".join(two[1]))
    .filter(lambda path: path[0] not in "~@" and not SECOND.search(path))
) | st.just("/")
ALIASES = st.text(st.sampled_from("abZ09-_构重建ش=%'$~+:"), min_size=1, max_size=20)
SESSIONS = st.sampled_from(["", NEW]) | ALIASES
NEARLY = st.text(st.sampled_from("ab@@..//~ ,;%\n\t\0\x7f\x85\u202e\u200b\u2028\ud800构"), max_size=30)


@given(NAMES, PATHS, SESSIONS)
@example("builder", "/srv/a.b", "")
@example("builder", "/", NEW)
@example("builder", "v1.2", "")
@example("builder", "/home/构建 1.0/x", "重构")
def test_an_address_is_read_back_as_it_was_written(name: str, path: str, session: str) -> None:
    address = Address(name, path, session)
    assert parse_address(str(address)) == address


@given(NAMES)
def test_a_name_alone_is_an_address_without_a_path(name: str) -> None:
    assert parse_address(name) == parse_address(f"@{name}") == Address(name)
    assert str(Address(name)) == name


@pytest.mark.parametrize(
    "text, path, session",
    [
        ("dsh@/home/a.b/proj.refactor", "/home/a.b/proj", "refactor"),
        ("dsh@/path", "/path", ""),
        ("dsh@/path.new", "/path", NEW),
        ("dsh@/home/a.b/proj", "/home/a.b/proj", ""),
        ("dsh@/home/a.b", "/home/a", "b"),
        ("dsh@/home/a.b/", "/home/a.b", ""),
        ("dsh@/home/x/.config/", "/home/x/.config", ""),
        ("dsh@/home/x/.config.new", "/home/x/.config", NEW),
        ("dsh@//srv///x/", "/srv/x", ""),
        ("dsh@/srv/my project.重构导入路径", "/srv/my project", "重构导入路径"),
        ("dsh@/srv/a@b.c", "/srv/a@b", "c"),
        ("dsh@root", "root", ""),
        ("dsh@ModelRouter.new", "ModelRouter", NEW),
        ("dsh@/.new", "/", NEW),
        ("dsh@/srv/x.20260704-0930-me-plan", "/srv/x", "20260704-0930-me-plan"),
    ],
)
def test_what_follows_the_last_dot_is_the_session_unless_a_slash_follows_that_dot(
    text: str, path: str, session: str
) -> None:
    assert parse_address(text) == Address("dsh", path, session)


def proposals(error: Refused) -> list[str]:
    """The addresses that a refusal proposes, as a shell reads them."""
    words = shlex.split(error.next_step.replace("use ", "", 1).replace(", ", " "))
    return [word for word in words if "@" in word or word == "builder"]


HOSTILE = [
    *("@", "@@", "@@builder", "@/srv/x", "builder@", "builder@.", "builder@..", "builder@.new", "builder@x."),
    *("builder@@/srv/x", "builder@/srv/x.", "builder@/srv/x..", "builder@/srv/x..new", "builder@../x"),
    *("builder@/srv/../x.new", "builder@./x", "builder@/srv/./x", "builder@~/x", "builder@~other/x.new"),
    *(
        "builder@/srv/x\n",
        "builder@/srv/x\nto: ops",
        "builder@/srv\0x",
        "builder@/srv/x.a\nb",
        "builder@\x1b[2J",
    ),
    *("builder@/srv/\u202egpj", "builder@/srv/x.\u200bnew", "builder@/srv/\ud800", "builder@/srv/\u2028x"),
    *(
        "builder@/srv/ x",
        "builder@/srv/x /y",
        "builder@/srv/x .new",
        "builder@ /srv/x",
        "builder@/srv/x. new",
    ),
    *(
        "builder@/srv/x.a b",
        "builder@/srv/x.a@b",
        "builder@/srv/x.a;b",
        "builder@/srv/a,b",
        "builder@/srv/x.a,b",
    ),
    *("Builder@/srv/x", "../builder@/srv/x", "new@/srv/x", "all@/srv/x", "@all@/srv/x", "a b@/srv/x"),
    *("builder@/" + "x" * PATH_MAX, "builder@/srv/x." + "a" * 201, "b" * 33 + "@/srv/x", "builder@/srv/'x."),
    *("builder@" + "构" * 400, "builder@" + "@" * 5000, "builder@" + "." * 5000, "x@" * 2000),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_an_address_that_could_mislead_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_address(text)
    said = str(refused.value)
    assert refused.value.exit_code == 2
    assert "\n" not in said
    assert names.printable(said) == said
    assert len(said) < 800
    assert refused.value.next_step


@pytest.mark.parametrize(
    "text",
    ["builder@/srv/x; ops@/srv/y.new", "builder@/srv/my x ops@root.new", "builder@/x;ops@/y;me@/z.new"],
)
def test_a_list_without_commas_is_refused_with_the_list(text: str) -> None:
    with pytest.raises(Refused) as refused:
        parse_address(text)
    lead, quote, rest = refused.value.next_step.partition("'")
    assert lead == "separate recipients by commas: "
    first, second = shlex.split(quote + rest)[0].split(",", 1)
    assert parse_address(first).name == "builder"
    assert second.startswith("ops@")


@given(NEARLY | st.builds("builder@{}".format, NEARLY) | st.builds("builder@/srv/{}".format, NEARLY))
@example("builder@/srv/x.a b")
@example("builder@/srv/'x.")
@example("builder@@/srv/x")
@example("builder@~/\n")
@example("builder@~/,")
@example("builder@/srv/x; b@/y.\n")
def test_what_a_refusal_proposes_is_accepted(text: str) -> None:
    try:
        address = parse_address(text)
    except Refused as refused:
        error = refused
    else:
        assert parse_address(str(address)) == address
        return
    said = str(error)
    assert "\n" not in said
    assert names.printable(said) == said
    if error.next_step.startswith("use "):
        for proposal in proposals(error):
            parse_address(proposal)


@given(st.dictionaries(NAMES, PATHS, max_size=5))
@example({"builder": "/srv/a;b=c%20d", "ops": "/root"})
@example({"ops": "/100%", "builder": "=;%3B"})
def test_the_paths_of_a_header_are_read_back_as_they_were_written(paths: dict[str, str]) -> None:
    line = workspace_line(paths)
    assert workspaces_of(line) == paths
    message = read_message(write_message(Message({"workspace": line} if line else {}, b"text\n")))
    assert workspaces_of(message.get("workspace")) == paths


@given(st.text(st.sampled_from("ab=;%2Ff3bB \n\x1b构\ud800"), max_size=30) | st.text(max_size=40))
def test_a_header_that_another_program_wrote_never_fails_and_names_identities_alone(line: str) -> None:
    for name, path in workspaces_of(line).items():
        assert names.is_identity(name)
        assert path


@pytest.mark.parametrize(
    "line, paths",
    [
        ("builder=/srv/x; ops=/root", {"builder": "/srv/x", "ops": "/root"}),
        ("builder=%2Fsrv%2fx;ops=/my%20dir", {"builder": "/srv/x", "ops": "/my dir"}),
        ("builder=/100%", {"builder": "/100%"}),
        ("builder=/x%0Ato: ops", {"builder": "/x%0Ato: ops"}),
        ("builder=/x%ff", {"builder": "/x%ff"}),
        ("builder=/x%+1", {"builder": "/x%+1"}),
        ("builder=/a; builder=/b", {"builder": "/a"}),
        ("builder; =/x; ../x=/y; ops=", {}),
        ("", {}),
    ],
)
def test_the_paths_of_a_header_by_example(line: str, paths: dict[str, str]) -> None:
    assert workspaces_of(line) == paths
