"""Threads, sessions, receipts, evidence and waiting, through the command line."""
