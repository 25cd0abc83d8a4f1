"""A second host, made up, on the same protocols: nothing but its own package and a line in HOSTS knows it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentmail import hosts
from agentmail.core.environment import Environment
from agentmail.core.layout import Bus
from agentmail.hosts import base
from agentmail.verbs.call import Call
from agentmail.verbs.demo import surroundings
from agentmail.verbs.doctor import doctor
from agentmail.verbs.unwire import unwire
from agentmail.verbs.wire import wire
from tests.hosts.second_host.install import command, payload
from tests.support.cli import ROOT, Ran
from tests.support.hooks import Bed, ids_in

FIRST, SECOND = "20260704-0930-beta-first", "20260704-0930-beta-second"
RUN = "run-77"


class Parrot:
    """The hooks of the made-up host, run as processes in a session of alpha."""

    def __init__(self, bed: Bed) -> None:
        self.bed = bed
        bed.variables = {
            "CLAUDE_CODE_SESSION_ID": None,
            "CLAUDE_PROJECT_DIR": None,
            "PARROT_RUN": RUN,
            "PARROT_NEST": str(bed.work),
        }

    def __call__(
        self, job: str, what: str, env: dict[str, str | None] | None = None, **action: object
    ) -> Ran:
        stdin = payload(what, run=RUN, where="/", **action)
        return self.bed.run(command(sys.executable, job), stdin, env=env)

    def told(self, job: str, what: str, **how: Any) -> list[str]:
        """The ids that a hook puts before the model; its output is one line of the known form, or nothing."""
        done = self(job, what, **how)
        assert (done.code, done.trouble) == (0, "")
        if not done.out:
            return []
        assert done.json.keys() == {"repeat"}
        return ids_in(done.json["repeat"])

    def start(self, **how: Any) -> list[str]:
        return self.told("check start", "hatched", **how)

    def prompt(self, **how: Any) -> list[str]:
        return self.told("check prompt", "spoken-to", **how)

    def facts(self, kind: str) -> list[dict[str, Any]]:
        (path,) = (self.bed.bus / "alpha" / "sessions").glob(f"*/{RUN}.jsonl")
        return [
            fact
            for line in path.read_text().splitlines()
            if line
            for fact in [json.loads(line)]
            if fact["fact"] == kind
        ]


@pytest.fixture
def parrot(bed: Bed) -> Parrot:
    return Parrot(bed)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line in HOSTS that a new host needs."""
    line = ("parrot", "tests.hosts.second_host", "PARROT_RUN")
    monkeypatch.setattr(hosts, "HOSTS", (*hosts.HOSTS, line))


def test_a_start_lists_all_that_waits_and_a_prompt_lists_new_mail_once(parrot: Parrot) -> None:
    parrot.bed.put(FIRST)
    assert parrot.start() == [FIRST]
    assert parrot.prompt() == []
    parrot.bed.put(SECOND)
    assert parrot.prompt() == [SECOND]
    assert parrot.prompt() == []
    assert parrot.start() == [FIRST, SECOND]


def test_the_record_names_the_host_and_the_directory_it_was_started_in(parrot: Parrot) -> None:
    parrot.bed.put(FIRST)
    parrot.start()
    (fact,) = parrot.facts("session")
    assert (fact["host"], fact["workdir"], fact["session"]) == ("parrot", str(parrot.bed.work), RUN)
    assert [fact["id"] for fact in parrot.facts("presented")] == [FIRST]


def test_a_session_stays_bound_to_the_identity_of_its_start_for_its_own_host_only(parrot: Parrot) -> None:
    bed = parrot.bed
    bed.register("gamma", bed.root / "elsewhere")
    bed.put(FIRST)
    parrot.start()
    elsewhere: dict[str, str | None] = {"PARROT_NEST": str(bed.root / "elsewhere")}
    bed.put(SECOND)
    assert parrot.prompt(env=elsewhere) == [SECOND]
    # The same session id under the other host is another session.
    bed.session = RUN
    variables: dict[str, str | None] = {"CLAUDE_PROJECT_DIR": str(bed.root / "elsewhere")}
    assert bed.start(env={**variables, "CLAUDE_CODE_SESSION_ID": RUN}) == ""


def test_the_commands_of_the_session_are_told_who_they_act_for(parrot: Parrot) -> None:
    profile = parrot.bed.root / "profile"
    parrot.start(env={"PARROT_PROFILE": str(profile)})
    assert profile.read_text() == f"export AGENT_MAIL_SELF=alpha\nexport AGENT_MAIL_SESSION={RUN}\n"


def test_state_for_silent_prompts_is_left_under_the_session_of_the_host(parrot: Parrot) -> None:
    parrot.start()
    assert [path.name for path in parrot.bed.states.iterdir()] == [RUN]


def test_a_file_tool_may_not_write_into_a_mailbox(parrot: Parrot) -> None:
    done = parrot("guard", "pecking", targets=["/elsewhere", f"{parrot.bed.inbox()}/x.md"])
    assert done.code == 0
    assert done.json.keys() == {"no"}
    assert "agentmail send" in done.json["no"]
    done = parrot("guard", "pecking", targets=["/elsewhere"])
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_message_wakes_an_idle_session_once(parrot: Parrot) -> None:
    assert parrot("wake start", "hatched").json == {"perch": str(parrot.bed.inbox())}
    assert [fact["wake"] for fact in parrot.facts("session")] == [True]
    parrot.bed.put(FIRST)
    done = parrot("wake arrived", "feather-fell")
    assert (done.code, ids_in(done.err.rstrip("\n"))) == (9, [FIRST])
    assert parrot("wake arrived", "feather-fell").code == 0


@pytest.mark.parametrize(
    "stdin", [b"", b"{", b'{"no": "topic"}\n', payload("sleeping"), payload("spoken-to")]
)
def test_input_that_is_not_understood_or_of_another_event_gets_no_answer(
    parrot: Parrot, stdin: bytes
) -> None:
    parrot.bed.put(FIRST)
    done = parrot.bed.run(command(sys.executable, "check start"), stdin)
    assert (done.code, done.out) == (0, "")


def test_a_hook_past_its_deadline_says_so_in_the_words_of_the_host(parrot: Parrot) -> None:
    bed = parrot.bed
    with subprocess.Popen(
        command(sys.executable, "check start"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=bed.environment(),
    ) as hook:
        assert hook.wait(30) == 0
        assert hook.stdout is not None
        assert (
            "the host did not end the input of the hook within 2 s"
            in json.loads(hook.stdout.read())["repeat"]
        )


# --- what the rest of the program asks of a host -----------------------------------------------------------


@pytest.mark.usefixtures("listed")
def test_the_session_of_a_process_is_that_of_the_first_listed_host_that_names_one() -> None:
    assert hosts.host_session({"PARROT_RUN": RUN}) == ("parrot", RUN)
    assert hosts.host_session({"PARROT_RUN": RUN, "CLAUDE_CODE_SESSION_ID": "one"}) == ("claude-code", "one")
    assert hosts.host_session({"CLAUDE_CODE_SESSION_ID": "", "PARROT_RUN": ""}) == ("", "")


@pytest.mark.usefixtures("listed")
def test_the_demo_does_not_inherit_the_session_of_any_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARROT_RUN", RUN)
    assert "PARROT_RUN" not in surroundings("/bus", os.environ)


def test_no_module_outside_of_the_hosts_package_knows_a_host() -> None:
    package = ROOT / "agentmail"
    known = [package / "hosts" / "__init__.py", *(package / "hosts" / "claude_code").iterdir()]
    names = ("CLAUDE", "claude")
    found = [
        path
        for path in package.rglob("*.py")
        if path not in known and any(name in path.read_text() for name in names)
    ]
    assert found == []


@pytest.mark.usefixtures("listed")
def test_every_host_has_a_dialect_and_an_installer_that_says_what_it_can() -> None:
    assert base.host_names()[-1] == "parrot"
    assert [base.load_host(name).name for name in base.host_names()] == base.host_names()
    for install in map(base.load_install, base.host_names()):
        assert install.title
        assert tuple(install.capabilities) == base.CAPABILITIES


@pytest.mark.usefixtures("listed")
def test_wire_doctor_and_unwire_work_through_the_protocol(bed: Bed) -> None:
    bed.put(FIRST)
    variables = bed.environment(CLAUDE_CODE_SESSION_ID=None)
    environment = Environment(variables, str(bed.work))
    bus = Bus(str(bed.bus))
    settings = bed.home / ".parrot" / "agentmail.json"
    call = Call(bus, environment)

    def remarks() -> list[tuple[str, str]]:
        found = doctor(call)
        assert found["looked_at"][-1] == "Parrot"
        return [(one["level"], one["what"]) for one in found["findings"] if one["subject"] == "Parrot"]

    assert remarks() == []
    planned = wire(call, ["parrot"], dry_run=True)["hosts"][0]
    assert (planned["outcome"], planned["tried"], settings.exists()) == ("would-wire", [], False)
    assert planned["diff"].startswith("+")

    answer = wire(call, ["parrot"])
    (done,) = answer["hosts"]
    assert (done["outcome"], done["path"], answer["identity"]) == ("wired", str(settings), "alpha")
    assert [one["event"] for one in done["entries"]] == ["hatched", "spoken-to", "pecking"]
    assert [one["works"] for one in done["tried"]] == [True] * 3
    assert FIRST in done["tried"][0]["said"]
    assert wire(call, ["parrot"])["hosts"][0]["outcome"] == "already-wired"
    assert not Path(bed.record()).exists()

    assert remarks() == [("note", f"wired in {settings}, and fires (agentmail: 1 message waits for alpha)")]
    settings.write_text("{")
    assert remarks() == [("problem", f"{settings} is not JSON")]
    wire(call, ["parrot"])

    (gone,) = unwire(call, ["parrot"])["hosts"]
    assert (gone["outcome"], len(gone["entries"]), gone["link"]) == ("restored", 3, "")
    assert not settings.parent.exists()
    assert unwire(call, ["parrot"])["hosts"][0]["outcome"] == "not-wired"
