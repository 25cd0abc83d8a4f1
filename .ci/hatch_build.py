"""Puts hooks.json and hooks/ into the wheel, inside the package.

Why not `force-include` in pyproject.toml: it would also copy them into the site-packages of an editable
installation, where the copies go stale while the ones in the tree are edited.
"""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class HooksInTheWheel(BuildHookInterface):
    def initialize(self, version, build_data):
        if version == "editable":
            return
        for name in ("hooks.json", "hooks"):
            source = Path(self.root, name)
            if source.exists():
                build_data["force_include"][str(source)] = f"agentmail/{name}"
