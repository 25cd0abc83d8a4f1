"""Tests of the hooks inside the real Claude Code, on the rig in tests/hosts/rig.

The client runs for real, in a home of its own under the test's directory, and talks to the scripted model.

    homes.py           a temporary home and its projects
    probes.py          hook entries that record how they were called (probe_hook.py is the program)
    headless.py        one run of `claude -p`
    interactive.py     a session on a pseudo-terminal
    plugins.py         the client's own plugin commands
    rig.py             all of it in one object: the fixture `claude_rig`
"""
