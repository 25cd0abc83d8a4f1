"""What is in the wheel, to the file."""

from __future__ import annotations

import ast
import zipfile
from pathlib import Path

INFO = "agentmail_bus-{}.dist-info"
SCRIPT = "agentmail_bus-{}.data/scripts/agentmail"


def version(root: Path) -> str:
    tree = ast.parse((root / "agentmail/__init__.py").read_text())
    (value,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__"
    ]
    return str(ast.literal_eval(value))


def files(tree: Path) -> set[str]:
    """The files of a tree without what Python leaves behind, relative to its parent."""
    if tree.is_file():
        return {tree.name}
    found = (path for path in tree.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(tree.parent).as_posix() for path in found}


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_wheel_is_named_agentmail_bus_and_is_for_every_python_3(wheel, root):
    assert wheel.name == f"agentmail_bus-{version(root)}-py3-none-any.whl"


def test_the_wheel_holds_the_package_the_hooks_and_its_own_papers_and_nothing_else(wheel, root):
    info = INFO.format(version(root))
    package = {
        name for name in files(root / "agentmail") if Path(name).suffix in {".py", ".typed", ".js", ".ts"}
    }
    hooks = {
        f"agentmail/{name}"
        for name in files(root / "hooks") | files(root / "hooks.json")
        if (root / name).exists()
    }
    papers = {f"{info}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
    command = {SCRIPT.format(version(root))}
    assert set(contents(wheel)) == package | hooks | papers | command


def test_the_wheel_tells_type_checkers_that_it_is_typed(wheel):
    assert contents(wheel)["agentmail/py.typed"] == b""


def test_the_hooks_in_the_wheel_are_those_of_the_tree_to_the_byte_and_the_mode(wheel, root):
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(files(root / "hooks")):
            packed = archive.getinfo(f"agentmail/{name}")
            assert archive.read(packed) == (root / name).read_bytes()
            assert bool(packed.external_attr >> 16 & 0o100) == bool((root / name).stat().st_mode & 0o100), (
                name
            )


def test_the_command_of_the_wheel_is_that_of_the_tree_to_the_byte_and_the_mode(wheel, root):
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.getinfo(SCRIPT.format(version(root)))
        assert archive.read(packed) == (root / "bin" / "agentmail").read_bytes()
    assert packed.external_attr >> 16 & 0o111 == 0o111


def test_the_wheel_made_from_the_source_archive_is_the_same(wheel, wheel_from_sdist):
    assert contents(wheel_from_sdist) == contents(wheel)


def test_the_metadata_names_the_version_the_pythons_the_licence_and_carries_the_readme(metadata, root):
    assert metadata["Name"] == "agentmail-bus"
    assert metadata["Version"] == version(root)
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert metadata.get_payload().strip() == (root / "README.md").read_text().strip()


def test_a_user_gets_three_requirements_and_no_tool_of_ours(metadata):
    lines = metadata.get_all("Requires-Dist")
    plain = {line.split("<")[0].split(">")[0] for line in lines if "extra ==" not in line}
    assert plain == {"typer", "python-frontmatter", "watchdog"}
