"""The entries of hooks.json in the rig's settings."""

from __future__ import annotations

import json
from pathlib import Path

from tests.hosts.rig.script import Json
from tests.support.cli import ROOT


def entries(*names: str, root: Path = ROOT) -> Json:
    """The entries of hooks.json (and of others, such as hooks/wake.json) with their paths, as settings."""
    events: Json = {}
    for name in names or ("hooks.json",):
        text = (ROOT / name).read_text().replace("${CLAUDE_PLUGIN_ROOT}", str(root))
        for event, groups in json.loads(text)["hooks"].items():
            events.setdefault(event, []).extend(groups)
    return {"hooks": events}
