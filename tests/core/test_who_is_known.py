"""Who is known on a bus, who is near, whose directory this is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError, Refused, TryAgain, UnknownIdentity
from agentmail.core.layout import Bus
from agentmail.core.registry import Registry
from agentmail.core.roster import KnownIdentities, is_known, mailboxes, open_mailbox, unknown
from agentmail.core.whoami import who_am_i

HEAD = "| id | workdir | responsibility |\n|---|---|---|\n"


def table(*rows: tuple[str, str]) -> str:
    return HEAD + "".join(f"| {identity} | {workdir} | duty |\n" for identity, workdir in rows)


def write_registry(bus: Bus, text: str) -> None:
    Path(bus.root, "registry.md").write_text(text)


def test_a_row_or_a_mailbox_makes_known(bus: Bus, bus_dir: Path) -> None:
    write_registry(bus, table(("rowed", "-")))
    (bus_dir / "boxed").mkdir()
    (bus_dir / "filed").write_bytes(b"")
    (bus_dir / "linked").symlink_to("boxed")
    known = KnownIdentities(bus)
    assert [
        name for name in ("rowed", "boxed", "filed", "linked", "nobody") if is_known(bus, name, known)
    ] == [
        "rowed",
        "boxed",
    ]
    assert mailboxes(bus) == ["boxed"]


def test_a_row_alone_gets_its_mailbox_when_it_is_needed_and_a_typo_gets_none(bus: Bus, bus_dir: Path) -> None:
    write_registry(bus, table(("beta", "-")))
    with pytest.raises(UnknownIdentity, match="did you mean beta"):
        open_mailbox(bus, "bta")
    assert sorted(os.listdir(bus_dir)) == ["registry.md"]
    open_mailbox(bus, "beta").close()
    assert (bus_dir / "beta").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "rows, asked, said",
    [
        ([], "beta", "nobody is registered yet"),
        (["alpha", "beta"], "gamma", "registered: alpha, beta"),
        ([f"a{number}" for number in range(14)], "zzz", "and 4 more"),
        (["beta", "zeta"], "eta", "did you mean"),
    ],
)
def test_the_unknown_hear_who_is_known(bus: Bus, rows: list[str], asked: str, said: str) -> None:
    write_registry(bus, table(*((row, "-") for row in rows)))
    assert said in str(unknown(bus, asked, KnownIdentities(bus)))


@pytest.mark.parametrize("data", [b"\xff", b"x" * (1 << 20) + b"x"])
def test_a_registry_that_cannot_be_read_is_a_problem_and_not_empty(
    bus: Bus, bus_dir: Path, data: bytes
) -> None:
    (bus_dir / "registry.md").write_bytes(data)
    assert "registry.md" in KnownIdentities(bus).problem
    with pytest.raises(TryAgain):
        who_am_i(bus, Environment({}, str(bus_dir)))


def test_no_bus_is_said_with_the_way_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UnknownIdentity, match="agentmail register"):
        mailboxes(Bus(str(tmp_path / "none")))
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="not a directory"):
        mailboxes(Bus(str(tmp_path / "file")))


def test_the_longest_workdir_says_who_i_am(bus: Bus, tmp_path: Path) -> None:
    for name in ("repo/sub/deep", "repo-other"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("repo/sub")
    write_registry(
        bus,
        table(
            ("outer", str(tmp_path / "repo")),
            ("inner", str(tmp_path / "link")),
            ("remote", "-"),
            ("relative", "repo"),
        ),
    )

    def me(directory: str) -> str:
        return who_am_i(bus, Environment({}, str(tmp_path / directory)))

    assert (me("repo"), me("repo/sub"), me("repo/sub/deep"), me("link/deep")) == ("outer", *["inner"] * 3)
    with pytest.raises(UnknownIdentity, match="no identity is registered for"):
        me("repo-other")


def test_equal_workdirs_are_an_error_that_names_both(bus: Bus, tmp_path: Path) -> None:
    write_registry(bus, table(("one", str(tmp_path)), ("two", f"{tmp_path}/.")))
    with pytest.raises(Refused, match="one and two"):
        who_am_i(bus, Environment({}, str(tmp_path)))
    assert who_am_i(bus, Environment({"AGENT_MAIL_SELF": "two"}, str(tmp_path))) == "two"


def test_the_root_as_a_workdir_holds_everything(tmp_path: Path) -> None:
    registry = Registry(table(("all-of-it", "/"), ("here", str(tmp_path))))
    assert registry.nearest(os.fsencode(tmp_path.resolve())) == (["here"], os.fsencode(tmp_path.resolve()))
    assert registry.nearest(b"/") == (["all-of-it"], b"/")


@pytest.mark.parametrize(
    "variables, path",
    [
        ({"HOME": "/home/a"}, "/home/a/.agents/mail"),
        ({"HOME": "/home/a", "AGENT_MAIL_DIR": "/srv/mail/"}, "/srv/mail"),
        ({"AGENT_MAIL_DIR": "/srv/mail"}, "/srv/mail"),
        ({"AGENT_MAIL_DIR": "/"}, "/"),
    ],
)
def test_where_the_bus_is(variables: dict[str, str], path: str) -> None:
    assert Environment(variables).bus_path() == path


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"HOME": ""},
        {"HOME": "x"},
        {"AGENT_MAIL_DIR": ""},
        {"AGENT_MAIL_DIR": "mail"},
        {"AGENT_MAIL_DIR": "~/mail"},
    ],
)
def test_where_the_bus_is_not(variables: dict[str, str]) -> None:
    with pytest.raises(AgentMailError) as refused:
        Environment(variables).bus_path()
    assert refused.value.exit_code == 2
