"""The tables of docs/hosts.md are those of the installers and of the last whole run."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.rig.clients import CLIENTS

from .table import PAGE, cases, kept, page, results_of

RUN = """<testsuites><testsuite>{}
<testcase classname="tests.hosts.test_wire" name="test_other[pi]"/></testsuite></testsuites>"""
CASE = '<testcase classname="tests.hosts.cases.test_cases" name="test_{}[{}]">{}</testcase>'


def test_the_page_is_as_it_would_be_written() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_result_that_is_kept_is_of_the_pinned_client_and_of_the_cases_of_today() -> None:
    seen = kept()
    assert {"claude-code", "opencode", "pi"} <= seen.keys()
    for host, found in seen.items():
        assert list(found) == ["version", *cases()], host
        assert found["version"] == CLIENTS[host].version
        assert {word.partition(":")[0] for word in found.values()} <= {found["version"], "yes", "no"}, host


def test_a_run_counts_only_for_hosts_of_which_every_case_ran(tmp_path: Path) -> None:
    names = cases()
    skipped = '<skipped message="Skipped: pi cannot: it has none"/>'
    whole = [CASE.format(name, "pi", skipped if name == names[1] else "") for name in names]
    failed = [CASE.format(names[2], "pi-other value", "<failure/>"), CASE.format(names[0], "codex", "")]
    path = tmp_path / "run.xml"
    path.write_text(RUN.format("".join([*whole, *failed])))
    found = results_of(path)
    assert list(found) == ["pi"]
    assert (found["pi"][names[0]], found["pi"][names[1]], found["pi"][names[2]]) == (
        "yes",
        "no: it has none",
        "failed",
    )
