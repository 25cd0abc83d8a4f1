"""The distributions of this environment as wheels again, so that a test can install requirements without a network."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path

#: What an installer adds beside the files of the wheel.
ADDED = {"INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json", "uv_build.json"}


def pack(distributions: Iterable[Distribution], place: Path) -> Path:
    """Write a wheel of each distribution into the directory; returns the directory."""
    for one in distributions:
        _pack(one, place)
    return place


def _pack(one: Distribution, place: Path) -> None:
    metadata = one.read_text("WHEEL") or ""
    tags = [line.split(": ")[1].split("-") for line in metadata.splitlines() if line.startswith("Tag: ")]
    tag = "-".join(".".join(sorted(set(part))) for part in zip(*tags, strict=True))
    name = one.metadata["Name"].replace("-", "_")
    with zipfile.ZipFile(place / f"{name}-{one.version}-{tag}.whl", "w") as wheel:
        for file in one.files or []:
            if ".." in file.parts or "__pycache__" in file.parts or file.name in ADDED:
                continue
            if file.name == "RECORD":
                wheel.writestr(str(file), "")  # the installer writes its own, from what it installs
            else:
                wheel.write(str(one.locate_file(file)), str(file))
