"""What Codex's configuration says about our hooks: which the user trusts, and the profile that guards the bus.

Each change is Codex's own, by its app server, and has its reverse: setting a key to nothing removes it again, and the
file is then as it was.
"""

from __future__ import annotations

import os

from agentmail.core import names
from agentmail.core.errors import Refused
from agentmail.hosts.hooks_file.own_hooks import owns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agentmail.hosts.codex.app_server import AppServer

TRUSTED = ("trusted", "managed")
PROFILE = "agentmail"
STATE = "hooks.state"


def own_hooks(server: AppServer, directory: str) -> list[dict[str, Any]]:
    """Our hooks as Codex lists them for a directory: key, currentHash, trustStatus, enabled."""
    listed = server.call("hooks/list", {"cwds": [directory]})
    hooks = [hook for one in listed["data"] for hook in one["hooks"]]
    return [hook for hook in hooks if owns(str(hook.get("command") or ""), None)]


def trust(server: AppServer, directory: str) -> int:
    """Tell Codex that the user trusts our hooks; how many it did not trust before."""
    hooks = [hook for hook in own_hooks(server, directory) if hook["trustStatus"] not in TRUSTED]
    if hooks:
        value = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
        _write(server, {"keyPath": STATE, "mergeStrategy": "upsert", "value": value})
    return len(hooks)


def distrust(server: AppServer, keys: list[str]) -> int:
    """Remove what Codex keeps about hooks of these keys; how many there were."""
    state = _state(server)
    known = [key for key in keys if key in state]
    if not known:
        return 0
    _write(server, *({"keyPath": f"{STATE}.{_quoted(key)}", **_nothing()} for key in known))
    if not _state(server):
        _write(server, {"keyPath": STATE, **_nothing()})
    return len(known)


def trusted_project(server: AppServer, directory: str) -> str:
    """The project of a directory, if Codex trusts it: the directory or the nearest above that it knows; else empty."""
    known = server.call("config/read", {})["config"].get("projects") or {}
    path = directory
    while path not in known and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return path if (known.get(path) or {}).get("trust_level") == "trusted" else ""


def guard_bus(server: AppServer, bus: str) -> bool:
    """Make the bus read-only for Codex's sandbox, by a profile that is the default; False where it is already.

    Refused where the user has chosen a sandbox: the two exclude each other.
    """
    found = server.call("config/read", {})["config"]
    chosen = found.get("default_permissions")
    if chosen == PROFILE and bus in _filesystem(found):
        return False
    for key in ("sandbox_mode", "default_permissions"):
        if found.get(key) not in (None, PROFILE):
            raise Refused(
                f"Codex's configuration sets {key} to {names.quoted(str(found[key]))}",
                "the hooks are wired, and the guard of the sandbox is not set",
                f'add "{names.printable(bus)}" = "read" to the files of your own profile (docs/hosts.md)',
            )
    value = {"extends": ":workspace", "filesystem": {bus: "read"}}
    _write(
        server,
        {"keyPath": f"permissions.{PROFILE}", "mergeStrategy": "upsert", "value": value},
        {"keyPath": "default_permissions", "mergeStrategy": "replace", "value": PROFILE},
    )
    return True


def unguard_bus(server: AppServer) -> bool:
    """Remove that profile; False where there is none."""
    found = server.call("config/read", {})["config"]
    if PROFILE not in (found.get("permissions") or {}):
        return False
    if found.get("default_permissions") == PROFILE:
        _write(server, {"keyPath": "default_permissions", **_nothing()})
    _write(server, {"keyPath": f"permissions.{PROFILE}", **_nothing()})
    if not server.call("config/read", {})["config"].get("permissions"):
        _write(server, {"keyPath": "permissions", **_nothing()})
    return True


def _filesystem(found: dict[str, Any]) -> dict[str, Any]:
    files = ((found.get("permissions") or {}).get(PROFILE) or {}).get("filesystem")
    return files if isinstance(files, dict) else {}


def _state(server: AppServer) -> dict[str, Any]:
    hooks = server.call("config/read", {})["config"].get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    return state if isinstance(state, dict) else {}


def _nothing() -> dict[str, object]:
    return {"mergeStrategy": "replace", "value": None}


def _quoted(key: str) -> str:
    from json import dumps

    return dumps(key, ensure_ascii=False)


def _write(server: AppServer, *edits: dict[str, object]) -> None:
    server.call("config/batchWrite", {"edits": list(edits), "reloadUserConfig": True})
