"""Append-only facts: receipts of sessions, the machine id, evidence refs. Standard library only."""
