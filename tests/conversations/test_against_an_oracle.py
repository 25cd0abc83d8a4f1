"""Any sequence of sending, answering, archiving, taking back, pruning, waiting and acknowledging, by several sessions
of three agents, against a few dictionaries that say what has to come out."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from agentmail.core.environment import Environment
from agentmail.core.errors import AgentMailError
from agentmail.core.layout import Bus, Clock
from agentmail.verbs.ack import ack
from agentmail.verbs.archive import archive
from agentmail.verbs.call import Call, Recorder
from agentmail.verbs.check import check
from agentmail.verbs.presenting import present
from agentmail.verbs.prune import prune
from agentmail.verbs.receipts import receipts
from agentmail.verbs.register import register
from agentmail.verbs.reply import reply
from agentmail.verbs.search import search
from agentmail.verbs.send import send
from agentmail.verbs.sessions import sessions
from agentmail.verbs.snapshot import snapshot
from agentmail.verbs.thread import thread
from agentmail.verbs.threads import threads
from agentmail.verbs.unarchive import unarchive
from agentmail.verbs.wait import Waiting
from tests.support.clocks import SECOND, Fixed
from tests.support.memory import in_memory
from tests.support.reader import read_bus
from tests.support.worlds import MOMENT, age

AGENTS = ("alpha", "beta", "gamma")
SESSIONS = ("s1", "s2")
#: One session name on two machines is two sessions.
MACHINES = ("m1", "m2")

agents = st.sampled_from(AGENTS)
origins = st.builds(
    lambda session, machine: Recorder(machine, session, "/"),
    st.sampled_from(SESSIONS),
    st.sampled_from(MACHINES),
)
picks = st.integers(0, 1000)


class Letter:
    """A message as the oracle knows it."""

    def __init__(self, id: str, sender: str, to: list[str], thread: str, re: str) -> None:
        self.id = id
        self.sender = sender
        self.to = to
        self.thread = thread or id
        self.re = re


class Conversations(RuleBasedStateMachine):
    """`place` says for each agent where a message is that it received; the facts are by session.

    `unshown` has what a session acknowledged before it was shown it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="agentmail-", dir=in_memory()))
        self.umask = os.umask(0o077)
        self.bus = Bus(str(self.root / "bus"), clock=Fixed(MOMENT))
        self.letters: dict[str, Letter] = {}
        self.place: dict[str, dict[str, str]] = {agent: {} for agent in AGENTS}
        self.sent: dict[str, set[str]] = {agent: set() for agent in AGENTS}
        self.old: set[tuple[str, str, str]] = set()
        self.presented: dict[tuple[str, str, str], set[str]] = {}
        self.acknowledged: dict[tuple[str, str, str], set[str]] = {}
        self.unshown: dict[tuple[str, str, str], set[str]] = {}

    def teardown(self) -> None:
        os.umask(self.umask)
        shutil.rmtree(self.root)

    @initialize()
    def begun(self) -> None:
        for agent in AGENTS:
            register(Call(self.bus, Environment({"HOME": "/"})), agent, "-", "takes part")
        for sender, to in (("alpha", {"beta"}), ("beta", {"alpha", "gamma"}), ("gamma", {"gamma", "beta"})):
            self.sends(sender, to, set(), "t1" if sender == "beta" else "", "a")

    # What the oracle knows

    def tick(self, seconds: int = 1) -> None:
        assert isinstance(self.bus.clock, Fixed)
        self.bus.clock.moment += seconds * SECOND

    def order(self, id: str) -> int:
        return list(self.letters).index(id)

    def waiting(self, agent: str) -> list[str]:
        return [id for id in self.letters if self.place[agent].get(id) == "inbox"]

    def mine(self, agent: str) -> dict[str, str]:
        """Where each message is that the agent's views show."""
        found = {
            id: self.place[agent].get(id, "sent" if id in self.sent[agent] else "") for id in self.letters
        }
        return {id: place for id, place in found.items() if place}

    def thread_of(self, agent: str, name: str) -> list[str]:
        return [id for id in self.mine(agent) if self.letters[id].thread == name]

    def facts(self, of: dict[tuple[str, str, str], set[str]], agent: str, origin: Recorder) -> set[str]:
        return of.setdefault((agent, origin.machine, origin.session), set())

    def witnesses(self, agent: str, id: str) -> list[tuple[str, str, str, bool, bool]]:
        """Every session whose receipts the agent is shown: whether it acknowledged, and after it was shown the message."""
        letter = self.letters[id]
        seen = {agent} if id in self.place[agent] else set()
        seen |= set(letter.to) if letter.sender == agent and id in self.sent[agent] else set()
        found = []
        for key in {**self.presented, **self.unshown}:
            presented, early = id in self.presented.get(key, ()), id in self.unshown.get(key, ())
            late = id in self.acknowledged.get(key, ())
            if key[0] in seen and (presented or early):
                found.append((*key, late or early, late or not early))
        return sorted(found)

    def pick(self, ids: list[str], number: int) -> str:
        return ids[number % len(ids)]

    def delivered(self, outcome: Any, sender: str, to: list[str], thread: str, re: str) -> None:
        assert outcome["outcome"] == "delivered"
        letter = Letter(outcome["id"], sender, to, thread, re)
        assert letter.id not in self.letters
        self.letters[letter.id] = letter
        for agent in to:
            self.place[agent][letter.id] = "inbox"
        self.sent[sender].add(letter.id)
        self.tick()

    # What agents do

    @rule(
        sender=agents,
        to=st.sets(agents, min_size=1),
        cc=st.sets(agents),
        topic=st.sampled_from(["", "t1", "t2"]),
        slug=st.sampled_from("ab"),
    )
    def sends(self, sender: str, to: set[str], cc: set[str], topic: str, slug: str) -> None:
        outcome = send(
            Call(self.bus, machine="m1"),
            sender,
            ",".join(sorted(to)),
            slug,
            thread=topic or None,
            cc=",".join(sorted(cc)) if cc else None,
            body=b"text",
        )
        self.delivered(outcome, sender, sorted(to | cc), topic, "")

    @rule(sender=agents, to=agents, topic=st.sampled_from(["", "t1", "t2"]))
    def sends_to_one(self, sender: str, to: str, topic: str) -> None:
        self.sends(sender, {to}, set(), topic, "c")

    @rule(agent=agents, pick=picks)
    def answers(self, agent: str, pick: int) -> None:
        self.answer(agent, pick, by_thread=False)

    @rule(agent=agents, pick=picks)
    def answers_a_thread(self, agent: str, pick: int) -> None:
        self.answer(agent, pick, by_thread=True)

    def answer(self, agent: str, pick: int, *, by_thread: bool) -> None:
        received = [id for id in self.letters if id in self.place[agent]]
        if not received:
            return
        parent = self.letters[self.pick(received, pick)]
        word = parent.id
        if by_thread and parent.thread not in self.letters:
            word = parent.thread
            others = [
                id
                for id in self.thread_of(agent, word)
                if id in self.place[agent] and self.letters[id].sender != agent
            ]
            if not others:
                return
            parent = self.letters[others[-1]]
        outcome = reply(Call(self.bus, machine="m1"), agent, word, body=b"answer")
        self.delivered(outcome, agent, [parent.sender], parent.thread, parent.id)

    @rule(agent=agents, pick=picks, whole=st.booleans())
    def archives(self, agent: str, pick: int, whole: bool) -> None:
        waiting = self.waiting(agent)
        if not waiting:
            return
        chosen = [self.pick(waiting, pick)]
        if whole:
            name = self.letters[chosen[0]].thread
            chosen = [id for id in waiting if self.letters[id].thread == name]
            done = archive(
                Call(self.bus, Environment({"AGENT_MAIL_RETENTION_DAYS": "off"})), agent, [], thread=[name]
            )
        else:
            done = archive(Call(self.bus, Environment({"AGENT_MAIL_RETENTION_DAYS": "off"})), agent, chosen)
        assert [(one["id"], one["outcome"]) for one in done["messages"]] == [
            (id, "archived") for id in chosen
        ]
        self.place[agent].update(dict.fromkeys(chosen, "archive"))

    @rule(agent=agents, pick=picks)
    def takes_back(self, agent: str, pick: int) -> None:
        archived = [id for id in self.letters if self.place[agent].get(id) == "archive"]
        if archived:
            id = self.pick(archived, pick)
            assert unarchive(Call(self.bus), agent, id)["messages"][0]["outcome"] == "unarchived"
            self.place[agent][id] = "inbox"
            self.old.discard((agent, "archive", id))

    @rule(agent=agents, pick=picks)
    def gets_old(self, agent: str, pick: int) -> None:
        found = [("archive", id) for id, place in self.place[agent].items() if place == "archive"]
        found += [("sent", id) for id in sorted(self.sent[agent])]
        if found:
            folder, id = found[pick % len(found)]
            suffix = ".md.gz" if folder == "archive" else ".md"
            age(self.root / "bus" / agent / folder / f"{id}{suffix}", 100)
            self.old.add((agent, folder, id))

    @rule(agent=agents)
    def prunes(self, agent: str) -> None:
        done = prune(Call(Bus(self.bus.root, clock=Clock())), agent, "60")
        gone = {(folder, id) for who, folder, id in self.old if who == agent}
        if gone:
            # A pruned message is days old, so none is of this minute: its id is never free to be given again.
            assert isinstance(self.bus.clock, Fixed)
            self.bus.clock.moment += 60 * SECOND
        assert sorted(done["removed"]) == sorted(
            f"{f}/{id}.md{'.gz' if f == 'archive' else ''}" for f, id in gone
        )
        for folder, id in gone:
            self.old.discard((agent, folder, id))
            if folder == "archive":
                del self.place[agent][id]
            else:
                self.sent[agent].discard(id)

    def acting(self, agent: str, origin: Recorder) -> Call:
        return Call(self.bus, acts_as=agent, session=origin.session, machine=origin.machine)

    @rule(agent=agents, origin=origins)
    def checks(self, agent: str, origin: Recorder) -> None:
        files = [one["file"] for one in check(Call(self.bus), agent)["messages"]]
        present(self.bus, agent, origin, files)
        if files:
            self.facts(self.presented, agent, origin).update(self.waiting(agent))

    @rule(agent=agents, origin=origins)
    def waits(self, agent: str, origin: Recorder) -> None:
        known = self.facts(self.presented, agent, origin)
        with Waiting(self.acting(agent, origin), agent, poll=True) as waiting:
            found = waiting.until(time.monotonic())
            assert [one["id"] for one in found] == [id for id in self.waiting(agent) if id not in known]
            waiting.record_shown()
        known.update(one["id"] for one in found)

    @rule(agent=agents, origin=origins, pick=picks)
    def acknowledges(self, agent: str, origin: Recorder, pick: int) -> None:
        received = [id for id in self.letters if id in self.place[agent]]
        id = self.pick([*received, *received, *self.letters], pick)
        (one,) = ack(self.acting(agent, origin), agent, [id])["messages"]
        if id not in self.place[agent]:
            assert one["outcome"] == "not-found"
            return
        shown = id in self.facts(self.presented, agent, origin)
        facts = self.facts(self.acknowledged if shown else self.unshown, agent, origin)
        assert one["outcome"] == ("already-acknowledged" if id in facts else "acknowledged")
        facts.add(id)

    # What they see

    @rule(agent=agents, pick=picks)
    def looks_at_a_thread(self, agent: str, pick: int) -> None:
        letter = self.letters[self.pick(list(self.letters), pick)]
        expected = self.thread_of(agent, letter.thread)
        word = letter.id if letter.id in self.mine(agent) else letter.thread
        if (
            word != letter.id
            and word in self.letters
            and self.letters[word].thread != word
            and word in self.mine(agent)
        ):
            return  # that word is a message's id, of another thread
        try:
            found = thread(Call(self.bus), agent, word)["messages"]
        except AgentMailError:
            found = []
        assert [one["id"] for one in found] == expected
        for one in found:
            assert one["place"] == self.mine(agent)[one["id"]]
            shown = [
                (r["identity"], r["machine"], r["session"], r["acknowledged"] != "", r["shown"])
                for r in one["receipts"]
            ]
            assert sorted(shown) == self.witnesses(agent, one["id"])

    @rule(agent=agents)
    def looks_at_receipts(self, agent: str) -> None:
        found = receipts(Call(self.bus), agent)["messages"]
        mine = self.mine(agent)
        assert [one["id"] for one in found] == [id for id, place in mine.items() if place != "archive"]
        for one in found:
            came = [
                id
                for id in self.place[agent]
                if self.letters[id].re == one["id"] and self.letters[id].sender != agent
            ]
            expected = sorted(came, key=self.order) if one["place"] == "sent" else []
            assert sorted(one["answered"], key=self.order) == expected
            acknowledged = any(said and shown for *_, said, shown in self.witnesses(agent, one["id"]))
            assert one["verified"] == (acknowledged or bool(expected))

    @rule(agent=agents, origin=origins)
    def looks_at_everything(self, agent: str, origin: Recorder) -> None:
        found = snapshot(self.acting(agent, origin), agent)
        mine = self.mine(agent)
        assert [(one["id"], one["place"]) for one in found["messages"]] == list(mine.items())
        known = self.presented.get((agent, origin.machine, origin.session), set())
        assert found["counts"] == {
            "waiting": len(self.waiting(agent)),
            "archived": list(mine.values()).count("archive"),
            "sent": list(mine.values()).count("sent"),
            "pending": len([id for id in self.waiting(agent) if id not in known]),
        }
        names = {self.letters[id].thread for id in mine}
        assert {one["thread"] for one in threads(Call(self.bus), agent)["threads"]} == names
        assert [one["id"] for one in search(Call(self.bus), agent, "text")["matches"]] == [
            id for id in reversed(mine) if not self.letters[id].re
        ]
        counted = {
            (one["machine"], one["session"]): one["presented"]
            for one in sessions(Call(self.bus), agent)["sessions"]
        }
        for (who, machine, session), ids in self.presented.items():
            assert who != agent or counted.get((machine, session), 0) == len(ids)

    @invariant()
    def every_message_is_where_the_oracle_says(self) -> None:
        for agent, box in read_bus(self.root / "bus").items() if (self.root / "bus").exists() else ():
            assert set(box.inbox) == set(self.waiting(agent))
            assert set(box.archive) == {id for id, place in self.place[agent].items() if place == "archive"}
            assert set(box.sent) == self.sent[agent]
            assert (box.broken, box.tmp) == ([], [])
            assert [one["id"] for one in check(Call(self.bus), agent)["messages"]] == self.waiting(agent)


TestConversations = Conversations.TestCase
TestConversations.settings = settings(max_examples=40, stateful_step_count=40)
