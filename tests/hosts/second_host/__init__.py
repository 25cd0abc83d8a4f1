"""A made-up host, Parrot, to try the protocols of agentmail.hosts.base on: nothing in it is like Claude Code.

Its payload is JSON lines, each with one topic; its events have other names; an answer is one short JSON line; it
wakes on exit code 9; and its hooks are a file of their own, which is ours as a whole.
"""
