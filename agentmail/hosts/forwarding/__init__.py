"""Hosts that load plugins: one file of ours runs inside the host and forwards its events to our hooks.

common.js    what the files of all these hosts begin with: when to stay silent, and how to run a hook
dialect.py   the payload that such a file sends, and the answers that it takes
install.py   puts the file where the host loads it
"""
