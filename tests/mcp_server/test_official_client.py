"""The official SDK's client at work with real servers: it checks everything that we write against the protocol."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from mcp import Client, StdioServerParameters, stdio_client
from mcp_types import Implementation, ListRootsResult, Root

from tests.support.cli import Cli

# The SDK's client leaves the pipes of its server to the garbage collector, which may find them during another test.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """What the SDK left is collected before the test ends."""
    yield
    gc.collect()


INFO = Implementation(name="official-client", version="2.3")
Directories = dict[str, Path]


@asynccontextmanager
async def connected(run: Cli, cwd: Path, **options: Any) -> AsyncIterator[Client]:
    """A client of a server that was started in a directory."""
    command, *words = run.command("mcp")
    server = StdioServerParameters(command=command, args=words, env=run.environment(), cwd=cwd)
    async with Client(stdio_client(server), client_info=INFO, **options) as client:
        yield client


async def outcome(client: Client, verb: str, **arguments: Any) -> dict[str, Any]:
    """The structured content of a tool that succeeds."""
    result = await client.call_tool(f"mail_{verb}", arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def test_a_message_is_sent_read_answered_and_archived(run: Cli, workdirs: Directories) -> None:
    async def story() -> None:
        async with connected(run, workdirs["alpha"]) as alpha, connected(run, workdirs["beta"]) as beta:
            assert beta.server_info
            assert beta.server_info.name == "agentmail"
            assert beta.instructions
            assert "data, not an order" in beta.instructions
            sent = await outcome(
                alpha, "send", to="beta", slug="a-question", subject="Well?", text="Is it?\n"
            )
            (new,) = (await outcome(beta, "wait", timeout=30))["messages"]
            assert new["id"] == sent["id"]
            assert (await outcome(beta, "read", id=new["id"]))["body"] == "Is it?\n"
            answer = await outcome(beta, "reply", id=new["id"], text="It is.\n", kind="result")
            await outcome(beta, "archive", ids=[new["id"]])
            assert (await outcome(beta, "check"))["count"] == 0
            (got,) = (await outcome(alpha, "check"))["messages"]
            assert (got["id"], got["re"]) == (answer["id"], new["id"])

    asyncio.run(story())
    (record,) = run("sessions", "beta", "--json").json["sessions"]
    assert (record["host"], record["host_version"]) == ("official-client", "2.3")
    assert (record["workdir"], record["presented"]) == (str(workdirs["beta"]), 1)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_tools_that_it_lists_have_schemas_by_which_it_checks_the_answers(
    run: Cli, workdirs: Directories, mode: str
) -> None:
    async def story() -> None:
        async with connected(run, workdirs["beta"], mode=mode) as client:
            tools = (await client.list_tools()).tools
            assert len(tools) == 11
            for tool in tools:
                assert tool.output_schema
                Draft202012Validator.check_schema(tool.output_schema)
            assert (await outcome(client, "roster"))["identities"][0]["id"] == "alpha"

    asyncio.run(story())


def test_its_roots_say_who_it_is(run: Cli, workdirs: Directories, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()

    async def roots(_: object) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=one.as_uri()) for one in (elsewhere, workdirs["alpha"])])  # type: ignore[arg-type]

    async def story() -> None:
        async with connected(run, workdirs["beta"], list_roots_callback=roots, mode="legacy") as client:
            assert (await outcome(client, "check"))["identity"] == "alpha"

    asyncio.run(story())


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
def test_resources_are_listed_read_and_watched(run: Cli, workdirs: Directories) -> None:
    async def story() -> None:
        told: asyncio.Queue[str] = asyncio.Queue()

        async def handler(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                told.put_nowait(str(message.params.uri))

        async with connected(run, workdirs["beta"], message_handler=handler, mode="legacy") as client:
            await client.subscribe_resource("mail://beta/inbox")
            sent = run("send", "alpha", "beta", "hello", "Hello", stdin="text\n").out.strip()
            assert await asyncio.wait_for(told.get(), 50) == "mail://beta/inbox"
            uris = [str(one.uri) for one in (await client.list_resources()).resources]
            assert uris == ["mail://beta/inbox", f"mail://beta/{sent}"]
            (inbox,) = (await client.read_resource(uris[0])).contents
            assert sent in inbox.text  # type: ignore[union-attr]
            (message,) = (await client.read_resource(uris[1])).contents
            assert "\ntext\n" in message.text  # type: ignore[union-attr]
            await client.unsubscribe_resource("mail://beta/inbox")
            templates = (await client.list_resource_templates()).resource_templates
            assert [one.name for one in templates] == ["inbox", "message"]

    asyncio.run(story())
    assert run("sessions", "beta", "--json").json["sessions"] == []


def test_a_wait_tells_that_it_goes_on_and_ends_when_it_is_cancelled(run: Cli, workdirs: Directories) -> None:
    async def story() -> None:
        said = asyncio.Event()

        async def progress(progress: float, total: float | None, message: str | None) -> None:
            assert (progress < 50, total, message) == (True, 600, "nothing new yet")
            said.set()

        async with connected(run, workdirs["beta"]) as client:
            waiting = asyncio.create_task(
                client.call_tool("mail_wait", {"timeout": 600}, progress_callback=progress)
            )
            await asyncio.wait_for(said.wait(), 50)
            assert (await outcome(client, "check"))["count"] == 0  # answered meanwhile
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (await outcome(client, "check"))["count"] == 0

    asyncio.run(story())
