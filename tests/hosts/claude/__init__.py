"""Tests of the hooks inside the real Claude Code, and the rig that makes them possible.

The client runs for real, in a home of its own under the test's directory, and talks to a scripted
model on the loopback interface, which keeps every request: so a test can say what reached the model.

    script.py          what the model answers
    mock_anthropic.py  the model's HTTP side
    conversation.py    reading and comparing the requests that were kept
    homes.py           a temporary home and its projects
    probes.py          hook entries that record how they were called (probe_hook.py is the program)
    headless.py        one run of `claude -p`
    interactive.py     a session on a pseudo-terminal (terminal.py is its screen)
    waiting.py         waiting for an event, with a deadline
    watches.py         which directories a session watches
    plugins.py         the client's own plugin commands
    rig.py             all of it in one object: the fixture `claude_rig`
    client.py          where the pinned client is (install.sh puts it there)
"""
