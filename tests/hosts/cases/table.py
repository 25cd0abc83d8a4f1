"""The tables of docs/hosts.md: what a session of each host gets, and which cases were seen with the real clients.

python -m tests.hosts.cases.table FILE     take in the results of a run (pytest --junitxml=FILE), then write the page
python -m tests.hosts.cases.table          write the page from the results that are kept
"""

from __future__ import annotations

import ast
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from agentmail.hosts.base import CAPABILITIES, host_names, load_install
from tests.hosts.rig.clients import CLIENTS
from tests.support.cli import ROOT

HERE = Path(__file__).parent
PAGE = ROOT / "docs" / "hosts.md"
SEEN = HERE / "seen.json"
BEGIN, END = "<!-- written by tests/hosts/cases/table.py -->", "<!-- end -->"
#: For each host its version, and for each case `yes`, or why not.
Results = dict[str, dict[str, str]]


def cases() -> list[str]:
    """The names of the cases, in their order."""
    tree = ast.parse((HERE / "test_cases.py").read_text(encoding="utf-8"))
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name.removeprefix("test_") for name in functions if name.startswith("test_")]


def kept() -> Results:
    """The results that are kept."""
    found: Results = json.loads(SEEN.read_text(encoding="utf-8")) if SEEN.exists() else {}
    return found


def results_of(file: Path) -> Results:
    """The results of a run, of the hosts of which every case ran."""
    found: Results = {}
    for case in ET.parse(file).iter("testcase"):
        named = re.fullmatch(
            rf"test_(\w+)\[({'|'.join(host_names())})\b.*\]", case.get("name", ""), re.DOTALL
        )
        if not named or not case.get("classname", "").endswith("cases.test_cases"):
            continue
        word = _outcome(case)
        before = found.setdefault(named[2], {}).get(named[1], "yes")
        found[named[2]][named[1]] = word if before == "yes" else before
    whole = {host: seen for host, seen in found.items() if set(seen) == set(cases())}
    return {host: {"version": CLIENTS[host].version, **seen} for host, seen in whole.items()}


def _outcome(case: ET.Element) -> str:
    skipped = case.find("skipped")
    if skipped is not None:
        why = skipped.get("message", "")
        return f"no: {why.partition(' cannot: ')[2]}" if " cannot: " in why else "not run"
    return "yes" if case.find("failure") is None and case.find("error") is None else "failed"


def table() -> str:
    """Both tables."""
    hosts = host_names()
    installs = [load_install(host) for host in hosts]
    seen = kept()
    head = ["", *(one.title for one in installs)]
    lines = [_row(head), "|---" * len(head) + "|"]
    lines += [_row([one, *(install.capabilities[one] for install in installs)]) for one in CAPABILITIES]
    versions = [seen.get(host, {}).get("version", "not run") for host in hosts]
    lines += ["", _row(["seen with the real client", *versions]), "|---" * len(head) + "|"]
    for case in cases():
        lines.append(
            _row([case.replace("_", " "), *(seen.get(host, {}).get(case, "not run") for host in hosts)])
        )
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def page() -> str:
    """The page with the tables as they should be."""
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{begin}\n{table()}\n{END}{rest.partition(END)[2]}"


def main() -> None:
    """Take in a run, if one is given, and write the page."""
    if sys.argv[1:]:
        seen = kept() | results_of(Path(sys.argv[1]))
        SEEN.write_text(json.dumps(seen, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
    print(table())


if __name__ == "__main__":
    main()
